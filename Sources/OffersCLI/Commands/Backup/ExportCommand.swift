import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the data as one JSON document.",
    usage: "offers export [<options>]",
    discussion: """
      The document has the feeds with the sources you chose, every offer with its times, the \
      history of changes, and your favorites, recent searches, read marks, watches and channels, or with \
      --all-users those of all users. It lacks passphrases, sessions, tokens, the secrets of channels \
      and channels that run a program or name a variable, and data that can be fetched again: images and the validators \
      of servers. Your own feed definitions are in a separate file.

      EXAMPLES
        offers export -o offers.json
        offers export --favorites -o stars.json
        offers export --all-users -o household.json
        offers export | ssh elsewhere offers import -
      """)

  @Flag(.favorites, help: "Only favorites, with their feeds and their history.")
  var favorites = false

  @Flag(help: "The data of all users.") var allUsers = false

  /// The former name of `restore --salvage`.
  @Flag(help: .hidden) var salvage = false

  @Option(
    name: [.short, .long],
    help: .value(
      "file",
      "The file to write, which is replaced at the end, or - for standard output (the default)."))
  var output: String?

  @Flag(help: "With -o, print one JSON document about it.") var json = false
  @OptionGroup var location: UserDatabaseOptions

  func validate() throws {
    if salvage {
      throw ValidationError("A damaged database is salvaged by: offers restore --salvage")
    }
  }

  func run() async throws {
    let bar = ProgressBar(isEnabled: true)
    defer { bar.clear() }
    let database = try await open()
    guard let output, output != "-" else {
      // The document is first written to a temporary file, so that a slow reader does not keep the
      // read transaction open, and so that a failed export prints nothing.
      let spool = try SpoolFile(folder: location.place.temporaryFolder)
      _ = try await write(database, bar) { try spool.append($0) }
      bar.clear()
      var data = Output.Data()
      try spool.forEachPiece { try data.append($0) }
      return try data.finish()
    }
    let file = try AtomicFile(output: output, beside: database)
    let document = try await write(database, bar) { try file.append($0) }
    try file.commit(isPrivate: true)
    bar.clear()
    if json {
      return try Output.print(
        .json([
          "path": output, "bytes": document.bytes, "offers": document.offers,
          "users": document.users, "favorites": document.favorites, "changes": document.changes,
        ]))
    }
    // One user is the usual case.
    let parts = [
      Units.count(document.offers, "offer"),
      document.users == 1 ? nil : Units.count(document.users, "user"),
      Units.count(document.favorites, "favorite"),
      Units.count(document.changes, "change") + " of these offers",
    ].compactMap(\.self)
    Output.note(
      .line("\(output): \(parts.joined(separator: ", ")) (\(Units.size(document.bytes)))"))
  }

  /// Opens the database, with the data of the user if one user is exported.
  private func open() async throws -> OffersDatabase {
    guard allUsers else { return try await location.open(.readOnly) }
    guard location.user == nil else {
      throw OffersError(
        .invalidRequest, "--all-users exports all users.",
        hint: "Leave out --user.")
    }
    return try await location.location.open(.readOnly)
  }

  private func write(
    _ database: OffersDatabase, _ bar: ProgressBar,
    _ append: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> ExportSummary {
    try await database.export(favoritesOnly: favorites, allUsers: allUsers) { records in
      let total = try records.countRecords() ?? 0
      return try ExportSummary(
        writing: append,
        progress: { if $0 % 1000 == 0 { bar.show("export", $0, of: total) { Units.count($0) } } },
        records.forEachRecord)
    }
  }
}
