import Foundation
import GRDB
import OffersCore
import OffersStore

/// A selected change. Small, because there may be as many changes as offers.
struct ChangeRow: Sendable {
  /// The stored kind of a change, or `first` or `expiring`, which are not stored.
  enum Kind: String, Sendable {
    case first, new, changed, gone, back, expiring
  }

  /// The change number; 0 for an expiring offer, which is not a recorded change.
  let id: Int64
  /// The key of the offer; 0 for the first sync of a feed.
  let offerKey: Int64
  /// The start of the run that recorded the change, in Unix seconds; for an expiring offer, when
  /// its last 48 hours began.
  let at: Int64
  let kind: Kind
}

/// The SQL that reads changes.
enum ChangeTable {
  /// The changes to read, selected by numbers, by times in Unix seconds, and by the key of a feed.
  struct Range {
    /// Exclusive lower and inclusive upper bound of the change numbers.
    var after: Int64
    var through: Int64
    /// The earliest start of the run that recorded a change, in Unix seconds.
    var since: Int64
    /// The user whose favorites count.
    var user: User.ID
    var feedKey: Int64?
    /// The kinds to read; nil for all.
    var kinds: Set<OfferChange.Kind>?

    /// The stored kinds that can match: `up` and `down` are stored as `changed`.
    var storedKinds: [ChangeRow.Kind] {
      let all: [ChangeRow.Kind] = [.first, .new, .changed, .gone, .back]
      guard let kinds else { return all }
      return all.filter { stored in
        stored == .changed
          ? !kinds.isDisjoint(with: [.up, .down, .changed])
          : OfferChange.Kind(rawValue: stored.rawValue).map(kinds.contains) == true
      }
    }

    /// Whether the fields of a `changed` row must be read to decide if its kind matches.
    var needsFields: Bool {
      guard let kinds else { return false }
      let wanted = kinds.intersection([.up, .down, .changed]).count
      return wanted == 1 || wanted == 2
    }
  }

  /// The newest change number; 0 if there is none.
  static func fetchLastID(in database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT max(change_id) FROM change") ?? 0
  }

  /// The last change number before the changes of a run and of later runs; 0 if there is none.
  /// `lastID` is the newest change number.
  ///
  /// Writers are serialized, so change numbers are in the order of runs. The rows after the result
  /// are scanned.
  static func fetchLastID(
    beforeRun runID: Int64, upTo lastID: Int64, in database: Database
  ) throws -> Int64 {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT change_id FROM change WHERE change_id <= ? AND run_id < ?
        ORDER BY change_id DESC LIMIT 1
        """, arguments: [lastID, runID]) ?? 0
  }

  /// The keys of the runs that recorded a change of a favorite of a user, or of any user for nil, of
  /// the changes up to the number `id`.
  static func runsOfFavorites(
    of user: User.ID?, through id: Int64, in database: Database
  ) throws -> Set<Int64> {
    let favorites = try FavoriteQuery.sortedKeys(of: user, in: database)
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT run_id, offer_key, \(ChangeSpan.offerCountSQL) FROM \(ChangeSpan.rows)
        WHERE change.change_id <= ? AND \(mayTellOfFavorite(of: user))
        """, arguments: [id])
    var runs: Set<Int64> = []
    while let row = try rows.next() {
      if !favorites.find(upTo: row[1], count: row[2]).isEmpty { runs.insert(row[0]) }
    }
    return runs
  }

  /// An SQL condition that is true for every row of `change` that may concern a favorite. It is
  /// true for all rows of several offers (`ChangeSpan`); their offers must be compared with
  /// `FavoriteQuery.sortedKeys`.
  static func mayTellOfFavorite(of user: User.ID?) -> String {
    let keys = FavoriteQuery.offerKeys(of: user)
    return "(change.offer_key IN (\(keys)) OR new_offers.change_id IS NOT NULL)"
  }

  /// The number of changes. A row of several offers counts once for each of them.
  static func count(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: ChangeSpan.totalSQL) ?? 0
  }

  /// The newest changes of a range, newest first; at most `limit`, or all if it is nil.
  static func newest(
    _ range: Range, limit: Int?, in database: Database
  ) throws -> [ChangeRow] {
    try rows(inOrder(range, "DESC"), range, limit: limit, in: database)
  }

  /// The oldest changes of a range, oldest first.
  static func oldest(_ range: Range, limit: Int, in database: Database) throws -> [ChangeRow] {
    try rows(inOrder(range, "ASC"), range, limit: limit, in: database)
  }

  /// CROSS JOIN and LEFT JOIN fix the order of the joins: a row of `change`, its run, the offers that
  /// the row stands for; none for the entry of a first sync. So SQLite needs no sort, and reading can
  /// stop when a page is full.
  private static func inOrder(_ range: Range, _ order: String) -> String {
    """
    SELECT coalesce(\(ChangeSpan.offerID), change.change_id), coalesce(offer.offer_key, 0),
      \(kindInOrder), run.started_at, \(fields(range))
    FROM \(ChangeSpan.rows) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
    \(FirstSyncTable.join)
    LEFT JOIN \(ChangeSpan.offers(after: "?1")) AND first.run_id IS NULL
    WHERE change.change_id > ?1 AND change.change_id <= ?2 AND run.started_at >= ?3
      AND (offer.offer_key IS NOT NULL OR first.change_id = change.change_id)
    \(condition(range, "run.feed_key", kind: kindInOrder))
    ORDER BY change.change_id \(order), offer.offer_key \(order)
    """
  }

  /// The kind of a row of `change` that is joined with its first sync.
  private static let kindInOrder =
    "CASE WHEN first.run_id IS NULL THEN change.kind ELSE 'first' END"

  private static func fields(_ range: Range) -> String {
    range.needsFields ? ChangedFields.column : "NULL"
  }

  /// The changes of favorites in a range, except for `new`, looked up from each favorite.
  static func ofFavorites(_ range: Range, in database: Database) throws -> [ChangeRow] {
    let sql = """
      SELECT change.change_id, change.offer_key, change.kind, run.started_at, \(fields(range))
      FROM \(FavoriteQuery.rows(of: range.user))
      CROSS JOIN feed ON feed.name = favorite.feed
      CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
      CROSS JOIN change ON change.offer_key = offer.offer_key AND change.kind <> 'new'
      CROSS JOIN sync_run AS run ON run.run_id = change.run_id
      WHERE change.change_id > ?1 AND change.change_id <= ?2 AND run.started_at >= ?3
      \(condition(range, "feed.feed_key"))
      """
    return try rows(sql, range, in: database)
  }

  /// The changes of some offers in a range, except for `new`, looked up from each offer.
  static func ofOffers(_ keys: [Int64], _ range: Range, in database: Database) throws -> [ChangeRow]
  {
    let sql = """
      SELECT change.change_id, change.offer_key, change.kind, run.started_at, \(fields(range))
      FROM change CROSS JOIN sync_run AS run ON run.run_id = change.run_id
      WHERE change.offer_key IN (\(keys.map(String.init).joined(separator: ", ")))
        AND change.kind <> 'new'
        AND change.change_id > ?1 AND change.change_id <= ?2 AND run.started_at >= ?3
      \(condition(range, "run.feed_key"))
      """
    return try rows(sql, range, in: database)
  }

  private static func condition(
    _ range: Range, _ feed: String, kind: String = "change.kind"
  ) -> String {
    var text = range.feedKey == nil ? "" : "AND \(feed) = ? "
    let kinds = range.storedKinds
    if kinds.count < 5 {
      text += "AND \(kind) IN (\(kinds.map { _ in "?" }.joined(separator: ", ")))"
    }
    return text
  }

  private static func rows(
    _ sql: String, _ range: Range, limit: Int? = nil, in database: Database
  ) throws -> [ChangeRow] {
    var arguments: StatementArguments = [range.after, range.through, range.since]
    if let key = range.feedKey { arguments += [key] }
    let kinds = range.storedKinds
    if kinds.isEmpty { return [] }
    if kinds.count < 5 { arguments += StatementArguments(kinds.map(\.rawValue)) }
    var rows: [ChangeRow] = []
    let cursor = try Row.fetchCursor(database, sql: sql, arguments: arguments)
    while rows.count < limit ?? .max, let row = try cursor.next() {
      guard let kind = ChangeRow.Kind(rawValue: row[2]) else { continue }
      if let fields = row[4] as String?, let kinds = range.kinds,
        !kinds.contains(ChangedFields(parsing: fields).direction ?? .changed)
      {
        continue
      }
      rows.append(ChangeRow(id: row[0], offerKey: row[1], at: row[3], kind: kind))
    }
    return rows
  }

  /// The changes of kind `new` in a range of some offers, without first syncs. All rows of `change` in
  /// the range are scanned: the index by offer leaves out `new` rows, so that inserting new offers stays
  /// fast.
  static func new(
    among keys: SortedKeys, _ range: Range, in database: Database
  ) throws -> [ChangeRow] {
    if keys.isEmpty { return [] }
    let cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT change.change_id, change.offer_key, \(ChangeSpan.offerCountSQL), run.started_at
        FROM \(ChangeSpan.rows) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        \(FirstSyncTable.join)
        WHERE change.change_id > ?1 AND change.change_id <= ?2 AND run.started_at >= ?3
          AND change.kind = 'new' AND first.run_id IS NULL AND (?4 IS NULL OR run.feed_key = ?4)
        """, arguments: [range.after, range.through, range.since, range.feedKey])
    var rows: [ChangeRow] = []
    while let row = try cursor.next() {
      let span = ChangeSpan(lastID: row[0], lastKey: row[1], offerCount: row[2])
      for key in keys.find(upTo: span.lastKey, count: span.offerCount)
      where span.id(of: key) > range.after {
        rows.append(ChangeRow(id: span.id(of: key), offerKey: key, at: row[3], kind: .new))
      }
    }
    return rows
  }

  /// The changes of kind `new` in a range whose offers have the feed, name and description of a
  /// favorite that is gone now. The feed and the kinds of the range are ignored. `LostFavorites`
  /// decides which of the offers count as returned.
  static func newWithFavorite(_ range: Range, in database: Database) throws -> [ChangeRow] {
    let sql = """
      WITH lost AS MATERIALIZED (
        SELECT offer.feed_key, offer.name, offer.description
        FROM \(FavoriteQuery.rows(of: range.user))
        CROSS JOIN feed ON feed.name = favorite.feed
        CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        WHERE offer.gone_at IS NOT NULL)
      SELECT \(ChangeSpan.offerID), offer.offer_key, change.kind, run.started_at, NULL
      FROM \(ChangeSpan.rows) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
      CROSS JOIN \(ChangeSpan.offers(after: "?1"))
      WHERE change.change_id > ?1 AND change.change_id <= ?2 AND run.started_at >= ?3
        AND change.kind = 'new' AND EXISTS (SELECT 1 FROM lost)
        AND EXISTS (
          SELECT 1 FROM lost WHERE lost.feed_key = offer.feed_key AND lost.name = offer.name
            AND lost.description IS offer.description)
      """
    return try rows(sql, range.withoutFilters, in: database)
  }

  /// The current offers that expire within 48 hours.
  ///
  /// - Parameters:
  ///   - user: the user whose favorites count; nil for all offers.
  ///   - feedKey: the feed; nil for all.
  ///   - since: the earliest beginning of these 48 hours, in Unix seconds.
  ///   - now: the latest beginning of these 48 hours.
  ///   - database: the connection to read from.
  static func expiring(
    favoritesOf user: User.ID?, feedKey: Int64?, since: Int64, now: Int64, in database: Database
  ) throws -> [ChangeRow] {
    let span = Int64(OfferChange.expiringSeconds)
    let source =
      user != nil
      ? """
      \(FavoriteQuery.rows(of: user))
      CROSS JOIN feed ON feed.name = favorite.feed
      CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
      CROSS JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key
      """
      : """
      offer_detail AS detail
      CROSS JOIN offer ON offer.offer_key = detail.offer_key
      """
    let cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT offer.offer_key, offer.feed_key,
          max(offer.first_seen_at, detail.expires_at - ?1) AS at
        FROM \(source)
        WHERE detail.expires_at > ?2 AND detail.expires_at <= ?2 + ?1 AND offer.gone_at IS NULL
        """, arguments: [span, now])
    var rows: [ChangeRow] = []
    while let row = try cursor.next() {
      let at: Int64 = row["at"]
      guard at >= since, feedKey == nil || feedKey == row["feed_key"] else { continue }
      rows.append(ChangeRow(id: 0, offerKey: row["offer_key"], at: at, kind: .expiring))
    }
    return rows
  }

  /// The changes of one offer before the number `id`, except for `new`, newest first, as rows of
  /// number, time, kind and fields.
  static func history(
    offerKey: Int64, before id: Int64, in database: Database
  ) throws -> RowCursor {
    try Row.fetchCursor(
      database,
      sql: """
        SELECT change.change_id, run.started_at, change.kind, \(ChangedFields.columnWithTexts)
        FROM change CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE change.offer_key = ? AND change.change_id < ? AND change.kind <> 'new'
        ORDER BY change.change_id DESC
        """, arguments: [offerKey, id])
  }

  /// A change of an offer's reward.
  struct RewardChange {
    let id: Int64
    let old: Reward?
  }

  /// The changes of an offer's reward, oldest first.
  static func rewardChanges(of offerKey: Int64, in database: Database) throws -> [RewardChange] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT change_id, \(ChangedFields.column) FROM change
        WHERE offer_key = ? AND kind <> 'new'
          AND instr(fields, '"\(OfferField.reward.name)"') > 0
        ORDER BY change_id
        """)
    return try Row.fetchAll(statement, arguments: [offerKey]).compactMap { row in
      ChangedFields(parsing: row[1]).rewards.map { RewardChange(id: row[0], old: $0.old) }
    }
  }

  /// The first change of an offer's reward at or after a change number.
  static func findRewardChange(
    of offerKey: Int64, from id: Int64, in database: Database
  ) throws -> RewardChange? {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT change_id, \(ChangedFields.column) FROM change
        WHERE offer_key = ? AND change_id >= ? AND kind <> 'new'
          AND instr(fields, '"\(OfferField.reward.name)"') > 0
        ORDER BY change_id
        """, arguments: [offerKey, id])
    while let row = try rows.next() {
      if let rewards = ChangedFields(parsing: row[1]).rewards {
        return RewardChange(id: row[0], old: rewards.old)
      }
    }
    return nil
  }

  /// Whether a change records that the offer was gone. `kind <> 'new'` repeats the condition of the
  /// partial index on `offer_key`, without which SQLite does not use that index.
  static func hasGone(_ offerKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM change WHERE offer_key = ? AND kind <> 'new' AND kind = 'gone')
          """),
      arguments: [offerKey]) ?? false
  }

  static func findFields(of id: Int64, in database: Database) throws -> String? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(ChangedFields.columnWithTexts) FROM change WHERE change_id = ?")
    return try String.fetchOne(statement, arguments: [id])
  }
}

extension ChangeTable.Range {
  /// The range without its feed and kinds.
  fileprivate var withoutFilters: Self {
    Self(after: after, through: through, since: since, user: user)
  }
}
