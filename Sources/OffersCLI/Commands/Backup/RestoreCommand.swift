import ArgumentParser
import Foundation
import OffersCore
import OffersPlatform
import Synchronization

/// `offers restore`
struct RestoreCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup in place of the database.",
    usage: "offers restore <file> [<options>]",
    discussion: """
      The backup is copied and the copy is checked. The old database is kept beside the new one, \
      under a name with the time. Nothing is changed while a program has the database open: end \
      offers serve first. A restoration that is interrupted leaves the old database, or is completed \
      by the next command.

      EXAMPLES
        offers restore ~/backups/offers.sqlite
      """)

  @Argument(help: "A file written by backup, or any closed database of offers.")
  var file: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var format: LogFormatOption
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? { LogEntry("restored", ["file": file]) }

  func run() async throws {
    let database = try location.place.fetchFile(for: .restoration)
    let incompleteCopy = Mutex<String?>(nil)
    let watch = InterruptionWatch {
      incompleteCopy.withLock { if let path = $0 { FileOperations.removeFile(path) } }
    }
    defer { withExtendedLifetime(watch) {} }
    let restored = try await database.restore(from: file) { copy in
      incompleteCopy.withLock { $0 = copy }
    }
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("path", restored.path)
          json.member("bytes", restored.bytes)
          json.member("aside", restored.aside)
        })
    }
    try Output.print(.line("\(restored.path): \(Units.size(restored.bytes)), sound"))
    if let aside = restored.aside {
      Output.note(.line("The old database is now \(aside)."))
    }
  }
}
