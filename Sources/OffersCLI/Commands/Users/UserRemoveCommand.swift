import ArgumentParser
import Foundation
import OffersCore
import OffersSQLite
import OffersSync

/// `offers user remove`
struct UserRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a user with their favorites, after exporting them.",
    usage: "offers user remove <name> [<options>]",
    discussion: """
      Removes the user's favorites, searches and read marks, and nothing of others. The favorites \
      are first exported to a file that only you can read: NAME-favorites.json in the current \
      folder, unless --export names another one. An existing file is never overwritten.

      EXAMPLES
        offers user remove ben
        offers user remove ben --export ~/ben.json --yes
        offers import ben-favorites.json --user ana    gives them to another user
      """)

  @Argument(help: "The user.", completion: Completions.users)
  var name: String

  @Option(
    name: .long,
    help: ArgumentHelp("The file for the user's favorites.", valueName: "file"),
    completion: .file())
  var export: String?

  @Flag(name: .long, help: "Do not export the user's favorites.")
  var noExport = false

  @Flag(name: .long, help: "Do not ask. Needed without a terminal.")
  var yes = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func validate() throws {
    if noExport, export != nil {
      throw ValidationError("--export and --no-export exclude each other.")
    }
  }

  func run() async throws {
    let database = try await location.openExisting()
    let user = try await database.fetchUser(named: name)
    if user.isOwner {
      throw OffersError(
        .invalidRequest, "\(user.name) is the owner of the database, who cannot be removed.")
    }
    let path = noExport ? nil : export ?? Self.fileName(for: user.name)
    if let path { try Self.checkIsFree(path) }
    let name = UserSummary.name(user)
    let entry = try await UserSummary(user, in: database)
    let favorites = Units.count(entry.favoriteCount, "favorite")
    if !yes {
      guard Confirmation.isPossible else {
        throw OffersError(
          .invalidRequest, "There is no terminal to ask whether to remove \(user.name).",
          hint: "To remove the user with \(favorites) without being asked, add --yes")
      }
      guard Confirmation.ask("Remove the user \(name) with \(favorites)?") else {
        Output.note("Nothing was removed.")
        throw ExitStatus.failed
      }
    }
    let saved = try await save(user, from: database, to: path)
    try await database.removeUser(user.id)
    if json { return try Output.print(Self.json(entry, saved)) }
    if let saved { Output.note(DisplayText.oneLine(saved.line)) }
    try Output.print("\(name): removed, with \(favorites)")
  }

  /// The written export of a user's favorites.
  private struct Saved {
    let path: String
    let summary: ExportSummary

    var line: String {
      let count = Units.count(summary.favorites, "favorite")
      return "\(path): \(count) (\(Units.size(summary.bytes)))"
    }
  }

  /// Writes the favorites of a user as `offers export --favorites` does.
  ///
  /// - Parameter path: the file; nil to write none.
  /// - Returns: nil if nothing was written: no file is made unasked for a user without favorites.
  private func save(
    _ user: User, from database: OffersDatabase, to path: String?
  ) async throws -> Saved? {
    guard let path else { return nil }
    let file = try AtomicFile(output: path, beside: database)
    let summary = try await database.record(of: user).export(favoritesOnly: true) { records in
      try ExportSummary(writing: { try file.append($0) }, progress: { _ in }) { add in
        try records.forEachRecord(add)
        return []
      }
    }
    if summary.favorites == 0, export == nil { return nil }
    try file.commit(isPrivate: true, isNew: true)
    return Saved(path: path, summary: summary)
  }

  /// Refuses a file that exists, before anybody is asked.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  private static func checkIsFree(_ path: String) throws {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return }
    throw OffersError(
      .invalidRequest, "\(path) exists already. It was left untouched.",
      hint: "Name another file for the favorites with --export, or add --no-export.")
  }

  /// `NAME-favorites.json`, with a hyphen for all that is between the letters and digits of the
  /// name; for a name without any, `user-favorites.json`.
  static func fileName(for name: String) -> String {
    let parts = name.precomposedStringWithCanonicalMapping.unicodeScalars.prefix(nameLimit)
      .split { !$0.properties.isAlphabetic && $0.properties.generalCategory != .decimalNumber }
      .map { String($0) }
    return (parts.isEmpty ? "user" : parts.joined(separator: "-")) + "-favorites.json"
  }

  /// The greatest number of characters of a name in the name of a file, which has 255 bytes at most.
  private static let nameLimit = 40

  /// `{"name","favorites","export"}`
  private static func json(_ entry: UserSummary, _ saved: Saved?) -> String {
    JSONWriter.document { json in
      json.member("name", entry.user.name)
      json.member("favorites", entry.favoriteCount)
      json.member("export", saved?.path)
    }
  }
}
