import ArgumentParser
import Foundation
import OffersCore
import OffersPlatform
import OffersStore
import OffersSync

struct UserRemoveCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a user with their favorites, after exporting them.",
    usage: "offers user remove <name> [<options>]",
    discussion: """
      Removes the user's favorites, searches and read marks, and nothing of others. Favorites and \
      searches are first exported to a file that only you can read: NAME-favorites.json in the \
      current folder, unless --export names another one. An existing file is never overwritten. No \
      file is written for a user without favorites, unless you name one.

      EXAMPLES
        offers user remove ben
        offers user remove ben --export ~/ben.json --yes
        offers import ben-favorites.json --user ana    gives them to another user
      """)

  @Argument(help: "The user.") var name: String

  @Option(help: .value("file", "The file for the user's favorites."), completion: .file())
  var export: String?

  @Flag(help: "Do not export the user's favorites.") var noExport = false
  @Flag(help: "Do not ask. Needed without a terminal.") var yes = false
  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  func validate() throws {
    if noExport, export != nil {
      throw ValidationError("--export and --no-export exclude each other.")
    }
  }

  var logEntry: LogEntry? { LogEntry("user removed", ["account": name]) }

  func run() async throws {
    let database = try await location.openExisting()
    let user = try await database.fetchUser(named: name)
    if user.isOwner {
      throw OffersError(
        .invalidRequest, "\(user.name) is the owner of the database, who cannot be removed.")
    }
    let path = noExport ? nil : export ?? Self.fileName(for: user.name)
    if let path { try Self.checkIsAbsent(path) }
    let name = UserSummary.name(user)
    let entry = try await UserSummary(user, in: database)
    let favorites = Units.count(entry.favoriteCount, "favorite")
    if !yes {
      try Confirmation.require(
        "Remove the user \(name) with \(favorites)?", to: "remove \(user.name)",
        hint: "To remove the user with \(favorites) without being asked, add --yes")
    }
    let saved = try await save(user, from: database, to: path)
    let channels = try await database.bound(to: user).fetchChannels()
    do {
      try await database.removeUser(user.id, exported: saved?.favorites)
    } catch {
      // The user stays with their favorites. The file would be in the way of the next try.
      if error.code == .locked, let path = saved?.path { unlink(path) }
      throw error
    }
    do {
      try NoticeServices.removeSecrets(
        channels.reduce(into: []) { $0.formUnion($1.ownVariables) })
    } catch {
      // The user is removed in any case.
      Output.error(OffersError(error))
    }
    if json {
      return try Output.print(
        .json(["name": user.name, "favorites": entry.favoriteCount, "export": saved?.path]))
    }
    if let line = saved?.line { Output.note(.line(line)) }
    if let path = saved?.path, path != "-" {
      Output.note("To give them to a user: offers import \(ShellQuoting.word(path)) --user NAME")
    }
    try Output.print("\(name): removed, with \(favorites)")
  }

  /// The exported favorites of a user.
  private struct Saved {
    /// The file; nil if none was written.
    let path: String?
    let bytes: Int
    let favorites: Set<OfferRef>

    var line: String? {
      path.map { "\($0): \(Units.count(favorites.count, "favorite")) (\(Units.size(bytes)))" }
    }
  }

  /// Writes the favorites and searches of a user, as `offers export --favorites` writes favorites.
  ///
  /// - Parameter path: the file; nil to write none.
  /// - Returns: nil without a path. No file is made unasked for a user without favorites.
  private func save(
    _ user: User, from database: OffersDatabase, to path: String?
  ) async throws -> Saved? {
    guard let path else { return nil }
    let file = try AtomicFile(output: path, beside: database)
    let saved = try await database.bound(to: user).export(
      favoritesOnly: true, allUsers: false, withSearches: true
    ) { records in
      var favorites: Set<OfferRef> = []
      let summary = try ExportSummary(writing: { try file.append($0) }, progress: { _ in }) { add in
        try records.forEachRecord { record in
          if case .favorite(let favorite) = record { favorites.insert(favorite.ref) }
          try add(record)
        }
      }
      return (bytes: summary.bytes, favorites: favorites)
    }
    let isWanted = !saved.favorites.isEmpty || export != nil
    if isWanted { try file.commit(isPrivate: true, isNew: true) }
    return Saved(
      path: isWanted ? path : nil, bytes: saved.bytes, favorites: saved.favorites)
  }

  /// Refuses a path at which something exists. The favorites of the removed user are exported to it. It is
  /// checked before the user confirms the removal.
  private static func checkIsAbsent(_ path: String) throws {
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
}
