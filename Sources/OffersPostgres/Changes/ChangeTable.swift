import Foundation
import OffersCore
import OffersStore

/// The SQL that reads changes.
enum ChangeTable {
  /// A selected change: a recorded one, or that an offer expires.
  struct Entry {
    /// The number of the change; 0 for an expiring offer, which is not a recorded change.
    let id: Int64
    let kind: OfferChange.Kind
    let at: Date
    let feed: String
    let offerCount: Int?
    /// The decoded fields of a changed offer.
    let fields: ChangedFields?
    /// The offer with its key; nil for the first sync of a feed.
    let stored: OfferTable.Stored?

    var key: Int64 { stored?.key ?? 0 }
  }

  /// The newest change number; 0 if there is none.
  static func fetchLastID(in connection: Connection) throws -> Int64 {
    try connection.rows("SELECT last_change_id FROM commit_order").first?.number(0) ?? 0
  }

  private static let columnCount = 6

  /// The recorded changes of a query, the oldest or the newest ones in order.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - user: the user whose favorites count.
  ///   - isNewest: whether the newest ones are read if there are more than `limit`.
  ///   - limit: the most changes; nil for all.
  ///   - connection: runs the statements.
  static func recorded(
    _ query: ChangeQuery, of user: User.ID, isNewest: Bool, limit: Int?, in connection: Connection
  ) throws -> [Entry] {
    let entries = try recorded(
      query, of: user, isNewest: isNewest, limit: limit, selecting: columns, in: connection
    ).map(entry)
    return isNewest ? entries.reversed() : entries
  }

  /// The columns of an entry.
  private static let columns = """
    change.change_id, change.kind, change.at, change.offer_count, \(ChangedFields.column), feed.name,
    \(OfferColumns.selection)
    """

  private static func recorded(
    _ query: ChangeQuery, of user: User.ID, isNewest: Bool, limit: Int?, selecting columns: String,
    in connection: Connection
  ) throws -> Rows {
    var bindings = Bindings([.number(user)])
    var conditions = ["(change.kind = 'first' OR offer.offer_key IS NOT NULL)"]
    if let id = query.afterID {
      conditions.append("change.change_id > \(bindings.add(.number(id)))")
    } else if let since = query.since {
      conditions.append("change.at >= \(bindings.add(.number(since.nextSeconds)))")
    }
    if let feed = query.feed {
      let name = bindings.add(.text(feed))
      conditions.append("change.feed_key = (SELECT feed_key FROM feed WHERE name = \(name))")
    }
    if let kinds = query.kinds {
      let names = bindings.add(.texts(kinds.map(\.rawValue)))
      conditions.append("change.kind = ANY(\(names))")
    }
    if query.favoritesOnly {
      conditions.append("change.kind <> 'first' AND \(OfferColumns.isFavorite)")
    }
    if let offers = query.offers {
      conditions.append("change.kind <> 'first'")
      conditions.append("change.offer_key = \(anyKey(of: offers, &bindings))")
    }
    let sql = """
      SELECT \(columns) FROM change JOIN feed ON feed.feed_key = change.feed_key
      LEFT JOIN offer ON offer.offer_key = change.offer_key
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY change.change_id \(isNewest ? "DESC" : "ASC")
      \(bindings.addLimit(limit))
      """
    return try connection.rows(sql, bindings.parameters)
  }

  /// An array of the keys of some offers to compare with; PostgreSQL looks them up once.
  private static func anyKey(of offers: Set<OfferRef>, _ bindings: inout Bindings) -> String {
    let feeds = bindings.add(.texts(offers.map(\.feed)))
    let ids = bindings.add(.texts(offers.map(\.offerID)))
    return """
      ANY (ARRAY (SELECT named.offer_key
        FROM unnest(\(feeds)::text[], \(ids)::text[]) AS name (feed, id)
        JOIN feed AS source ON source.name = name.feed
        JOIN offer AS named ON named.feed_key = source.feed_key AND named.id = name.id))
      """
  }

  /// The key of a selected change. Small, because there may be as many changes as offers.
  struct Key {
    /// The number of the change; 0 for an expiring offer.
    let id: Int64
    /// The offer of an expiring one.
    let offerKey: Int64
    /// In Unix seconds.
    let at: Int64
  }

  /// The keys of the newest recorded changes of a query.
  static func keys(
    _ query: ChangeQuery, of user: User.ID, in connection: Connection
  ) throws -> [Key] {
    try recorded(
      query, of: user, isNewest: true, limit: query.limit,
      selecting: "change.change_id, change.at, $1::bigint", in: connection
    ).map { Key(id: $0.number(0), offerKey: 0, at: $0.number(1)) }
  }

  /// The changes of some keys, in their order. Those whose offers were removed are left out.
  static func entries(
    at keys: [Key], of user: User.ID, in connection: Connection
  ) throws -> [Entry] {
    var recorded: [Int64: Entry] = [:]
    let rows = try connection.rows(
      """
      SELECT \(columns) FROM change JOIN feed ON feed.feed_key = change.feed_key
      LEFT JOIN offer ON offer.offer_key = change.offer_key
      WHERE change.change_id = ANY($2) AND (change.kind = 'first' OR offer.offer_key IS NOT NULL)
      """, [.number(user), .numbers(keys.map(\.id).filter { $0 > 0 })])
    for entry in rows.map(entry) { recorded[entry.id] = entry }
    var expiring: [Int64: OfferTable.Stored] = [:]
    let offerKeys = keys.filter { $0.id == 0 }.map(\.offerKey)
    for stored in try OfferTable.list(
      keys: offerKeys, of: user, in: PostgresTransaction(connection))
    {
      expiring[stored.key] = stored
    }
    return keys.compactMap { key in
      if key.id > 0 { return recorded[key.id] }
      return expiring[key.offerKey].map { stored in
        Entry(
          id: 0, kind: .expiring, at: Date(storedSeconds: key.at),
          feed: stored.offer.ref.feed, offerCount: nil, fields: nil, stored: stored)
      }
    }
  }

  /// The change in a row, with the columns of the offer behind its own.
  private static func entry(_ row: Row) -> Entry {
    let kind = OfferChange.Kind(rawValue: row.text(1)) ?? .changed
    return Entry(
      id: row.number(0), kind: kind, at: row.date(2), feed: row.text(5),
      offerCount: row.findNumber(3).map { Int($0) },
      fields: row.findText(4).map(ChangedFields.init(parsing:)),
      stored: kind == .first ? nil : OfferTable.stored(row.dropping(columnCount)))
  }

  /// The new offers of a query that have the feed, name and description of a favorite that is gone now.
  /// The feed and the kinds of the query are ignored. `LostFavorites` decides which of the offers count
  /// as returned.
  static func newWithFavorite(
    _ query: ChangeQuery, of user: User.ID, in connection: Connection
  ) throws -> [Entry] {
    let since = query.afterID == nil ? query.since?.nextSeconds : nil
    return try connection.rows(
      """
      SELECT change.change_id, 'new', change.at, NULL::bigint, NULL, feed.name,
        \(OfferColumns.selection)
      FROM favorite AS star JOIN feed ON feed.name = star.feed
      JOIN offer AS lost ON lost.feed_key = feed.feed_key AND lost.id = star.id
      JOIN offer ON offer.feed_key = lost.feed_key AND \(OfferColumns.hasName("lost.name"))
        AND offer.description IS NOT DISTINCT FROM lost.description
        AND offer.offer_key <> lost.offer_key
      JOIN change ON change.offer_key = offer.offer_key AND change.kind = 'new'
      WHERE star.user_key = $1 AND lost.gone_at IS NOT NULL AND change.change_id > $2
        AND ($3::bigint IS NULL OR change.at >= $3)
      GROUP BY change.change_id, offer.offer_key, feed.feed_key
      ORDER BY change.change_id
      """, [.number(user), .number(query.afterID ?? 0), .number(since)]
    ).map(entry)
  }

  /// The current offers of a query that expire within 48 hours.
  ///
  /// - Parameters:
  ///   - query: selects the offers.
  ///   - user: the user whose favorites are meant.
  ///   - isNewest: whether those that expire last come first, instead of those that expire first.
  ///   - limit: the maximum number; nil for all.
  ///   - connection: runs the statements.
  static func expiring(
    _ query: ChangeQuery, of user: User.ID, isNewest: Bool = false, limit: Int?,
    in connection: Connection
  ) throws -> [Entry] {
    try expiringRows(
      query, of: user, selecting: "\(OfferColumns.selection), ", isNewest: isNewest, limit: limit,
      in: connection
    ).map { row in
      let stored = OfferTable.stored(row)
      return Entry(
        id: 0, kind: .expiring, at: row.date(OfferColumns.count), feed: stored.offer.ref.feed,
        offerCount: nil, fields: nil, stored: stored)
    }
  }

  /// The keys of the changes that `expiring` returns, up to the limit of the query. Those that expire last
  /// come first.
  static func expiringKeys(
    _ query: ChangeQuery, of user: User.ID, in connection: Connection
  ) throws -> [Key] {
    try expiringRows(
      query, of: user, selecting: "offer.offer_key, $1::bigint, ", isNewest: true,
      limit: query.limit, in: connection
    ).map { Key(id: 0, offerKey: $0.number(0), at: $0.number(2)) }
  }

  private static func expiringRows(
    _ query: ChangeQuery, of user: User.ID, selecting columns: String, isNewest: Bool, limit: Int?,
    in connection: Connection
  ) throws -> [Row] {
    guard query.kinds?.contains(.expiring) ?? true else { return [] }
    var bindings = Bindings([.number(user)])
    let now = bindings.add(.date(query.now))
    let at = "greatest(offer.first_seen_at, offer.expires_at - \(spanSeconds))"
    var conditions = [
      "offer.expires_at > \(now) AND offer.expires_at <= \(now) + \(spanSeconds)",
      OfferColumns.isCurrent,
    ]
    if let feed = query.feed { conditions.append("feed.name = \(bindings.add(.text(feed)))") }
    if query.favoritesOnly { conditions.append(OfferColumns.isFavorite) }
    if let offers = query.offers {
      conditions.append("offer.offer_key = \(anyKey(of: offers, &bindings))")
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
    let sql = """
      SELECT \(columns)\(at) FROM \(OfferColumns.tables)
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY \(at) \(order), offer.offer_key \(order) \(bindings.addLimit(limit))
      """
    return try connection.rows(sql, bindings.parameters).map(\.self)
  }

  private static let spanSeconds = Int64(OfferChange.expiringSeconds)

  /// Some of the changes of one offer before the number `id`, except for `new`, newest first; none at
  /// the end.
  static func history(
    of offerKey: Int64, before id: Int64, in connection: Connection
  ) throws -> [RewardHistory.Row] {
    try connection.rows(
      """
      SELECT change_id, at, kind, \(ChangedFields.column) FROM change
      WHERE offer_key = $1 AND change_id < $2 AND kind NOT IN ('first', 'new')
      ORDER BY change_id DESC LIMIT 50
      """, [.number(offerKey), .number(id)]
    ).map {
      RewardHistory.Row(
        id: $0.number(0), at: $0.date(1), kind: $0.text(2), fields: $0.findText(3))
    }
  }

  /// The changes of the rewards of some offers, from a change on, by offer and in order: the numbers of
  /// the changes and the rewards before them.
  static func rewardChanges(
    of keys: [Int64], from id: Int64, in connection: Connection
  ) throws -> [Int64: [(id: Int64, old: Reward?)]] {
    let rows = try connection.rows(
      """
      SELECT offer_key, change_id, \(ChangedFields.column) FROM change
      WHERE offer_key = ANY($1) AND change_id >= $2 AND fields LIKE '%"\(OfferField.reward.name)"%'
      ORDER BY offer_key, change_id
      """, [.numbers(keys), .number(id)])
    var changes: [Int64: [(id: Int64, old: Reward?)]] = [:]
    for row in rows.map({ $0 }) {
      guard let rewards = ChangedFields(parsing: row.text(2)).rewards else { continue }
      changes[row.number(0), default: []].append((row.number(1), rewards.old))
    }
    return changes
  }
}
