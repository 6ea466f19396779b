import ArgumentParser
import Foundation
import OffersCore
import OffersSQLite

/// `offers backup`
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database while others go on writing.",
    discussion: """
      The copy is one file, as the database stood at one moment, and it is looked through before it \
      takes its name. To go back to it, end what uses the database, remove offers.sqlite-wal and \
      put the copy in place of offers.sqlite.

      EXAMPLES
        offers backup ~/backups/offers.sqlite
        offers backup "offers-$(date +%F).sqlite"
      """)

  @Argument(help: "Where to put the copy. An older one is replaced.")
  var file: String

  @Flag(name: .long, help: "Also replace a file that is no backup of offers.")
  var force = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func run() async throws {
    let database = try location.open(.readOnly)
    try check(try database.backupTarget(file))
    let copy = try NewFile(
      replacing: file, hint: "Check the folder, its permissions and its free space.")
    try await database.backUp(to: copy.temporaryPath)
    try copy.commit(isPrivate: true)
    let bytes = OffersDatabase.sizeBytes(of: copy.path)
    try Output.print(
      json
        ? JSONWriter.document { json in
          json.member("path", file)
          json.member("bytes", bytes)
        } : DisplayText.oneLine("\(file): \(Units.size(bytes)), sound"))
  }

  private func check(_ target: OffersDatabase.BackupTarget) throws {
    switch target {
    case .free, .backup: return
    case .other:
      if force { return }
      throw OffersError(
        .invalidRequest, "\(file) is there, and no backup of offers. It was left untouched.",
        hint: "Name another file, or replace it with --force.")
    case .database:
      throw OffersError(
        .invalidRequest, "\(file) is the database itself, or a file that belongs to one.",
        hint: "Name another file.")
    case .logged:
      throw OffersError(
        .invalidRequest,
        "\(file) is a database in use: its newest writes stand in a log beside it.",
        hint: "Name another file.")
    }
  }
}
