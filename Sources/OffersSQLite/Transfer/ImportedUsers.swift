import Foundation
import GRDB
import OffersCore

/// Writes the records of the users of an export.
///
/// The record of one user goes to the user who imports. The records of several users go to the users
/// of the same names. Those who are missing are added, but none as an admin unless the document is
/// trusted, since anybody may have written the file. The roles of the others stay.
struct ImportedUsers {
  private let database: Database
  /// The user who imports.
  private let importer: User.ID
  /// Whether missing users get the roles of the document.
  private let trustsRoles: Bool
  /// Whether the database has no data and no user but an owner whom nobody has named.
  private let isNewDatabase: Bool
  private var records: [ExportedUser] = []
  /// The users of the document with those of this database, once they are matched.
  private(set) var matches: [ImportedUser] = []
  /// The indexes of `matches` by the names in the document.
  private var places: [String: Int] = [:]
  private var isMatched = false

  /// The name of an owner whom nobody has given another one.
  private static let unnamedOwner = "owner"

  init(_ database: Database, importer: User.ID, trustsRoles: Bool) throws {
    self.database = database
    self.trustsRoles = trustsRoles
    self.importer = importer
    isNewDatabase =
      try Bool.fetchOne(
        database,
        sql: """
          SELECT NOT EXISTS (SELECT 1 FROM sync_run) AND NOT EXISTS (SELECT 1 FROM favorite)
            AND NOT EXISTS (SELECT 1 FROM user WHERE user_key <> ? OR folded_name <> ?)
          """, arguments: [User.ownerID, Self.unnamedOwner]) ?? false
  }

  /// Adds a user of the document. The users precede all favorites.
  mutating func add(_ record: ExportedUser) { records.append(record) }

  /// Adds a favorite to those of its user, shared as in the document. If it is there, the earlier of
  /// two times stays, and so does its sharing.
  ///
  /// - Returns: whether it was added.
  mutating func add(_ favorite: ExportedFavorite) throws -> Bool {
    try match()
    let place = favorite.user.flatMap { places[$0] }
    let user = place.map { matches[$0].user.id } ?? importer
    let isNew = try FavoriteTable.insert(
      favorite.ref, of: user, at: favorite.starredAt, sharedAt: favorite.sharedAt, in: database)
    if !isNew {
      try FavoriteTable.setEarlier(
        favorite.starredAt, of: favorite.ref, user: user, in: database)
    }
    if let place {
      if isNew { matches[place].newFavorites += 1 } else { matches[place].sameFavorites += 1 }
    }
    return isNew
  }

  /// Writes the searches and read marks, once the histories are merged.
  ///
  /// - Parameter findLastChange: the number of the last change of the runs up to one of the document.
  mutating func finish(findLastChange: (_ run: Int) throws -> Int64) throws {
    try match()
    var lastChanges: [Int: Int64] = [:]
    for (record, match) in zip(records, matches) {
      try merge(record.searches, of: match.user.id)
      for mark in record.marks {
        let id = try lastChanges[mark.run] ?? findLastChange(mark.run)
        lastChanges[mark.run] = id
        try insert(mark, at: id, of: match.user.id)
      }
    }
  }

  // Users.

  private mutating func match() throws {
    if isMatched { return }
    isMatched = true
    let isOfOne = records.count == 1
    let known = isOfOne ? [0: importer] : try findUsers()
    if isNewDatabase, let place = records.firstIndex(where: \.isOwner),
      known[place] == User.ownerID
    {
      try takeOver(records[place])
    }
    for (index, record) in records.enumerated() {
      let id = try known[index] ?? insert(record)
      places[record.name] = index
      matches.append(
        ImportedUser(
          name: record.name, role: record.role,
          user: try OffersDatabase.fetchUser(id, in: database), isNew: known[index] == nil))
    }
  }

  /// The users of this database for several users of the document, by the index of the record.
  ///
  /// Two owners of different names are the same person if one of them was never named.
  private func findUsers() throws -> [Int: User.ID] {
    if records.isEmpty { return [:] }
    guard importer == User.ownerID else {
      throw OffersError(
        .invalidRequest,
        "The document has the records of \(Units.count(records.count, "user")), which cannot be "
          + "imported for one.",
        hint: "Nothing was changed. Import it as the owner: each user gets their own record.")
    }
    let place = records.firstIndex(where: \.isOwner)
    if isNewDatabase, let place { return [place: User.ownerID] }
    var found: [Int: User.ID] = [:]
    for (index, record) in records.enumerated() {
      found[index] = try UserTable.find(named: record.name, in: database)?.id
    }
    if let place, found[place] == nil, !found.values.contains(User.ownerID) {
      let owner = try OffersDatabase.fetchUser(User.ownerID, in: database)
      let names = [owner.name, records[place].name].map(User.folded)
      if names.contains(Self.unnamedOwner) { found[place] = owner.id }
    }
    return found
  }

  private func insert(_ record: ExportedUser) throws -> User.ID {
    let now = Int64(Date().timeIntervalSince1970)
    return try UserTable.insert(
      record.name, trustsRoles ? record.role : min(record.role, .member),
      at: record.createdAt ?? now, in: database)
  }

  /// Gives the owner of a new database the name and the time of the document's owner.
  private func takeOver(_ record: ExportedUser) throws {
    try UserTable.update(User.ownerID, name: record.name, role: .admin, in: database)
    guard let createdAt = record.createdAt else { return }
    try database.execute(
      sql: "UPDATE user SET created_at = ? WHERE user_key = ?",
      arguments: [createdAt, User.ownerID])
  }

  // Searches and read marks.

  /// Merges the latest searches into the user's own by time, as far as there is room: no search that
  /// is here gives way to another one.
  private func merge(_ searches: [ExportedUser.Search], of user: User.ID) throws {
    let here = try RecentSearchTable.list(of: user, in: database).map { ExportedUser.Search($0) }
    let added = searches.filter { search in
      !here.contains { $0.words.hasSameBytes(as: search.words) && $0.feed == search.feed }
    }.prefix(max(0, RecentSearch.limit - here.count))
    if added.isEmpty { return }
    // Neither list is sorted: each keeps its order even if its clock jumped.
    var rest = here[...]
    var merged: [ExportedUser.Search] = []
    for search in added {
      while let first = rest.first, first.searchedAt >= search.searchedAt {
        merged.append(rest.removeFirst())
      }
      merged.append(search)
    }
    for search in (merged + rest).reversed() {
      try RecentSearchTable.put(
        search.words, feed: search.feed, of: user, at: search.searchedAt, in: database)
    }
  }

  /// Inserts the mark of a reader who has none here. Another one stays.
  private func insert(_ mark: ExportedUser.Mark, at id: Int64, of user: User.ID) throws {
    try database.execute(
      sql: """
        INSERT INTO reader (user_key, name, change_id, read_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (user_key, name) DO NOTHING
        """, arguments: [user, mark.reader, id, mark.readAt])
  }
}
