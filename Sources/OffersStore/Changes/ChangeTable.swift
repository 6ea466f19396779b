import Foundation
import OffersCore

/// The SQL that reads changes.
package enum ChangeTable {
  /// The key of a selected change: a recorded one, or that an offer expires. Small, because there may be
  /// as many changes as offers.
  package struct Key: Hashable, Sendable {
    /// The id of the change; 0 for an expiring offer, which is not a recorded change.
    let id: Int64
    /// The offer of an expiring one; 0 for a recorded change.
    let offerKey: Int64
    /// The start of the run that recorded the change, in Unix seconds; for an expiring offer, when its
    /// last 48 hours began.
    let at: Int64
  }

  /// A selected change.
  struct Entry {
    let key: Key
    let kind: OfferChange.Kind
    let feed: String
    /// The number of the offers of a first sync.
    let offerCount: Int?
    /// The decoded fields of a changed offer.
    let fields: ChangedFields?
    /// The offer; nil for the first sync of a feed.
    let stored: OfferTable.Stored?
  }

  /// The id of the newest change; 0 if there is none.
  package static func fetchLastID(in transaction: any Transaction) throws -> Int64 {
    try transaction.first("SELECT last_change_id FROM commit_order") { $0.number(0) } ?? 0
  }

  /// The keys of the recorded changes of a query, in order: the newest or the oldest ones if there are
  /// more than `limit`.
  ///
  /// - Parameters:
  ///   - query: the query, whose limit is ignored.
  ///   - user: the user whose favorites count.
  ///   - isNewest: whether the newest ones are selected.
  ///   - limit: the maximum number of changes; nil for all.
  ///   - transaction: the transaction that reads them.
  static func recorded(
    _ query: ChangeQuery, of user: User.ID, isNewest: Bool, limit: Int?,
    in transaction: any Transaction
  ) throws -> [Key] {
    let kinds = query.kinds?.subtracting([.expiring])
    if kinds?.isEmpty == true { return [] }
    let dialect = transaction.dialect
    var bindings = Bindings()
    // An offer that was removed has no changes but those that are removed later.
    var conditions = ["(change.kind = 'first' OR offer.offer_key IS NOT NULL)"]
    if let id = query.afterID {
      conditions.append("change.change_id > \(bindings.add(.number(id)))")
    } else if let since = query.since?.nextSeconds {
      conditions.append("change.at >= \(bindings.add(.number(since)))")
      // The changes of some offers are found by an index, those of all by their ids.
      if !query.favoritesOnly, query.offers == nil {
        let start = try findStart(since: since, in: transaction)
        conditions.append("change.change_id > \(bindings.add(.number(start)))")
      }
    }
    if let feed = query.feed {
      let name = bindings.add(.text(feed))
      conditions.append("change.feed_key = (SELECT feed_key FROM feed WHERE name = \(name))")
    }
    if let kinds {
      let names = bindings.add(.texts(kinds.map(\.rawValue)))
      conditions.append(dialect.isElement("change.kind", of: names))
    }
    if query.favoritesOnly {
      let keys = FavoriteTable.offerKeys(of: bindings.add(.number(user)))
      conditions.append("change.kind <> 'first' AND change.offer_key IN (\(keys))")
    }
    if let offers = query.offers {
      let keys = bindings.add(.numbers(try OfferTable.findKeys(offers, in: transaction)))
      conditions.append("change.kind <> 'first'")
      conditions.append(dialect.isElement("change.offer_key", of: keys))
    }
    if query.leavesOutHidden,
      let isHidden = try HidingTable.isHidden(from: user, &bindings, in: transaction)
    {
      conditions.append("(change.kind = 'first' OR NOT (\(isHidden)))")
    }
    let keys = try transaction.rows(
      """
      SELECT change.change_id, change.at FROM change
      LEFT JOIN offer ON offer.offer_key = change.offer_key
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY change.change_id \(isNewest ? "DESC" : "ASC") \(bindings.addLimit(limit))
      """, bindings.values
    ) { Key(id: $0.number(0), offerKey: 0, at: $0.number(1)) }
    return isNewest ? keys.reversed() : keys
  }

  /// An id below those of all changes since a time, in Unix seconds. Some changes after
  /// it may be older.
  ///
  /// Runs are recorded when they end, so a run with a larger id may have started earlier, and the clock
  /// may have jumped: all runs are looked at. The changes after the result are read backwards; the sum
  /// keeps SQLite from its index on runs, whose entries it would sort.
  private static func findStart(
    since seconds: Int64, in transaction: any Transaction
  ) throws -> Int64 {
    let runs = try transaction.first(
      """
      SELECT min(run_id) FILTER (WHERE started_at >= $1), min(run_id) FROM sync_run
      """, [.number(seconds)]
    ) { (since: $0.findNumber(0), first: $0.findNumber(1)) }
    guard let runs, let run = runs.since else { return try fetchLastID(in: transaction) }
    // No change would be found, after all were read.
    if run == runs.first { return 0 }
    return try transaction.first(
      """
      SELECT change_id FROM change WHERE run_id + 0 < $1 ORDER BY change_id DESC LIMIT 1
      """, [.number(run)]
    ) { $0.number(0) } ?? 0
  }

  /// The keys of the `new` changes of a query whose offers have the name of a favorite that is gone now, in
  /// order. The feed and the kinds of the query are ignored. `LostFavorites` decides which of the offers
  /// count as returned.
  static func newWithName(
    of favorites: LostFavorites, _ query: ChangeQuery, in transaction: any Transaction
  ) throws -> [Key] {
    if favorites.isEmpty { return [] }
    var start = query.afterID ?? 0
    let since = query.afterID == nil ? query.since?.nextSeconds : nil
    if let since { start = try findStart(since: since, in: transaction) }
    return try transaction.rows(
      """
      SELECT change.change_id, change.at FROM change
      JOIN offer ON offer.offer_key = change.offer_key
      WHERE change.kind = 'new' AND change.change_id > $1 AND change.at >= $2
        AND \(transaction.dialect.isElement("offer.name", of: "$3"))
      ORDER BY change.change_id
      """, [.number(start), .number(since ?? .min), .texts(favorites.names)]
    ) { Key(id: $0.number(0), offerKey: 0, at: $0.number(1)) }
  }

  /// The keys of the current offers of a query that expire within 48 hours, in order.
  ///
  /// - Parameters:
  ///   - query: selects the offers.
  ///   - user: the user whose favorites are meant.
  ///   - isNewest: whether those that expire last are selected if there are more than `limit`, instead of
  ///     those that expire first.
  ///   - limit: the maximum number; nil for all.
  ///   - transaction: the transaction that reads them.
  static func expiring(
    _ query: ChangeQuery, of user: User.ID, isNewest: Bool = false, limit: Int?,
    in transaction: any Transaction
  ) throws -> [Key] {
    guard query.kinds?.contains(.expiring) ?? true else { return [] }
    let dialect = transaction.dialect
    let span = Int64(OfferChange.expiringSeconds)
    let at = "\(dialect.greatest)(offer.first_seen_at, offer.expires_at - \(span))"
    var bindings = Bindings()
    let now = query.now.storedSeconds
    let (first, last) = (bindings.add(.number(now)), bindings.add(.number(now + span)))
    var conditions = [
      "offer.expires_at > \(first) AND offer.expires_at <= \(last)", OfferColumns.isCurrent,
    ]
    if let feed = query.feed {
      // The sum keeps the engine from an index on feeds: the offers that expire soon are fewer.
      let name = bindings.add(.text(feed))
      conditions.append("offer.feed_key + 0 = (SELECT feed_key FROM feed WHERE name = \(name))")
    }
    if query.favoritesOnly {
      let keys = FavoriteTable.offerKeys(of: bindings.add(.number(user)))
      conditions.append("offer.offer_key IN (\(keys))")
    }
    if let offers = query.offers {
      let keys = bindings.add(.numbers(try OfferTable.findKeys(offers, in: transaction)))
      conditions.append(dialect.isElement("offer.offer_key", of: keys))
    }
    if query.leavesOutHidden,
      let isHidden = try HidingTable.isHidden(from: user, &bindings, in: transaction)
    {
      conditions.append("NOT (\(isHidden))")
    }
    if let since = query.since {
      conditions.append("\(at) >= \(bindings.add(.number(since.nextSeconds)))")
    }
    if let position = query.afterExpiring {
      let time = bindings.add(.date(position.at))
      let key = bindings.add(.number(position.offerKey))
      conditions.append("(\(at), offer.offer_key) > (\(time), \(key))")
    }
    let order = isNewest ? "DESC" : "ASC"
    let keys = try transaction.rows(
      """
      SELECT offer.offer_key, \(at) FROM \(OfferColumns.source)
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY \(at) \(order), offer.offer_key \(order) \(bindings.addLimit(limit))
      """, bindings.values
    ) { Key(id: 0, offerKey: $0.number(0), at: $0.number(1)) }
    return isNewest ? keys.reversed() : keys
  }

  /// The changes of some keys, in their order. Those whose offers were removed are left out.
  static func entries(
    at keys: [Key], of user: User.ID, in transaction: any Transaction
  ) throws -> [Entry] {
    let dialect = transaction.dialect
    let ids = keys.map(\.id).filter { $0 > 0 }
    var recorded: [Int64: Entry] = [:]
    if !ids.isEmpty {
      let rows = try transaction.rows(
        """
        SELECT \(OfferColumns.columns), change.change_id, change.at, change.kind,
          change.offer_count, \(ChangedFields.columnWithTexts(dialect)), offer.offer_key IS NOT NULL
        FROM change JOIN feed ON feed.feed_key = change.feed_key
        LEFT JOIN offer ON offer.offer_key = change.offer_key
        WHERE \(dialect.isElement("change.change_id", of: "$2"))
        """, [.number(user), .numbers(ids)], entry)
      for case let entry? in rows { recorded[entry.key.id] = entry }
    }
    let offerKeys = keys.filter { $0.id == 0 }.map(\.offerKey)
    var expiring: [Int64: OfferTable.Stored] = [:]
    if !offerKeys.isEmpty {
      for stored in try OfferTable.list(keys: offerKeys, of: user, in: transaction) {
        expiring[stored.key] = stored
      }
    }
    return keys.compactMap { key in
      if key.id > 0 { return recorded[key.id] }
      return expiring[key.offerKey].map {
        Entry(
          key: key, kind: .expiring, feed: $0.offer.ref.feed, offerCount: nil, fields: nil,
          stored: $0)
      }
    }
  }

  /// The change behind the columns of an offer in a row; nil if the offer was removed.
  private static func entry(_ row: any SQLRow) -> Entry? {
    let first = OfferColumns.count
    let kind = OfferChange.Kind(rawValue: row.text(first + 2)) ?? .changed
    guard kind == .first || row.flag(first + 5) else { return nil }
    return Entry(
      key: Key(id: row.number(first), offerKey: 0, at: row.number(first + 1)), kind: kind,
      feed: row.text(1), offerCount: row.findNumber(first + 3).map { _ in row.count(first + 3) },
      fields: row.findText(first + 4).map(ChangedFields.init(parsing:)),
      stored: kind == .first ? nil : OfferTable.stored(row))
  }
}

/// The SQL that reads the changes of single offers.
extension ChangeTable {
  /// A page of the history of an offer's reward and texts.
  static func historyPage(
    of stored: OfferTable.Stored, _ bounds: HistoryQuery, in transaction: any Transaction
  ) throws -> HistoryPage {
    var batch: ArraySlice<RewardHistory.Row> = []
    var last = bounds.before ?? .max
    var isAtEnd = false
    return try RewardHistory.page(of: stored.offer, bounds) {
      if batch.isEmpty, !isAtEnd {
        batch = try history(of: stored.key, before: last, in: transaction)[...]
        isAtEnd = batch.isEmpty
      }
      last = batch.first?.id ?? last
      return batch.popFirst()
    } findLater: {
      try findRewardChange(of: stored.key, from: $0, in: transaction)
        .map { ($0.old, $0.id) }
    }
  }

  /// Some of the changes of one offer before the change `id`, except for `new`, newest first; none at
  /// the end.
  static func history(
    of offerKey: Int64, before id: Int64, in transaction: any Transaction
  ) throws -> [RewardHistory.Row] {
    try transaction.rows(
      """
      SELECT change_id, at, kind, \(ChangedFields.columnWithTexts(transaction.dialect)) FROM change
      WHERE offer_key = $1 AND change_id < $2 AND kind NOT IN ('first', 'new')
      ORDER BY change_id DESC LIMIT 50
      """, [.number(offerKey), .number(id)]
    ) {
      RewardHistory.Row(
        id: $0.number(0), at: $0.date(1), kind: $0.text(2), fields: $0.findText(3))
    }
  }

  /// A change of an offer's reward.
  struct RewardChange {
    let id: Int64
    /// The reward before the change.
    let old: Reward?
  }

  /// The changes of the rewards of some offers, from a change on, by offer and in order.
  static func rewardChanges(
    of keys: Set<Int64>, from id: Int64, in transaction: any Transaction
  ) throws -> [Int64: [RewardChange]] {
    var changes: [Int64: [RewardChange]] = [:]
    try forEachRewardChange(of: keys.sorted(), from: id, in: transaction) { key, change in
      changes[key, default: []].append(change)
      return true
    }
    return changes
  }

  /// The first change of an offer's reward from a change on.
  static func findRewardChange(
    of offerKey: Int64, from id: Int64, in transaction: any Transaction
  ) throws -> RewardChange? {
    var found: RewardChange?
    try forEachRewardChange(of: [offerKey], from: id, in: transaction) { _, change in
      found = change
      return false
    }
    return found
  }

  private static func forEachRewardChange(
    of keys: [Int64], from id: Int64, in transaction: any Transaction,
    _ body: (Int64, RewardChange) -> Bool
  ) throws {
    if keys.isEmpty { return }
    let dialect = transaction.dialect
    try transaction.scan(
      """
      SELECT offer_key, change_id, \(ChangedFields.column(dialect)) FROM change
      WHERE \(dialect.isElement("offer_key", of: "$1")) AND change_id >= $2
        AND fields LIKE '%"\(OfferField.reward.name)"%'
      ORDER BY offer_key, change_id
      """, [.numbers(keys), .number(id)]
    ) { row in
      guard let rewards = ChangedFields(parsing: row.text(2)).rewards else { return true }
      return body(row.number(0), RewardChange(id: row.number(1), old: rewards.old))
    }
  }
}

extension ChangedFields {
  /// An SQL expression for the column `change.fields`. In a large row it replaces the values of all fields
  /// except the reward by 0, for uses of the reward only.
  static func column(_ dialect: Dialect) -> String {
    column(wholeUpTo: usualLength, dialect)
  }

  /// The column with the texts before and after the change. In a row above `longestLength` it replaces them
  /// by 0.
  static func columnWithTexts(_ dialect: Dialect) -> String {
    column(wholeUpTo: longestLength, dialect)
  }

  private static func column(wholeUpTo length: Int, _ dialect: Dialect) -> String {
    """
    CASE WHEN length(change.fields) <= \(length) THEN change.fields
      ELSE \(dialect.jsonObject("change.fields", keeping: OfferField.reward.name)) END
    """
  }

  /// The length above which a row is large, in characters. A shorter row is parsed faster as it is.
  private static let usualLength = 8 << 10
  /// The length of a row, in characters, up to which its texts are read.
  private static let longestLength = 256 << 10
}

extension ChangeQuery {
  /// Whether the changes of hidden offers are left out. Favorites are never hidden, and named offers are wanted.
  fileprivate var leavesOutHidden: Bool { !favoritesOnly && offers == nil }
}
