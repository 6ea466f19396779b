import ArgumentParser
import Foundation
import OffersCore
import OffersPlatform
import OffersStore
import Synchronization

struct RestoreCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup in place of the database.",
    usage: """
      offers restore <file> [<options>]
             offers restore --salvage [<file>] [<options>]
      """,
    discussion: """
      The backup is copied and the copy is checked. The old database is kept beside the new one, \
      under a name with the time. Nothing is changed while a program has the database open: end \
      offers serve first. A restoration that is interrupted leaves the old database, or is completed \
      by the next command. The owner, group and mode of the old file are kept; a new one gets those of \
      its folder.

      With --salvage, the new database has what can be read of a damaged one and no sync brings back: \
      users, feeds with the sources you chose, and favorites with their sharing. Set passphrases and \
      tokens again; a sync brings the offers. For the rest there is SQLite's own: sqlite3 FILE .recover

      EXAMPLES
        offers restore ~/backups/offers.sqlite
        offers restore --salvage           the favorites of the damaged file
      """)

  @Argument(
    help: """
      A file written by backup, or any closed database of offers; with --salvage, by default the \
      database itself.
      """)
  var file: String?

  @Flag(help: "Restore users, feeds and favorites of a damaged database.") var salvage = false
  @Flag(.json) var json = false
  @OptionGroup var format: LogFormatOption
  @OptionGroup var location: DatabaseOptions

  var logEntry: LogEntry? {
    LogEntry(salvage ? "salvaged" : "restored", file.map { ["file": $0] } ?? [:])
  }

  func validate() throws {
    if file == nil, !salvage { throw ValidationError("Name the file of a backup.") }
  }

  func run() async throws {
    let database = try location.place.fetchFile(for: .restoration)
    let incompleteCopy = Mutex<String?>(nil)
    let watch = InterruptionWatch {
      incompleteCopy.withLock { if let path = $0 { FileOperations.removeFile(path) } }
    }
    defer { withExtendedLifetime(watch) {} }
    let note: @Sendable (String?) -> Void = { copy in incompleteCopy.withLock { $0 = copy } }
    let restored: Restoration
    if salvage {
      restored = try await database.salvage(from: file, copying: note)
    } else if let file {
      try TransferFileKind.check(file, isFor: .database)
      restored = try await database.restore(from: file, copying: note)
    } else {
      return
    }
    try report(restored)
  }

  private func report(_ restored: Restoration) throws {
    let salvaged = restored.salvaged
    if json {
      var document: JSONObject = [
        "path": restored.path, "bytes": restored.bytes, "aside": restored.aside,
      ]
      if let salvaged {
        document += [
          "users": salvaged.users, "feeds": salvaged.feeds, "favorites": salvaged.favorites,
          "unread": salvaged.unread.map(\.name),
        ]
      }
      try Output.print(.json(document))
    } else {
      let parts = salvaged.map {
        [
          Units.count($0.users, "user"), Units.count($0.feeds, "feed"),
          Units.count($0.favorites, "favorite"),
        ]
      }
      let contents = parts?.joined(separator: ", ") ?? "sound"
      try Output.print(.line("\(restored.path): \(Units.size(restored.bytes)), \(contents)"))
      if let aside = restored.aside { Output.note(.line("The old database is now \(aside).")) }
      if salvaged != nil { Output.note("To read the offers again: offers sync") }
    }
    DatabaseOptions.tellForeignSchema(restored.foreignSchema)
    guard let unread = salvaged?.unread, !unread.isEmpty else { return }
    let names = unread.map(\.name).joined(separator: ", ")
    let damaged = ShellQuoting.word(file ?? restored.aside ?? restored.path)
    Output.note(
      .line("Some of these could not be read: \(names). Try: sqlite3 \(damaged) .recover"))
    throw ExitStatus.failed
  }
}
