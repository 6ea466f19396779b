import Foundation
import GRDB
import OffersCore
import OffersStore

/// Finds the keys of the offers that a query selects, in the query's order, with one statement or
/// two.
///
/// The statements select only keys, so that a sort moves no whole offers. The sorts by reward, name
/// and age scan the table: indexes for them would slow down every sync, and a first import most.
struct OfferKeyQuery {
  /// The outermost table of the join: the one with the fewest rows that contains all selected
  /// offers.
  private enum Start {
    case favorites, expiry, gone, details, offers
  }

  /// The parts of one statement, without LIMIT and OFFSET.
  private struct Statement {
    let key: String
    let source: String
    let condition: String
    let order: OfferOrder
  }

  /// The statements of the query: one, or two whose results follow one another.
  private let statements: [Statement]
  private let arguments: StatementArguments
  private let limit: Int?
  private let offset: Int
  /// Whether the keys are found in the order of a table scan, so that a page can begin at the last
  /// key of the previous one and costs as much as the first.
  let isStream: Bool

  /// - Parameters:
  ///   - query: the query that selects and sorts the offers.
  ///   - user: the user whose favorites it selects.
  ///   - feedKey: the key of the query's feed; nil if it names none.
  ///   - lastKey: the key of the previous page's last offer; nil for the first page.
  ///   - values: the sort values of that offer; empty for the order of the feeds.
  ///   - pricedKeys: the keys of the query's `pricedFeeds`.
  init(
    _ query: OfferQuery, of user: User.ID, feedKey: Int64?, behind lastKey: Int64? = nil,
    values: [OfferPosition.Value] = [], pricedKeys: [Int64] = []
  ) {
    let start = Self.start(of: query)
    let key = start == .details ? "detail.offer_key" : "offer.offer_key"
    isStream =
      query.sort == .feed && !query.sortsExpiredLast && (start == .details || start == .offers)
    limit = query.limit.map { max(0, $0) }
    offset = max(0, query.offset)
    let now = (query.now ?? Date()).storedSeconds
    var filter = Filter(
      query, of: user, feedKey: feedKey, startsAtFavorites: start == .favorites,
      pricedKeys: pricedKeys,
      now: now)
    let order = OfferOrder(
      query.sort, key: start == .expiry ? "detail.offer_key" : key, isReversed: query.isReversed,
      isDated: start == .expiry, pricedKeys: pricedKeys,
      expiredSeconds: query.sortsExpiredLast ? now : nil)
    if let lastKey { filter.add(order.condition(behind: values, lastKey)) }
    let condition = filter.parts.joined(separator: " AND ")
    arguments = filter.arguments
    if start == .offers && query.sort == .expiry && !query.sortsExpiredLast {
      statements = Self.byExpiry(condition, isReversed: query.isReversed)
    } else {
      let joinsDetails =
        filter.usesDetails || query.sort == .expiry || query.sortsExpiredLast
      statements = [
        Statement(
          key: key, source: Self.source(start, joinsDetails: joinsDetails), condition: condition,
          order: order)
      ]
    }
  }

  private static func start(of query: OfferQuery) -> Start {
    if query.favoritesOnly { return .favorites }
    if query.expiring != nil { return .expiry }
    if query.goneOnly { return .gone }
    return query.retailer != nil || query.category != nil ? .details : .offers
  }

  /// CROSS JOIN makes SQLite join the tables in the written order.
  /// https://sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join
  private static func source(_ start: Start, joinsDetails: Bool) -> String {
    let details =
      joinsDetails
      ? " LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key" : ""
    let offers = " CROSS JOIN offer ON offer.offer_key = detail.offer_key"
    switch start {
    case .favorites:
      return "favorite CROSS JOIN feed ON feed.name = favorite.feed "
        + "CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id" + details
    case .expiry: return "offer_detail AS detail INDEXED BY offer_detail_by_expiry" + offers
    case .details: return "offer_detail AS detail NOT INDEXED" + offers
    case .gone: return "offer INDEXED BY offer_by_gone" + details
    case .offers: return "offer NOT INDEXED" + details
    }
  }

  /// The offers by expiry: first those with an expiry date, by the index, then the others. Neither
  /// statement sorts, so a page reads little more than its own rows.
  private static func byExpiry(_ condition: String, isReversed: Bool) -> [Statement] {
    let key = "offer.offer_key"
    let dated = OfferOrder(
      .expiry, key: "detail.offer_key", isReversed: isReversed, isDated: true)
    return [
      Statement(
        key: key, source: source(.expiry, joinsDetails: true),
        condition: "detail.expires_at IS NOT NULL AND \(condition)",
        order: dated),
      Statement(
        key: key, source: source(.offers, joinsDetails: true),
        condition: "detail.expires_at IS NULL AND \(condition)",
        order: OfferOrder(.feed, key: key, isReversed: isReversed)),
    ]
  }

  /// The keys that the query selects.
  func keys(in database: Database) throws -> [Int64] {
    var keys: [Int64] = []
    var offset = offset
    for (index, statement) in statements.enumerated() {
      let left = limit.map { $0 - keys.count }
      if left == 0 { break }
      keys += try Int64.fetchAll(
        database,
        sql: """
          SELECT \(statement.key) FROM \(statement.source) WHERE \(statement.condition)
          ORDER BY \(statement.order.sql) LIMIT ? OFFSET ?
          """, arguments: arguments + statement.order.arguments + [left ?? -1, offset])
      if index == statements.count - 1 { break }
      // Subtract the rows of this statement that OFFSET skipped.
      offset = keys.isEmpty && offset > 0 ? offset - (try count(statement, in: database)) : 0
    }
    return keys
  }

  /// The number of offers that the query selects, without its limit and offset.
  func count(in database: Database) throws -> Int {
    try statements.reduce(0) { $0 + (try count($1, in: database)) }
  }

  private func count(_ statement: Statement, in database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM \(statement.source) WHERE \(statement.condition)",
      arguments: arguments) ?? 0
  }
}

extension OfferKeyQuery {
  /// The conditions of a query and their arguments.
  private struct Filter {
    private(set) var parts: [String] = []
    private(set) var arguments: StatementArguments = []
    /// Whether a condition uses `offer_detail`.
    private(set) var usesDetails = false

    /// - Parameter now: the time at which offers count as expired, in Unix seconds.
    init(
      _ query: OfferQuery, of user: User.ID, feedKey: Int64?, startsAtFavorites: Bool,
      pricedKeys: [Int64], now: Int64
    ) {
      if query.favoritesOnly { add("favorite.user_key = ?", user) }
      if query.goneOnly {
        add("offer.gone_at IS NOT NULL")
        add("offer.gone_at IS NOT NULL")
      } else if !query.favoritesOnly {
        add("offer.gone_at IS NULL")
      }
      if startsAtFavorites, let feed = query.feed {
        add("favorite.feed = ?", feed)
      } else if let feedKey {
        // The unary plus keeps SQLite from using the index on ids, which would require a sort of
        // the whole feed for each page. In key order, all pages together are one scan of the table.
        // https://sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
        add("+offer.feed_key = ?", feedKey)
      }
      if query.excludesExpired {
        usesDetails = true
        add("(detail.expires_at IS NULL OR detail.expires_at > ?)", now)
      }
      if let minimum = query.rewardMinimum {
        add(minimum)
        if !pricedKeys.isEmpty { add("NOT \(OfferOrder.isPriced(pricedKeys))") }
      }
      if let maximum = query.priceMaximum {
        // No feed has a negative key. With a constant, SQLite could not use the index on ends.
        add(pricedKeys.isEmpty ? "+offer.feed_key < 0" : OfferOrder.isPriced(pricedKeys))
        add(maximum)
      }
      if let date = query.newSince {
        add("offer.first_seen_at >= ?", date.nextSeconds)
      }
      if let range = query.expiring {
        usesDetails = true
        add("detail.expires_at >= ?", range.lowerBound.nextSeconds)
        add("detail.expires_at <= ?", range.upperBound.storedSeconds)
      }
      if let retailer = query.retailer {
        usesDetails = true
        add("detail.retailer = ? COLLATE by_name", retailer)
      }
      if let category = query.category {
        usesDetails = true
        add(
          """
          EXISTS (SELECT 1 FROM json_each(detail.categories) AS category
            WHERE category.value = ? COLLATE by_name)
          """, category)
      }
    }

    mutating func add(_ part: (sql: String, arguments: StatementArguments)) {
      parts.append(part.sql)
      arguments += part.arguments
    }

    private mutating func add(_ minimum: OfferQuery.RewardMinimum) {
      switch minimum {
      case .amount(let units, let currency):
        add("offer.reward_currency = ?", currency)
        add("offer.reward_minor_units >= ?", units)
      case .anyAmount(let units, let others): addAmount(">=", units, others)
      case .percent(let hundredths): add("offer.reward_percent_hundredths >= ?", hundredths)
      }
    }

    private mutating func add(_ maximum: OfferQuery.PriceMaximum) {
      switch maximum {
      case .amount(let units, let currency):
        add("offer.reward_currency = ?", currency)
        add("offer.reward_minor_units <= ?", units)
      case .anyAmount(let units, let others): addAmount("<=", units, others)
      }
    }

    /// Adds a comparison with an amount in several currencies.
    private mutating func addAmount(
      _ comparison: String, _ units: Int64?, _ others: [String: Int64]
    ) {
      let amount = "offer.reward_minor_units \(comparison)"
      if others.isEmpty { return add("\(amount) ?", units) }
      let cases = others.map { _ in "WHEN ? THEN ?" }.joined(separator: " ")
      parts.append("\(amount) CASE offer.reward_currency \(cases) ELSE ? END")
      for (currency, units) in others.sorted(by: { $0.key < $1.key }) {
        arguments += [currency, units]
      }
      arguments += [units]
    }

    private mutating func add(_ part: String, _ values: (any DatabaseValueConvertible)...) {
      parts.append(part)
      arguments += StatementArguments(values)
    }
  }
}
