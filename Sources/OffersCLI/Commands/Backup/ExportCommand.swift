import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersSync

/// `offers export`
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the data as one JSON document.",
    usage: "offers export [<options>]",
    discussion: """
      The document has the feeds with the sources you chose, every offer with its times, the \
      history of changes, and your favorites, recent searches and read marks, or with --all-users \
      those of all users. It lacks passphrases, sessions and tokens, and data that can be fetched \
      again: images and the validators of servers. Your own feed definitions are in a separate file.

      EXAMPLES
        offers export -o offers.json
        offers export --favorites -o stars.json
        offers export --all-users -o household.json
        offers export --salvage -o saved.json
        offers export | ssh elsewhere offers import -
      """)

  @Flag(name: .long, help: "Only favorites, with their feeds and their history.")
  var favorites = false

  @Flag(name: .long, help: "The records of all users.")
  var allUsers = false

  @Flag(
    name: .long, help: "Export the readable part of a damaged database, with all users' favorites.")
  var salvage = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The file to write, which is replaced at the end, or - for standard output (the default).",
      valueName: "file"))
  var output: String?

  @Flag(name: .long, help: "With -o, print one JSON document about it.")
  var json = false

  @OptionGroup var location: UserRecordOptions

  func run() async throws {
    let bar = ProgressBar(isEnabled: true)
    defer { bar.clear() }
    let (database, write) = try await open(bar)
    guard let output, output != "-" else {
      // The document is first written to a temporary file, so that a slow reader does not keep the
      // read transaction open, and so that a failed export prints nothing.
      let spool = try SpoolFile(folder: location.place.temporaryFolder)
      let document = try await write { try spool.append($0) }
      bar.clear()
      var data = Output.Data()
      try spool.forEachPiece { try data.append($0) }
      try data.finish()
      return try report(document.unread)
    }
    let file = try AtomicFile(output: output, beside: database)
    let document = try await write { try file.append($0) }
    try file.commit(isPrivate: true)
    bar.clear()
    let told: [(ExportRecord.Section, Int)] = [
      (.offers, document.offers), (.users, document.users), (.favorites, document.favorites),
      (.changes, document.changes),
    ]
    if json {
      try Output.printData(
        JSONWriter.document { json in
          json.member("path", output)
          json.member("bytes", document.bytes)
          for (section, count) in told { json.member(section.name, count) }
        })
    } else {
      // One user is the usual case.
      let parts = told.filter { $0 != (.users, 1) }.map { section, count in
        Units.count(count, section.noun) + (section == .changes ? " of these offers" : "")
      }.joined(separator: ", ")
      Output.note(.line("\(output): \(parts) (\(Units.size(document.bytes)))"))
    }
    try report(document.unread)
  }

  /// Writes the document.
  ///
  /// - Parameter append: receives the next bytes.
  private typealias Writing = (
    _ append: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> ExportSummary

  /// Opens the database, with the record of the user if one user is exported.
  ///
  /// - Returns: the database, and what writes its document; with `--salvage` from the readable records.
  private func open(
    _ bar: ProgressBar
  ) async throws -> (database: any OffersStorage, write: Writing) {
    if salvage || allUsers, location.user != nil {
      throw OffersError(
        .invalidRequest, "\(salvage ? "--salvage" : "--all-users") exports all users.",
        hint: "Leave out --user.")
    }
    if salvage {
      let database = try await location.place.fetchFile(for: .salvage).openForSalvage()
      return (database, { try await writeReadable(database, bar, $0) })
    }
    let database =
      allUsers ? try await location.location.open(.readOnly) : try await location.open(.readOnly)
    return (database, { try await write(database, bar, $0) })
  }

  /// Writes the readable records.
  private func writeReadable(
    _ database: any StoreMaintenance, _ bar: ProgressBar,
    _ append: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> ExportSummary {
    try await database.salvage(favoritesOnly: favorites) { records in
      try Self.write(bar, total: 0, append) { add in
        // Records that an import would refuse are left out.
        try records.forEachRecord(accepting: ExportRecordCheck().accepts, add)
      }
    }
  }

  /// Writes all records.
  private func write(
    _ database: any OffersStorage, _ bar: ProgressBar,
    _ append: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> ExportSummary {
    try await database.export(favoritesOnly: favorites, allUsers: allUsers) { records in
      try Self.write(bar, total: records.countRecords() ?? 0, append) { add in
        try records.forEachRecord(add)
        return []
      }
    }
  }

  /// Writes the document from the given records.
  ///
  /// - Parameters:
  ///   - total: the approximate number of records; 0 if it is not known.
  ///   - forEachRecord: as in `ExportSummary`.
  private static func write(
    _ bar: ProgressBar, total: Int, _ append: (UnsafeRawBufferPointer) throws -> Void,
    _ forEachRecord: (_ add: (ExportRecord) throws -> Void) throws -> [ExportRecord.Section]
  ) throws -> ExportSummary {
    try ExportSummary(
      writing: append,
      progress: { if $0 % 1000 == 0 { bar.show("export", records: $0, of: total) } },
      forEachRecord)
  }

  /// Reports the sections that are incomplete.
  ///
  /// - Throws: `ExitCode` if there is any.
  private func report(_ unread: [ExportRecord.Section]) throws {
    if unread.isEmpty { return }
    let names = unread.map(\.name).joined(separator: ", ")
    Output.note("Some records could not be read: \(names). The export has the others.")
    throw ExitStatus.failed
  }
}
