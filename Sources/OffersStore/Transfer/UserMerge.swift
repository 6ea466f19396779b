import Foundation
import OffersCore

/// Writes the records of the users of an export.
///
/// The record of one user goes to the user who imports. The records of several users go to the users
/// of the same names. Those who are missing are added, but none as an admin unless the document is
/// trusted, since anybody may have written the file. The roles of the others stay.
struct UserMerge {
  private let store: StoreImport
  /// The user who imports.
  private let importer: User.ID
  private let isNewStore: Bool
  /// Whether missing users get the roles of the document.
  private let trustsRoles: Bool
  private var records: [ExportedUser] = []
  private var favorites: [ExportedFavorite] = []
  private(set) var newFavorites = 0
  private(set) var sameFavorites = 0
  /// The users of the document with those of this store, once they are matched.
  private(set) var matches: [ImportedUser] = []
  /// The indexes of `matches` by the names in the document.
  private var places: [String: Int] = [:]
  private var isMatched = false

  /// The number of favorites that are written at once.
  private static let batchCount = 1000

  init(_ store: StoreImport, importer: User.ID, trustsRoles: Bool) throws {
    self.store = store
    self.trustsRoles = trustsRoles
    self.importer = importer
    isNewStore = try store.isNew()
  }

  /// Adds a user of the document. The users precede all favorites.
  mutating func add(_ record: ExportedUser) { records.append(record) }

  /// Adds a favorite to those of its user.
  mutating func add(_ favorite: ExportedFavorite) throws {
    favorites.append(favorite)
    if favorites.count == Self.batchCount { try writeFavorites() }
  }

  private mutating func writeFavorites() throws {
    try match()
    if favorites.isEmpty { return }
    defer { favorites.removeAll(keepingCapacity: true) }
    let found = favorites.map { $0.user.flatMap { places[$0] } }
    let added = try store.insert(
      zip(favorites, found).map { favorite, place in
        (favorite, place.map { matches[$0].user.id } ?? importer)
      })
    for (place, isNew) in zip(found, added) {
      if isNew { newFavorites += 1 } else { sameFavorites += 1 }
      guard let place else { continue }
      if isNew { matches[place].newFavorites += 1 } else { matches[place].sameFavorites += 1 }
    }
  }

  /// Writes the favorites, searches and read marks, once the histories are merged.
  mutating func finish() throws {
    try writeFavorites()
    var lastChanges: [Int: Int64] = [:]
    for (record, match) in zip(records, matches) {
      try merge(record.searches, of: match.user.id)
      for mark in record.marks {
        let id = try lastChanges[mark.run] ?? store.history.findLastChange(through: mark.run)
        lastChanges[mark.run] = id
        try store.insert(mark, changeID: id, of: match.user.id)
      }
    }
  }

  // Users.

  private mutating func match() throws {
    if isMatched { return }
    isMatched = true
    let isOfOne = records.count == 1
    let known = isOfOne ? [0: importer] : try findUsers()
    if isNewStore, let place = records.firstIndex(where: \.isOwner),
      known[place] == User.ownerID
    {
      try store.setOwner(records[place].name, createdAt: records[place].createdAt)
    }
    for (index, record) in records.enumerated() {
      let id = try known[index] ?? insert(record)
      places[record.name] = index
      matches.append(
        ImportedUser(
          name: record.name, role: record.role,
          user: try store.fetchUser(id), isNew: known[index] == nil))
    }
  }

  /// The users of this store for several users of the document, by the index of the record.
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
    if isNewStore, let place { return [place: User.ownerID] }
    var found: [Int: User.ID] = [:]
    for (index, record) in records.enumerated() {
      found[index] = try store.findUser(named: record.name)?.id
    }
    if let place, found[place] == nil, !found.values.contains(User.ownerID) {
      let owner = try store.fetchUser(User.ownerID)
      let names = [owner.name, records[place].name].map(User.folded)
      if names.contains(User.unnamedOwner) { found[place] = owner.id }
    }
    return found
  }

  private func insert(_ record: ExportedUser) throws -> User.ID {
    let now = Date().storedSeconds
    return try store.insertUser(
      record.name, trustsRoles ? record.role : min(record.role, .member),
      at: record.createdAt ?? now)
  }

  // Searches and read marks.

  /// Merges the latest searches into the user's own by time, as far as there is room: no search that
  /// is here gives way to another one.
  private func merge(_ searches: [ExportedUser.Search], of user: User.ID) throws {
    let here = try store.fetchSearches(of: user)
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
      try store.put(search, of: user)
    }
  }
}
