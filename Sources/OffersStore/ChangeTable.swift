import Foundation
import GRDB
import OffersCore

/// A change as it is selected. Small, because there may be as many as offers.
struct ChangeRow: Sendable {
  /// What the row says, as it is stored, or that an offer expires.
  enum Kind: String, Sendable {
    case new, changed, gone, back, expiring
  }

  /// The recorded change's number; 0 for what is none.
  let id: Int64
  let offerKey: Int64
  /// Unix seconds.
  let at: Int64
  let kind: Kind
}

/// The SQL that reads what changed.
enum ChangeTable {
  /// Which rows to read, its bounds already numbers.
  struct Range {
    /// Only rows behind this one, up to that one.
    var after: Int64
    var through: Int64
    /// Only what happened at this time or later, in Unix seconds.
    var since: Int64
    var feedKey: Int64?
    /// Nil for all.
    var kinds: Set<OfferChange.Kind>?

    /// The kinds as they are stored.
    var storedKinds: [ChangeRow.Kind] {
      let all: [ChangeRow.Kind] = [.new, .changed, .gone, .back]
      guard let kinds else { return all }
      return all.filter { stored in
        stored == .changed
          ? !kinds.isDisjoint(with: [.up, .down, .changed])
          : OfferChange.Kind(rawValue: stored.rawValue).map(kinds.contains) == true
      }
    }

    /// Whether a row's reward has to be looked at to know if its kind is wanted.
    var needsFields: Bool {
      guard let kinds else { return false }
      let wanted = kinds.intersection([.up, .down, .changed]).count
      return wanted == 1 || wanted == 2
    }
  }

  /// The rows with how many offers each tells of. Only one that says that offers are new tells of
  /// several: of those with the keys up to its own, by the numbers up to its own.
  static let counted = """
    change LEFT JOIN new_offers ON new_offers.change_id = change.change_id AND \(isPossible)
    """
  /// A count that cannot be true, in a damaged database, is none.
  private static let isPossible = "new_offers.offer_count BETWEEN 2 AND new_offers.change_id"
  static let offerCount = "coalesce(new_offers.offer_count, 1)"
  /// Of such a row: whether it may tell of a favorite. Of one that tells of several offers only
  /// `FavoriteTable.sortedKeys` says so.
  static let mayTellOfFavorite = """
    (change.offer_key IN (\(FavoriteTable.offerKeys)) OR new_offers.change_id IS NOT NULL)
    """
  /// Of such a row and an offer: whether the one tells of the other, and by which number.
  static let ofOffer = """
    offer.offer_key > change.offer_key - \(offerCount) AND offer.offer_key <= change.offer_key
    """
  static let offerID = "change.change_id - change.offer_key + offer.offer_key"

  /// Writes down that offers are new.
  ///
  /// - Parameters:
  ///   - id: the last one's number.
  ///   - offerKey: the last one's key.
  static func insertNew(
    id: Int64, offerKey: Int64, run: Int64, count: Int64, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: "INSERT INTO change (change_id, offer_key, run_id, kind) VALUES (?, ?, ?, 'new')"
    ).execute(arguments: [id, offerKey, run])
    if count > 1 { try setCount(count, of: id, in: database) }
  }

  /// Removes some changes. Where one row tells of several new offers, that of the others stays.
  static func delete(_ ids: some Sequence<Int64>, in database: Database) throws {
    let find = try database.cachedStatement(
      sql: """
        SELECT change.change_id, offer_key, run_id, \(offerCount) FROM \(counted)
        WHERE change.change_id >= ? ORDER BY change.change_id LIMIT 1
        """)
    let delete = try database.cachedStatement(sql: "DELETE FROM change WHERE change_id = ?")
    for id in ids {
      guard let row = try Row.fetchOne(find, arguments: [id]) else { continue }
      let (last, offerKey, run, count): (Int64, Int64, Int64, Int64) = (
        row[0], row[1], row[2], row[3]
      )
      let countBehind = last - id
      let countBefore = count - countBehind - 1
      if countBefore < 0 { continue }
      if count > 1 { try setCount(countBehind, of: last, in: database) }
      if countBehind == 0 { try delete.execute(arguments: [id]) }
      if countBefore > 0 {
        try insertNew(
          id: id - 1, offerKey: offerKey - countBehind - 1, run: run, count: countBefore,
          in: database)
      }
    }
  }

  /// Says of how many offers a row tells.
  private static func setCount(_ count: Int64, of id: Int64, in database: Database) throws {
    if count > 1 {
      try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO new_offers (change_id, offer_count) VALUES (?, ?)"
      ).execute(arguments: [id, count])
    } else {
      try database.cachedStatement(sql: "DELETE FROM new_offers WHERE change_id = ?")
        .execute(arguments: [id])
    }
  }

  /// The runs that saw favorites change.
  ///
  /// - Parameter id: up to which change.
  static func runsOfFavorites(through id: Int64, in database: Database) throws -> Set<Int64> {
    let favorites = try FavoriteTable.sortedKeys(in: database)
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT run_id, offer_key, \(offerCount) FROM \(counted)
        WHERE change.change_id <= ? AND \(mayTellOfFavorite)
        """, arguments: [id])
    var runs: Set<Int64> = []
    while let row = try rows.next() {
      if !favorites.find(upTo: row[1], count: row[2]).isEmpty { runs.insert(row[0]) }
    }
    return runs
  }

  /// How many changes there are.
  static func count(in database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT (SELECT count(*) FROM change)
          + (SELECT coalesce(sum(offer_count - 1), 0) FROM new_offers
            WHERE \(isPossible))
        """) ?? 0
  }

  private static func columns(_ range: Range, offerCount: String) -> String {
    """
    change.change_id, change.offer_key, \(offerCount), change.kind, run.started_at,
    \(range.needsFields ? "change.fields" : "NULL")
    """
  }

  /// The newest rows of a range, newest first.
  ///
  /// - Parameter limit: how many at most; nil for all.
  static func newest(
    _ range: Range, limit: Int?, in database: Database
  ) throws -> [ChangeRow] {
    try rows(inOrder(range, "DESC"), range, newestFirst: true, limit: limit, in: database)
  }

  /// The oldest rows of a range, oldest first.
  static func oldest(_ range: Range, limit: Int, in database: Database) throws -> [ChangeRow] {
    try rows(inOrder(range, "ASC"), range, limit: limit, in: database)
  }

  /// The order of the joins is given because it is known to be the best: the rows, then each one's
  /// run.
  private static func inOrder(_ range: Range, _ order: String) -> String {
    """
    SELECT \(columns(range, offerCount: offerCount))
    FROM \(counted) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
    WHERE change.change_id > ? AND change.change_id <= ? AND run.started_at >= ?
    \(condition(range, "run.feed_key")) ORDER BY change.change_id \(order)
    """
  }

  /// The rows of a range that tell of favorites, those that say that one is new aside: from each
  /// favorite to its rows.
  static func ofFavorites(_ range: Range, in database: Database) throws -> [ChangeRow] {
    let sql = """
      SELECT \(columns(range, offerCount: "1"))
      FROM favorite
      CROSS JOIN feed ON feed.name = favorite.feed
      CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
      CROSS JOIN change ON change.offer_key = offer.offer_key AND change.kind <> 'new'
      CROSS JOIN sync_run AS run ON run.run_id = change.run_id
      WHERE change.change_id > ? AND change.change_id <= ? AND run.started_at >= ?
      \(condition(range, "feed.feed_key"))
      """
    return try rows(sql, range, in: database)
  }

  private static func condition(_ range: Range, _ feed: String) -> String {
    var text = range.feedKey == nil ? "" : "AND \(feed) = ? "
    let kinds = range.storedKinds
    if kinds.count < 4 {
      text += "AND change.kind IN (\(kinds.map { _ in "?" }.joined(separator: ", ")))"
    }
    return text
  }

  /// - Parameter newestFirst: whether `sql` gives the rows with the largest numbers first.
  private static func rows(
    _ sql: String, _ range: Range, newestFirst: Bool = false, limit: Int? = nil,
    in database: Database
  ) throws -> [ChangeRow] {
    var arguments: StatementArguments = [range.after, range.through, range.since]
    if let key = range.feedKey { arguments += [key] }
    let kinds = range.storedKinds
    if kinds.isEmpty { return [] }
    if kinds.count < 4 { arguments += StatementArguments(kinds.map(\.rawValue)) }
    var rows: [ChangeRow] = []
    let cursor = try Row.fetchCursor(database, sql: sql, arguments: arguments)
    while rows.count < limit ?? .max, let row = try cursor.next() {
      guard let kind = ChangeRow.Kind(rawValue: row[3]) else { continue }
      if let fields = row[5] as String?, let kinds = range.kinds,
        !kinds.contains(ChangedFields(parsing: fields).direction ?? .changed)
      {
        continue
      }
      let (id, offerKey, offerCount): (Int64, Int64, Int64) = (row[0], row[1], row[2])
      // A range may begin amid the offers that one row tells of.
      let count = max(0, min(offerCount, id - range.after))
      for place in 0..<min(count, Int64((limit ?? .max) - rows.count)) {
        let distance = newestFirst ? place : count - 1 - place
        rows.append(
          ChangeRow(id: id - distance, offerKey: offerKey - distance, at: row[4], kind: kind))
      }
    }
    return rows
  }

  /// The rows that say that a favorite is new, which no index has.
  static func newFavorites(
    _ range: Range, _ search: ChangeSearch, in database: Database
  ) throws -> [ChangeRow] {
    let candidates = try Row.fetchAll(
      database,
      sql: """
        SELECT offer.offer_key, offer.feed_key, offer.first_seen_at
        FROM favorite
        CROSS JOIN feed ON feed.name = favorite.feed
        CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        WHERE offer.first_seen_at >= ?
        """, arguments: [range.since]
    ).filter { range.feedKey == nil || range.feedKey == $0["feed_key"] }
    if candidates.isEmpty || range.after >= range.through { return [] }
    let run = try Int64.fetchOne(
      database,
      sql: "SELECT run_id FROM change WHERE change_id > ? ORDER BY change_id LIMIT 1",
      arguments: [range.after])
    var news = try NewChangeSearch(search, fromRun: run ?? 0, in: database)
    return try candidates.compactMap { row in
      let seconds: Int64 = row["first_seen_at"]
      guard
        let id = try news.find(
          offerKey: row["offer_key"], feedKey: row["feed_key"], firstSeenAt: seconds),
        id > range.after, id <= range.through
      else { return nil }
      return ChangeRow(id: id, offerKey: row["offer_key"], at: seconds, kind: .new)
    }
  }

  /// The new offers of a range that have the name and the description of a favorite that is gone
  /// from their feed; `LostFavorites` decides which are taken for it.
  static func newWithFavorite(_ range: Range, in database: Database) throws -> [ChangeRow] {
    let sql = """
      WITH lost AS MATERIALIZED (
        SELECT offer.feed_key, offer.name, offer.description
        FROM favorite
        CROSS JOIN feed ON feed.name = favorite.feed
        CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        WHERE offer.gone_at IS NOT NULL)
      SELECT \(offerID), offer.offer_key, 1, change.kind, run.started_at, NULL
      FROM \(counted) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
      CROSS JOIN offer ON \(ofOffer)
      WHERE change.change_id > ? AND change.change_id <= ? AND run.started_at >= ?
        AND change.kind = 'new' AND EXISTS (SELECT 1 FROM lost)
        AND EXISTS (
          SELECT 1 FROM lost WHERE lost.feed_key = offer.feed_key AND lost.name = offer.name
            AND lost.description IS offer.description)
      """
    return try rows(sql, range.withoutFilters, in: database)
  }

  /// The current offers that end within 48 hours.
  static func expiring(
    favoritesOnly: Bool, feedKey: Int64?, since: Int64, now: Int64, in database: Database
  ) throws -> [ChangeRow] {
    let span = Int64(OfferChange.expiringSeconds)
    let source =
      favoritesOnly
      ? """
      favorite
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

  /// What changed about one offer, that it was new aside, oldest first.
  static func history(
    offerKey: Int64, in database: Database
  ) throws -> [(at: Int64, kind: ChangeRow.Kind, fields: String?)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT run.started_at, change.kind, change.fields
        FROM change CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE change.offer_key = ? AND change.kind <> 'new' ORDER BY change.change_id
        """, arguments: [offerKey]
    ).compactMap { row in
      ChangeRow.Kind(rawValue: row["kind"]).map { (row["started_at"], $0, row["fields"]) }
    }
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
        SELECT change_id, fields FROM change
        WHERE offer_key = ? AND kind <> 'new'
          AND instr(fields, '"\(OfferField.reward.name)"') > 0
        ORDER BY change_id
        """)
    return try Row.fetchAll(statement, arguments: [offerKey]).compactMap { row in
      ChangedFields(parsing: row[1]).rewards.map { RewardChange(id: row[0], old: $0.old) }
    }
  }

  static func findFields(of id: Int64, in database: Database) throws -> String? {
    let statement = try database.cachedStatement(
      sql: "SELECT fields FROM change WHERE change_id = ?")
    return try String.fetchOne(statement, arguments: [id])
  }
}

extension ChangeTable.Range {
  /// The same rows whatever their feed and kind.
  fileprivate var withoutFilters: Self {
    Self(after: after, through: through, since: since)
  }
}
