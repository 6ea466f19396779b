import Foundation
import GRDB
import OffersCore
import OffersStore

/// The changes that a query selects, as small rows whose offers are read later.
struct SelectedChanges: Sendable {
  /// The selected changes, oldest first; on a page, the expiring offers come last.
  let rows: [ChangeRow]
  /// The number of the newest recorded change at the time of the query. For a page with recorded
  /// changes after it, the number of the page's last change.
  let lastID: Int64
  /// Whether recorded changes or expiring offers follow this page.
  var hasMore = false
  /// The position among expiring offers after which the next page continues.
  private(set) var lastExpiring: ExpiringPosition?
  private var textBytes: Int?
  /// The user whose favorites are selected and marked.
  private let user: User.ID

  var count: Int { rows.count }

  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  init(
    _ query: ChangeQuery, of user: User.ID, _ definitions: (any FeedDefinitions)? = nil,
    in database: Database
  ) throws {
    self.user = user
    lastID = try ChangeTable.fetchLastID(in: database)
    let range = try Self.range(query, of: user, through: lastID, definitions, in: database)
    var rows: [ChangeRow] = []
    if let some = try Self.ofSomeOffers(query, range, in: database) {
      rows = some.sorted { $0.id < $1.id }.suffix(query.limit ?? .max)
    } else {
      rows = try ChangeTable.newest(range, limit: query.limit, in: database)
    }
    rows += try Self.expiring(query, range, in: database)
    self.rows = Self.sorted(rows).suffix(query.limit ?? .max)
    textBytes = query.textBytes
  }

  /// One page of a query's changes: first the recorded ones, oldest first, then the expiring
  /// offers.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown feed, `invalidRequest` if `afterID` is
  ///   larger than the newest change.
  init(
    firstOf query: ChangeQuery, of user: User.ID, _ definitions: (any FeedDefinitions)? = nil,
    in database: Database
  ) throws {
    self.user = user
    let newestID = try ChangeTable.fetchLastID(in: database)
    if let id = query.afterID, id > newestID {
      throw OffersError(
        .invalidRequest, "This database has no change with that number.",
        hint: "It may be another database or an older copy. Start again with a time.")
    }
    let range = try Self.range(query, of: user, through: newestID, definitions, in: database)
    let limit = query.limit ?? .max - 1
    var rows: [ChangeRow]
    if let some = try Self.ofSomeOffers(query, range, in: database) {
      rows = some.sorted { $0.id < $1.id }
    } else {
      rows = try ChangeTable.oldest(range, limit: limit + 1, in: database)
    }
    hasMore = rows.count > limit
    rows = Array(rows.prefix(limit))
    lastID = hasMore ? rows.last?.id ?? newestID : newestID
    if hasMore { lastExpiring = query.afterExpiring }
    if !hasMore {
      let expiring = Self.sorted(try Self.expiring(query, range, in: database))
      let room = limit - rows.count
      rows += expiring.prefix(room)
      if expiring.count > room {
        hasMore = true
        // The next page continues after the last expiring offer of this page. If this page has
        // none, it starts where this page would have started.
        lastExpiring =
          expiring.prefix(room).last.map { ExpiringPosition($0) }
          ?? query.afterExpiring ?? ExpiringPosition(at: .distantPast, offerKey: 0)
      }
    }
    self.rows = rows
    textBytes = query.textBytes
  }

  private static func range(
    _ query: ChangeQuery, of user: User.ID, through lastID: Int64,
    _ definitions: (any FeedDefinitions)?, in database: Database
  ) throws -> ChangeTable.Range {
    let feedKey = try query.feed.map {
      try FeedTable.fetchReadKey($0, definitions, in: SQLiteTransaction(database))
    }
    let since = query.since?.nextSeconds
    return ChangeTable.Range(
      after: try query.afterID ?? start(since, lastID: lastID, in: database),
      through: lastID, since: query.afterID == nil ? since ?? .min : .min,
      user: user, feedKey: feedKey, kinds: query.kinds)
  }

  /// The recorded changes of a query for favorites, or for some offers; nil for one for all offers.
  private static func ofSomeOffers(
    _ query: ChangeQuery, _ range: ChangeTable.Range, in database: Database
  ) throws -> [ChangeRow]? {
    guard query.favoritesOnly || query.offers != nil else { return nil }
    let favorites =
      query.favoritesOnly ? try FavoriteQuery.sortedKeys(of: range.user, in: database) : nil
    let named = try keys(of: query, in: database)?.filter { favorites?.contains($0) ?? true }
    let rows =
      if let named { try ChangeTable.ofOffers(named, range, in: database) } else {
        try ChangeTable.ofFavorites(range, in: database)
      }
    guard range.kinds?.contains(.new) ?? true else { return rows }
    let keys = named.map { SortedKeys($0) } ?? favorites ?? SortedKeys()
    return rows + (try ChangeTable.new(among: keys, range, in: database))
  }

  /// The keys of the offers that a query names; nil for a query that names none.
  private static func keys(of query: ChangeQuery, in database: Database) throws -> [Int64]? {
    try query.offers?.compactMap { try OfferTable.findKey($0, in: SQLiteTransaction(database)) }
  }

  private static func expiring(
    _ query: ChangeQuery, _ range: ChangeTable.Range, in database: Database
  ) throws -> [ChangeRow] {
    guard query.kinds?.contains(.expiring) ?? true else { return [] }
    let named = try keys(of: query, in: database).map { SortedKeys($0) }
    let rows = try ChangeTable.expiring(
      favoritesOf: query.favoritesOnly ? range.user : nil, feedKey: range.feedKey,
      since: query.since?.nextSeconds ?? .min, now: query.now.storedSeconds,
      in: database
    ).filter { named?.contains($0.offerKey) ?? true }
    guard let position = query.afterExpiring else { return rows }
    let at = position.at.nextSeconds
    return rows.filter { ($0.at, $0.offerKey) > (at, position.offerKey) }
  }

  /// The candidates for a reader's news: changes of favorites after a mark, new offers that look
  /// like a gone favorite, and favorites that expire soon. `OffersDatabase.fetchNews` removes those
  /// that are no news.
  ///
  /// - Parameters:
  ///   - mark: nil for the changes of the last `News.firstReadSeconds`.
  ///   - now: the end of that period.
  ///   - user: the user whose news they are.
  ///   - database: the connection to read from.
  init(newsAfter mark: ReaderMark?, now: Date, of user: User.ID, in database: Database) throws {
    self.user = user
    lastID = try ChangeTable.fetchLastID(in: database)
    let seconds = now.storedSeconds
    let since = mark == nil ? seconds - Int64(News.firstReadSeconds) : .min
    let range = ChangeTable.Range(
      after: try mark?.changeID ?? Self.start(since, lastID: lastID, in: database),
      through: lastID, since: since, user: user)
    var rows = try ChangeTable.ofFavorites(range, in: database)
    rows += try ChangeTable.newWithFavorite(range, in: database)
    rows += try ChangeTable.expiring(
      favoritesOf: user, feedKey: nil, since: .min, now: seconds, in: database)
    self.rows = Self.sorted(rows)
  }

  private static func sorted(_ rows: [ChangeRow]) -> [ChangeRow] {
    rows.sorted { ($0.at, $0.id, $0.offerKey) < ($1.at, $1.id, $1.offerKey) }
  }

  /// A change number that is below those of all changes since a time. Some changes after it may be
  /// older than that time.
  ///
  /// - Parameter since: nil for all changes.
  private static func start(
    _ since: Int64?, lastID: Int64, in database: Database
  ) throws -> Int64 {
    guard let since else { return 0 }
    // Runs are recorded when they end, so a run with a larger number may have started earlier.
    let runs = try Row.fetchCursor(
      database,
      sql: """
        SELECT run_id, started_at FROM sync_run WHERE run_id < ? ORDER BY run_id DESC
        """, arguments: [Int64.max])
    var first: Int64?
    while let run = try runs.next() {
      let startedAt: Int64 = run["started_at"]
      // Check all runs, because the clock may have jumped.
      if startedAt >= since { first = run["run_id"] }
    }
    return try first.map { try ChangeTable.fetchLastID(beforeRun: $0, upTo: lastID, in: database) }
      ?? lastID
  }

  /// Reads the changes at a range of indices of `rows`, with their offers. Changes whose offers
  /// were removed after the selection are omitted.
  func read(_ range: Range<Int>, in database: Database) throws -> [OfferChange] {
    let slice = rows[range.clamped(to: rows.indices)]
    let lost = slice.contains { $0.kind == .new } ? try LostFavorites(of: user, in: database) : nil
    var rewards = PastRewards(database)
    return try slice.compactMap { row in
      if row.kind == .first {
        return try FirstSyncTable.find(row.id, in: database).map {
          OfferChange(
            changeID: row.id, firstSyncOf: $0.feed, offerCount: $0.count,
            at: Date(storedSeconds: row.at))
        }
      }
      guard
        let offer = try OfferTable.find(
          key: row.offerKey, of: user, in: SQLiteTransaction(database))
      else {
        return nil
      }
      var fields: ChangedFields?
      if row.kind == .changed {
        fields = try ChangeTable.findFields(of: row.id, in: database).map(
          ChangedFields.init(parsing:))
      }
      func fit(_ reward: Reward?) -> Reward? {
        guard let textBytes else { return reward }
        return reward?.abridged(toBytes: textBytes)
      }
      return OfferChange(
        changeID: row.id == 0 ? nil : row.id,
        kind: fields?.direction ?? OfferChange.Kind(rawValue: row.kind.rawValue) ?? .changed,
        at: Date(storedSeconds: row.at),
        offer: textBytes.map { offer.abridged(toBytes: $0) } ?? offer,
        oldReward: fit(fields?.rewards?.old), newReward: fit(fields?.rewards?.new),
        reward: fit(try rewards.find(offer, row)), fields: fields?.names ?? [],
        texts: fields?.texts ?? [],
        returned: row.kind == .new
          ? lost?.find(offer)
          : row.kind == .gone && offer.isFavorite
            ? try LostFavorites.successor(of: offer, user: user, in: database) : nil)
    }
  }

  func read(in database: Database) throws -> [OfferChange] {
    try read(0..<rows.count, in: database)
  }
}

extension ExpiringPosition {
  fileprivate init(_ row: ChangeRow) {
    self.init(at: Date(storedSeconds: row.at), offerKey: row.offerKey)
  }
}

/// Finds the reward that an offer had right after a change: the old reward of its next change of
/// reward, or its current reward if there is none.
private struct PastRewards {
  private let database: Database
  private var changes: [Int64: [ChangeTable.RewardChange]] = [:]

  init(_ database: Database) { self.database = database }

  mutating func find(_ offer: UserOffer, _ row: ChangeRow) throws -> Reward? {
    // An expiring offer is not a recorded change; its reward is the current one.
    if row.id == 0 { return offer.reward }
    var later = changes[row.offerKey]
    if later == nil {
      later = try ChangeTable.rewardChanges(of: row.offerKey, in: database)
      changes[row.offerKey] = later
    }
    guard let next = later?.first(where: { $0.id > row.id }) else { return offer.reward }
    return next.old
  }
}
