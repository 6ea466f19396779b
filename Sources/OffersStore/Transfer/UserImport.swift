import Foundation
import OffersCore

/// Imports the data of users.
///
/// The data of one user goes to the user who imports. The data of several users goes to the users
/// of the same names. Those who are missing are added, but none as an admin unless the document is
/// trusted, since anybody may have written the file. The roles of the others stay.
///
/// Favorites are added to those of their user, of whom none is removed. Recent searches and read marks are
/// taken by a user who has none. Watches and channels are added unless the user has the same.
struct UserImport {
  private let transaction: any Transaction
  /// The user who imports.
  private let importer: User.ID
  private let isNewStore: Bool
  /// Whether missing users get the roles of the document.
  private let trustsRoles: Bool
  /// Whether channels are taken. They name where the news of a user are sent.
  private let acceptsChannels: Bool
  /// Reads the texts of watches; nil for watches that get their states later.
  private let reader: (any FilterTextReader)?
  private(set) var newWatches = 0
  private(set) var newChannels = 0
  private(set) var leftOutChannels: [String] = []
  /// The watches that were added, with their users.
  private var watches: [(id: Watch.ID, user: User.ID)] = []
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

  init(
    into transaction: any Transaction, importer: User.ID, trustsRoles: Bool, acceptsChannels: Bool,
    reader: (any FilterTextReader)?
  ) throws {
    self.transaction = transaction
    self.acceptsChannels = acceptsChannels
    self.reader = reader
    self.trustsRoles = trustsRoles
    self.importer = importer
    isNewStore = try Self.isNew(transaction)
  }

  /// Whether a store has no run and no favorite, and no user but an owner whom nobody has named.
  private static func isNew(_ transaction: any Transaction) throws -> Bool {
    try transaction.first(
      """
      SELECT NOT EXISTS (SELECT 1 FROM sync_run) AND NOT EXISTS (SELECT 1 FROM favorite)
        AND NOT EXISTS (SELECT 1 FROM account
          WHERE user_key <> $1 OR folded_name <> $2)
      """, [.number(User.ownerID), .text(User.unnamedOwner)]
    ) { $0.flag(0) } ?? false
  }

  /// Adds a user of the document. The users precede all favorites.
  mutating func add(_ record: ExportedUser) { records.append(record) }

  /// Adds a favorite to those of its user.
  mutating func add(_ favorite: ExportedFavorite) throws {
    favorites.append(favorite)
    if favorites.count == Self.batchCount { try writeFavorites() }
  }

  /// Writes the favorites, searches, read marks, watches and channels, after the changes.
  ///
  /// - Parameter lastChange: the id of the last change of so many first runs of the document.
  mutating func finish(lastChange: (Int) -> Int64) throws {
    try writeFavorites()
    for (record, match) in zip(records, matches) {
      try put(record.searches, of: match.user.id)
      for mark in record.marks {
        try insert(mark, changeID: lastChange(mark.run), of: match.user.id)
      }
      try insert(record.watches, of: match.user.id)
      try insert(record.channels, of: match.user.id)
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
      try setOwner(records[place].name, createdAt: records[place].createdAt)
    }
    for (index, record) in records.enumerated() {
      let id = try known[index] ?? insert(record)
      places[record.name] = index
      matches.append(
        ImportedUser(
          name: record.name, role: record.role,
          user: try UserTable.fetch(id, in: transaction), isNew: known[index] == nil))
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
        "The document has the data of \(Units.count(records.count, "user")), which cannot be "
          + "imported for one.",
        hint: "Nothing was changed. Import it as the owner: each user gets their own data.")
    }
    let place = records.firstIndex(where: \.isOwner)
    if isNewStore, let place { return [place: User.ownerID] }
    var found: [Int: User.ID] = [:]
    for (index, record) in records.enumerated() {
      found[index] = try UserTable.find(named: record.name, in: transaction)?.id
    }
    if let place, found[place] == nil, !found.values.contains(User.ownerID) {
      let owner = try UserTable.fetch(User.ownerID, in: transaction)
      let names = [owner.name, records[place].name].map(User.folded)
      if names.contains(User.unnamedOwner) { found[place] = owner.id }
    }
    return found
  }

  private func insert(_ record: ExportedUser) throws -> User.ID {
    try UserTable.lock(in: transaction)
    return try UserTable.insert(
      record.name, trustsRoles ? record.role : min(record.role, .member),
      at: record.createdAt.map { Date(storedSeconds: $0) } ?? Date(), in: transaction)
  }

  /// Sets the name of the owner, and the time when they were added unless it is nil.
  private func setOwner(_ name: String, createdAt: Int64?) throws {
    try UserTable.lock(in: transaction)
    try UserTable.update(User.ownerID, name: name, role: .admin, in: transaction)
    guard let createdAt else { return }
    try transaction.run(
      "UPDATE account SET created_at = $2 WHERE user_key = $1",
      [.number(User.ownerID), .number(createdAt)])
  }

  // Favorites.

  private mutating func writeFavorites() throws {
    try match()
    if favorites.isEmpty { return }
    defer { favorites.removeAll(keepingCapacity: true) }
    let found = favorites.map { $0.user.flatMap { places[$0] } }
    let added = try insert(
      zip(favorites, found).map { favorite, place in
        (favorite, place.map { matches[$0].user.id } ?? importer)
      })
    for (place, isNew) in zip(found, added) {
      if isNew { newFavorites += 1 } else { sameFavorites += 1 }
      guard let place else { continue }
      if isNew { matches[place].newFavorites += 1 } else { matches[place].sameFavorites += 1 }
    }
  }

  /// Adds favorites to those of their users, shared as in the document. If one is there, the earlier of
  /// two times stays, and so does its sharing.
  ///
  /// - Returns: whether each was added.
  private func insert(_ favorites: [(favorite: ExportedFavorite, user: User.ID)]) throws -> [Bool] {
    let new = transaction.dialect.table(
      [
        "user_key": .numbers(favorites.map(\.user)),
        "feed": .texts(favorites.map(\.favorite.ref.feed)),
        "id": .texts(favorites.map(\.favorite.ref.offerID)),
        "created_at": .numbers(favorites.map(\.favorite.starredAt)),
        "shared_at": .numbers(favorites.map(\.favorite.sharedAt)),
      ], as: "new")
    // Without the condition, SQLite takes ON for that of a join.
    var added = Set(
      try transaction.rows(
        """
        INSERT INTO favorite (user_key, feed, id, created_at, shared_at)
        SELECT new.user_key, new.feed, new.id, new.created_at, new.shared_at FROM \(new.sql)
        WHERE true
        ON CONFLICT (user_key, feed, id) DO NOTHING RETURNING user_key, feed, id
        """, new.values
      ) {
        FavoriteKey(user: $0.number(0), ref: OfferRef(feed: $0.text(1), offerID: $0.text(2)))
      })
    try transaction.run(
      """
      UPDATE favorite SET created_at = new.created_at FROM \(new.sql)
      WHERE favorite.user_key = new.user_key AND favorite.feed = new.feed AND favorite.id = new.id
        AND favorite.created_at > new.created_at
      """, new.values)
    return favorites.map { added.remove(FavoriteKey(user: $0.user, ref: $0.favorite.ref)) != nil }
  }

  /// A favorite of a user.
  private struct FavoriteKey: Hashable {
    let user: User.ID
    let ref: OfferRef
  }

  // Searches and read marks.

  /// Stores the searches of a user who has none.
  private func put(_ searches: [ExportedUser.Search], of user: User.ID) throws {
    if searches.isEmpty { return }
    try UserTable.check(user, isExclusive: true, in: transaction)
    guard try RecentSearchTable.list(of: user, in: transaction).isEmpty else { return }
    // The latest one comes first in the document.
    for search in searches.prefix(RecentSearch.limit).reversed() {
      try RecentSearchTable.put(
        search.words, feed: search.feed, of: user, at: Date(storedSeconds: search.searchedAt),
        in: transaction)
    }
  }

  /// Inserts the mark of a reader who has none here. Another one stays.
  private func insert(_ mark: ExportedUser.Mark, changeID: Int64, of user: User.ID) throws {
    try transaction.run(
      """
      INSERT INTO reader (user_key, name, change_id, read_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_key, name) DO NOTHING
      """, [.number(user), .text(mark.reader), .number(changeID), .number(mark.readAt)])
  }

  // Watches and channels.

  private mutating func insert(
    _ watches: [ExportedUser.SavedWatch], of user: User.ID
  ) throws {
    if watches.isEmpty { return }
    try UserTable.check(user, isExclusive: true, in: transaction)
    for watch in watches {
      guard let id = try WatchTable.insert(watch, of: user, in: transaction) else { continue }
      newWatches += 1
      if watch.pausedAt == nil { self.watches.append((id, user)) }
    }
  }

  /// Lets the watches that were added begin: the offers for which their rules hold now count as told.
  func beginWatches() throws {
    guard let reader, !watches.isEmpty else { return }
    var round = try WatchRound(at: Date(), reader, in: transaction)
    for (id, user) in watches {
      try round.begin(try WatchTable.fetch(id, of: user, reader, in: transaction), of: user)
    }
  }

  private mutating func insert(_ channels: [ExportedUser.Channel], of user: User.ID) throws {
    var known = Set(
      try ChannelTable.list(of: user, in: transaction).map { User.folded($0.name) })
    for channel in channels where !known.contains(User.folded(channel.name)) {
      guard acceptsChannels, ChannelTable.isPortable(channel.settings),
        User.isPlain(channel.name, maximum: 64), known.count < ChannelTable.limit
      else {
        leftOutChannels.append(channel.name)
        continue
      }
      known.insert(User.folded(channel.name))
      try ChannelTable.insert(
        channel.name, settings: channel.settings,
        quietHours: channel.quietHours.flatMap { try? QuietHours(parsing: $0) }, of: user,
        at: Date(), in: transaction)
      newChannels += 1
    }
  }
}
