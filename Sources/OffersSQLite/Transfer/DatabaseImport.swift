import Foundation
import GRDB
import OffersCore
import OffersStore

/// The statements of an import into the database.
final class DatabaseImport: ImportStore {
  private let database: Database
  private let history: ImportedHistory
  private let feeds: ImportedFeedWriter
  private let offers: ImportedOfferWriter

  init(_ database: Database) throws {
    self.database = database
    history = try ImportedHistory(database)
    feeds = ImportedFeedWriter(database)
    offers = try ImportedOfferWriter(database)
  }

  func findFeed(_ name: String) throws -> StoredFeed? {
    guard let key = try FeedTable.findKey(name, in: database) else { return nil }
    return StoredFeed(
      key: key,
      lastSuccess: try SyncRunTable.findLastGood(feedKey: key, in: database).map {
        ImportedSight(at: $0.at, source: $0.source)
      },
      hasOffers: try FeedTable.hasOffers(feedKey: key, in: database),
      source: try FeedTable.findSource(feedKey: key, in: database)?.text)
  }

  func insert(_ feed: ExportedFeed) throws -> Int64 { try feeds.insert(feed) }

  func replace(_ feed: ExportedFeed, key: Int64) throws { try feeds.replace(feed, feedKey: key) }

  func merge(_ feed: ExportedFeed, isNewer: Bool, key: Int64) throws {
    try feeds.merge(feed, isNewer: isNewer, feedKey: key)
  }

  func setSource(_ source: NamedSource, feedKey: Int64) throws {
    try feeds.setSource(source, feedKey: feedKey)
  }

  func forgetDocument(feedKey: Int64) throws { try feeds.forgetDocument(feedKey: feedKey) }

  // Offers.

  var lastOfferKey: Int64 { offers.lastKey }

  func findOffers(_ wanted: [ImportedRef]) throws -> [StoredOffer?] {
    try wanted.map { wanted in
      try offers.find(wanted.ref, feedKey: wanted.feedKey).map {
        StoredOffer(key: $0.key, offer: $0.offer)
      }
    }
  }

  func insert(_ offers: [(offer: ExportedOffer, feedKey: Int64)]) throws {
    for (offer, feedKey) in offers { try self.offers.insert(offer, feedKey: feedKey) }
  }

  func update(_ offers: [(key: Int64, offer: ExportedOffer, isOther: Bool)]) throws {
    for (key, offer, isOther) in offers {
      try self.offers.update(key, to: offer, isOther: isOther)
    }
  }

  // The history.

  func fetchRunMarks() throws -> [RunMark: Int64] { try history.fetchMarks() }

  func add(_ run: ExportedRun, number: Int, known: Int64?, feedKey: Int64) throws {
    try history.add(run, number: number, known: known, feedKey: feedKey)
  }

  func note(seenEarlier offers: [(key: Int64, firstSeenHereAt: Int64)]) throws {
    for (key, seconds) in offers { try history.note(offerKey: key, firstSeenHereAt: seconds) }
  }

  func findChanged(_ wanted: [ImportedRef]) throws -> [ChangedOffer?] {
    try wanted.map { wanted in
      try offers.findKey(wanted.ref, feedKey: wanted.feedKey).map {
        ChangedOffer(key: $0, firstSeenHereAt: try history.findFirstSightHere($0))
      }
    }
  }

  func add(_ changes: [(change: ExportedChange, offerKey: Int64)]) throws {
    for (change, key) in changes { try history.add(change, offerKey: key) }
  }

  func mergeHistory(renumbers: Bool) throws { try history.merge(renumbers: renumbers) }

  func findLastChange(through run: Int) throws -> Int64 {
    try history.findLastChange(through: run)
  }

  // Users.

  func isNew() throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT NOT EXISTS (SELECT 1 FROM sync_run) AND NOT EXISTS (SELECT 1 FROM favorite)
          AND NOT EXISTS (SELECT 1 FROM user WHERE user_key <> ? OR folded_name <> ?)
        """, arguments: [User.ownerID, User.unnamedOwner]) ?? false
  }

  func findUser(named name: String) throws -> User? {
    try UserTable.find(named: name, in: SQLiteTransaction(database))
  }

  func fetchUser(_ id: User.ID) throws -> User {
    try UserTable.fetch(id, in: SQLiteTransaction(database))
  }

  func insertUser(_ name: String, _ role: User.Role, at seconds: Int64) throws -> User.ID {
    try UserTable.insert(
      name, role, at: Date(storedSeconds: seconds), in: SQLiteTransaction(database))
  }

  func setOwner(_ name: String, createdAt: Int64?) throws {
    try UserTable.update(
      User.ownerID, name: name, role: .admin, in: SQLiteTransaction(database))
    guard let createdAt else { return }
    try database.execute(
      sql: "UPDATE user SET created_at = ? WHERE user_key = ?",
      arguments: [createdAt, User.ownerID])
  }

  func insert(_ favorites: [(favorite: ExportedFavorite, user: User.ID)]) throws -> [Bool] {
    try favorites.map { favorite, user in
      let isNew = try FavoriteTable.insert(
        favorite.ref, of: user, at: favorite.starredAt, sharedAt: favorite.sharedAt,
        in: database)
      if !isNew {
        try FavoriteTable.setEarlier(
          favorite.starredAt, of: favorite.ref, user: user, in: database)
      }
      return isNew
    }
  }

  func fetchSearches(of user: User.ID) throws -> [ExportedUser.Search] {
    try RecentSearchTable.list(of: user, in: SQLiteTransaction(database)).map {
      ExportedUser.Search($0)
    }
  }

  func put(_ search: ExportedUser.Search, of user: User.ID) throws {
    try RecentSearchTable.put(
      search.words, feed: search.feed, of: user, at: Date(storedSeconds: search.searchedAt),
      in: SQLiteTransaction(database))
  }

  func insert(_ mark: ExportedUser.Mark, changeID: Int64, of user: User.ID) throws {
    try database.execute(
      sql: """
        INSERT INTO reader (user_key, name, change_id, read_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (user_key, name) DO NOTHING
        """, arguments: [user, mark.reader, changeID, mark.readAt])
  }

  func finish(newOffers: Int, updatedOffers: Int) throws {
    try history.finish()
    try FeedMiscount.correct(in: database)
    if newOffers + updatedOffers > 0 { try offers.finishIndex(hasNew: newOffers > 0) }
  }
}
