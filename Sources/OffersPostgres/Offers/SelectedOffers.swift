import Foundation
import OffersCore
import OffersStore

/// Reads and counts the offers that a query selects, in its order.
struct SelectedOffers {
  private var bindings: Bindings
  private var conditions: [String] = []
  private let order: OfferOrder
  private let query: OfferQuery

  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for a position of
  ///   another list.
  init(_ query: OfferQuery, of user: User.ID, in connection: Connection) throws {
    try FeedTable.check(query.feed, in: PostgresTransaction(connection))
    var query = query
    let now = query.now ?? Date()
    query.now = now
    self.query = query
    bindings = Bindings([.number(user)])
    order = OfferOrder(query, at: now, &bindings)
    selectState(at: now)
    selectFields()
    selectRewards()
    try selectPosition(of: user, in: connection)
  }

  private mutating func selectState(at now: Date) {
    if query.favoritesOnly { conditions.append(OfferColumns.isFavorite) }
    if query.goneOnly {
      conditions.append("offer.gone_at IS NOT NULL")
    } else if !query.favoritesOnly {
      conditions.append(OfferColumns.isCurrent)
    }
    if query.excludesExpired {
      let time = bindings.add(.date(now))
      conditions.append("(offer.expires_at IS NULL OR offer.expires_at > \(time))")
    }
  }

  private mutating func selectFields() {
    if let feed = query.feed {
      let name = bindings.add(.text(feed))
      conditions.append("offer.feed_key = (SELECT feed_key FROM feed WHERE name = \(name))")
    }
    if let date = query.newSince {
      conditions.append("offer.first_seen_at >= \(bindings.add(.number(date.nextSeconds)))")
    }
    if let range = query.expiring {
      let start = bindings.add(.number(range.lowerBound.nextSeconds))
      let end = bindings.add(.date(range.upperBound))
      conditions.append("offer.expires_at >= \(start) AND offer.expires_at <= \(end)")
    }
    if let retailer = query.retailer {
      let key = bindings.add(.bytes(NaturalOrder.key(retailer)))
      conditions.append("offer.retailer_key = \(key)")
    }
    if let category = query.category {
      let key = bindings.add(.bytes(NaturalOrder.element(category)))
      conditions.append("position(\(key) IN offer.category_keys) > 0")
    }
  }

  private mutating func selectRewards() {
    if query.rewardMinimum == nil, query.priceMaximum == nil { return }
    let isPriced = "feed.name = ANY(\(bindings.add(.texts(query.pricedFeeds.sorted()))))"
    if let minimum = query.rewardMinimum {
      let reaches =
        switch minimum {
        case .amount(let units, let currency): amount(">=", units, in: currency)
        case .anyAmount(let units, let others): anyAmount(">=", units, others)
        case .percent(let hundredths):
          "offer.reward_percent_hundredths >= \(bindings.add(.number(hundredths)))"
        }
      conditions.append("NOT (\(isPriced)) AND \(reaches)")
    }
    if let maximum = query.priceMaximum {
      let isWithin =
        switch maximum {
        case .amount(let units, let currency): amount("<=", units, in: currency)
        case .anyAmount(let units, let others): anyAmount("<=", units, others)
        }
      conditions.append("\(isPriced) AND \(isWithin)")
    }
  }

  private mutating func amount(
    _ comparison: String, _ units: Int64, in currency: String
  ) -> String {
    let (number, code) = (bindings.add(.number(units)), bindings.add(.text(currency)))
    return "offer.reward_currency = \(code) AND offer.reward_minor_units \(comparison) \(number)"
  }

  private mutating func anyAmount(
    _ comparison: String, _ units: Int64?, _ others: [String: Int64]
  ) -> String {
    let sorted = others.sorted { $0.key < $1.key }
    let codes = bindings.add(.texts(sorted.map(\.key)))
    let bounds = bindings.add(.numbers(sorted.map(\.value)))
    let number = bindings.add(.number(units))
    return """
      offer.reward_minor_units \(comparison) coalesce((
        SELECT other.bound FROM unnest(\(codes)::text[], \(bounds)::bigint[]) AS other (code, bound)
        WHERE other.code = offer.reward_currency), \(number))
      """
  }

  private mutating func selectPosition(of user: User.ID, in connection: Connection) throws {
    guard let position = query.after else { return }
    guard
      let found = try OfferTable.find(position.ref, of: user, in: PostgresTransaction(connection))
    else {
      throw OffersError(
        .invalidRequest, "The offer after which the list continues was removed.")
    }
    let values =
      position.values.isEmpty
      ? OfferPosition(of: found.offer.offer, in: query).values : position.values
    conditions.append(try order.isBehind(values, key: found.key, &bindings))
  }

  private var condition: String { conditions.joined(separator: " AND ") }

  /// The offers of the list in its order, at most `limit` after the first `offset`.
  func read(offset: Int, limit: Int?, in connection: Connection) throws -> [UserOffer] {
    var bindings = bindings
    var sql = """
      SELECT \(OfferColumns.selection) FROM \(OfferColumns.tables)
      WHERE \(condition) ORDER BY \(order.orderBy) OFFSET \(bindings.add(.number(Int64(offset))))
      """
    if let limit { sql += " LIMIT \(bindings.add(.number(Int64(limit))))" }
    return try connection.rows(sql, bindings.parameters).map { row in
      let offer = OfferColumns.offer(row)
      return query.textBytes.map { offer.abridged(toBytes: $0) } ?? offer
    }
  }

  /// The keys of the offers that `read` returns for the same arguments.
  func readKeys(offset: Int, limit: Int?, in connection: Connection) throws -> [Int64] {
    var bindings = bindings
    let sql = """
      SELECT offer.offer_key, $1::bigint FROM \(OfferColumns.tables)
      WHERE \(condition) ORDER BY \(order.orderBy) OFFSET \(bindings.add(.number(Int64(offset))))
      \(bindings.addLimit(limit))
      """
    return try connection.rows(sql, bindings.parameters).map { $0.number(0) }
  }

  /// The number of offers of the list.
  func count(in connection: Connection) throws -> Int {
    // Parameters of the order alone, whose types the server could not infer.
    let sql = """
      SELECT count(*) FROM (
        SELECT row_number() OVER (ORDER BY \(order.orderBy)) FROM \(OfferColumns.tables)
        WHERE \(condition)) AS selected
      """
    return Int(try connection.rows(sql, bindings.parameters).first?.number(0) ?? 0)
  }
}
