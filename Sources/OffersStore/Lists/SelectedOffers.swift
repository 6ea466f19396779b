import Foundation
import OffersCore

/// Finds the keys of the offers that a query selects, in the query's order.
///
/// The statements select keys only, so that a sort moves no whole offers. The sorts by value, name and age
/// read all offers: indexes for them would slow down every sync, and a first import most.
package struct SelectedOffers {
  /// A part of the list, without LIMIT and OFFSET.
  private struct Section {
    let condition: String
    let orderBy: String
  }

  /// The parts of the list, which follow one another.
  private let parts: [Section]
  /// The tables, of which the first is the one with the fewest rows that has all selected offers.
  private let source: String
  private let bindings: Bindings
  /// Whether the list is in the order of keys, so that a page can begin at the last key of the previous one
  /// and costs as much as the first.
  let isStream: Bool

  /// - Parameters:
  ///   - query: the query.
  ///   - user: the user whose favorites it selects.
  ///   - feeds: the keys of the feeds that the query names.
  ///   - lastKey: for a query with `isStream`, the key of the last offer of the previous page. It takes
  ///     precedence over the query's own position.
  ///   - transaction: runs the statements.
  /// - Throws: `OffersError` with `invalidRequest` for a position of another list.
  package init(
    _ query: OfferQuery, of user: User.ID, feeds: NamedFeeds, behind lastKey: Int64? = nil,
    in transaction: any Transaction
  ) throws {
    let dialect = transaction.dialect
    let now = query.now ?? Date()
    var dated = query
    dated.now = now
    let readsAll =
      !query.favoritesOnly && !query.goneOnly && query.expiring == nil
      && !query.selection.sortsExpiredLast
    isStream = query.sort == .feed && readsAll
    source = query.favoritesOnly ? OfferColumns.favoriteSource : "offer"
    let filter = try OfferConditions(
      query.selection, for: .list, at: now, of: user, feeds: feeds,
      isValued: query.sort == .reward || query.sort == .price, pricedFeeds: query.pricedFeeds,
      in: transaction)
    var bindings = filter.bindings
    let place =
      try lastKey.map { Place(values: [], key: $0) }
      ?? query.after.map { try Place($0, in: dated, of: user, transaction) }
    // SQLite would look for gone offers in the order of keys instead of in their index.
    let key = query.goneOnly ? dialect.unindexed("offer.offer_key") : "offer.offer_key"
    func part(_ conditions: [String], _ order: OfferOrder, behind place: Place?) throws -> Section {
      var conditions = conditions
      if let place {
        guard let isBehind = order.isBehind(place.values, place.key, &bindings) else {
          throw Self.otherOrder
        }
        conditions.append(isBehind)
      }
      return Section(condition: conditions.joined(separator: " AND "), orderBy: order.orderBy)
    }
    if query.sort == .expiry && readsAll {
      // First the offers with an end, by the index, then the others. Neither statement sorts, so a page reads
      // little more than its own rows.
      let order = { OfferOrder(isDated: $0, key: key, isReversed: query.isReversed) }
      var parts: [Section] = []
      if place?.values != [.none] {
        parts.append(
          try part(
            filter.parts + ["offer.expires_at IS NOT NULL"], order(true), behind: place))
      }
      let undated = place.flatMap { $0.values == [.none] ? Place(values: [], key: $0.key) : nil }
      parts.append(
        try part(filter.parts + ["offer.expires_at IS NULL"], order(false), behind: undated))
      self.parts = parts
    } else {
      let order = OfferOrder(query, at: now, key: key, isPriced: filter.isPriced, &bindings)
      parts = [try part(filter.parts, order, behind: place)]
    }
    self.bindings = bindings
  }

  private static let otherOrder = OffersError(
    .invalidRequest, "The position to continue from belongs to another sort order.",
    hint: startAgain)

  private static let startAgain = "Start the list from the beginning."

  /// The place of an offer in the list.
  private struct Place {
    /// The sort keys, without the last one.
    let values: [OfferPosition.Value]
    /// The key of the offer, the last sort key.
    let key: Int64

    init(values: [OfferPosition.Value], key: Int64) {
      self.values = values
      self.key = key
    }

    /// The place of a position, which may have no sort keys.
    init(
      _ position: OfferPosition, in query: OfferQuery, of user: User.ID,
      _ transaction: any Transaction
    ) throws {
      let removed = OffersError(
        .invalidRequest, "The offer after which the list continues was removed.", hint: startAgain)
      if position.values.isEmpty {
        guard let found = try OfferTable.find(position.ref, of: user, in: transaction) else {
          throw removed
        }
        self.init(
          values: OfferPosition(of: found.offer.offer, in: query).values, key: found.key)
      } else {
        guard let key = try OfferTable.findKey(position.ref, in: transaction) else { throw removed }
        self.init(values: position.values, key: key)
      }
    }
  }
}

extension SelectedOffers {
  /// The keys of the list in its order, at most `limit` after the first `offset`.
  package func keys(offset: Int, limit: Int?, in transaction: any Transaction) throws -> [Int64] {
    var keys: [Int64] = []
    var offset = offset
    for (index, part) in parts.enumerated() {
      let left = limit.map { $0 - keys.count }
      if left == 0 { break }
      var bindings = bindings
      let page = """
        LIMIT \(bindings.add(.number(left.map(Int64.init) ?? .max))) OFFSET \(bindings.add(.count(offset)))
        """
      keys += try transaction.rows(
        """
        SELECT offer.offer_key FROM \(source) WHERE \(part.condition) ORDER BY \(part.orderBy) \(page)
        """, bindings.values
      ) { $0.number(0) }
      if index == parts.count - 1 { break }
      // Subtract the rows of this part that OFFSET skipped.
      offset = keys.isEmpty && offset > 0 ? offset - (try count(part, in: transaction)) : 0
    }
    return keys
  }

  /// The number of offers of the list.
  package func count(in transaction: any Transaction) throws -> Int {
    try parts.reduce(0) { $0 + (try count($1, in: transaction)) }
  }

  private func count(_ part: Section, in transaction: any Transaction) throws -> Int {
    try transaction.first(
      "SELECT count(*) FROM \(source) WHERE \(part.condition)", bindings.values
    ) { $0.count(0) } ?? 0
  }
}

/// The order of a list, or of a part of it, in SQL, and the condition that an offer comes after a place of
/// the list (keyset pagination). The terms are the sort keys of `OfferPosition`.
struct OfferOrder {
  /// A sort key.
  private struct Term {
    /// The place of offers without the value.
    enum None {
      /// All offers have the value.
      case nowhere
      /// As the lowest value: first in ascending order, last in descending order.
      case lowest
      /// Last in both directions.
      case last
    }

    /// The type of the values.
    enum Kind { case number, text, naturalKey }

    let expression: String
    var kind = Kind.number
    var isDescending = false
    var none = None.nowhere

    private var isNoneBehind: Bool { none == .last || isDescending }

    var orderBy: String {
      let order = "\(expression) \(isDescending ? "DESC" : "ASC")"
      return none == .nowhere ? order : "\(order) NULLS \(isNoneBehind ? "LAST" : "FIRST")"
    }

    /// The value as a parameter; nil for one of another type. An offer has no value for `none`.
    func bind(
      _ value: OfferPosition.Value, _ bindings: inout Bindings
    ) -> (isNone: Bool, parameter: String)? {
      switch (value, kind) {
      case (.none, _): none == .nowhere ? nil : (true, "NULL")
      case (.number(let number), .number): (false, bindings.add(.number(number)))
      case (.text(let text), .text): (false, bindings.add(.text(text)))
      case (.text(let text), .naturalKey):
        (false, bindings.add(.bytes(NaturalOrder.key(text))))
      case (.number, _), (.text, _): nil
      }
    }

    /// The condition that an offer comes after a value, or has it and fulfils `rest`.
    func isBehind(_ value: (isNone: Bool, parameter: String), or rest: String) -> String {
      if value.isNone {
        let same = "\(expression) IS NULL AND \(rest)"
        return isNoneBehind ? "(\(same))" : "(\(expression) IS NOT NULL OR \(same))"
      }
      let sign = isDescending ? "<" : ">"
      let behind = "\(expression) \(sign) \(value.parameter)"
      if none == .nowhere {
        // The first comparison lets an index begin at the value.
        return "(\(expression) \(sign)= \(value.parameter) AND (\(behind) OR \(rest)))"
      }
      let same = "\(expression) = \(value.parameter) AND \(rest)"
      return "(\(behind)\(isNoneBehind ? " OR \(expression) IS NULL" : "") OR \(same))"
    }
  }

  private let terms: [Term]
  /// The expression of the key, the last term.
  private let key: String
  private let isReversed: Bool

  /// - Parameters:
  ///   - query: the query.
  ///   - now: the time at which offers count as expired.
  ///   - key: the expression of the key of an offer.
  ///   - isPriced: the condition that the value of an offer is a price.
  ///   - bindings: the parameters of the statement.
  init(
    _ query: OfferQuery, at now: Date, key: String, isPriced: String, _ bindings: inout Bindings
  ) {
    self.key = key
    isReversed = query.isReversed
    let expired =
      query.selection.sortsExpiredLast
      ? [
        Term(
          expression:
            "CASE WHEN offer.expires_at <= \(bindings.add(.date(now))) THEN 1 ELSE 0 END")
      ] : []
    terms = expired + Self.terms(of: query, isPriced: isPriced)
  }

  /// The order of the offers with an end, by their end, or of those without, by their key. Together they are
  /// the order by expiry.
  init(isDated: Bool, key: String, isReversed: Bool) {
    self.key = key
    self.isReversed = isReversed
    terms = isDated ? [Term(expression: "offer.expires_at", isDescending: isReversed)] : []
  }

  private static func terms(of query: OfferQuery, isPriced: String) -> [Term] {
    let isReversed = query.isReversed
    switch query.sort {
    case .feed: return []
    case .reward: return valueTerms(query, isLast: isPriced, isDescending: !isReversed)
    case .price: return valueTerms(query, isLast: "NOT \(isPriced)", isDescending: isReversed)
    case .name:
      return [Term(expression: "offer.name_key", kind: .naturalKey, isDescending: isReversed)]
    case .newest: return [Term(expression: "offer.first_seen_at", isDescending: !isReversed)]
    case .expiry:
      return [Term(expression: "offer.expires_at", isDescending: isReversed, none: .last)]
    }
  }

  /// The terms that order offers by value: amounts of money first, then percentages, then other texts.
  ///
  /// - Parameter isLast: the condition that the value of an offer is of the other role.
  private static func valueTerms(
    _ query: OfferQuery, isLast: String, isDescending: Bool
  ) -> [Term] {
    let kind = """
      CASE WHEN \(isLast) THEN 4 WHEN offer.reward_minor_units IS NOT NULL THEN 0
        WHEN offer.reward_percent_hundredths IS NOT NULL THEN 1
        WHEN offer.reward_text IS NOT NULL THEN 2 ELSE 3 END
      """
    let upTo =
      "CASE WHEN offer.reward_text IS NOT NULL AND offer.reward_up_to THEN 1 ELSE 0 END"
    return [
      Term(expression: kind),
      Term(expression: "offer.reward_currency", kind: .text, none: .lowest),
      Term(expression: "offer.reward_minor_units", isDescending: isDescending, none: .lowest),
      Term(
        expression: "offer.reward_percent_hundredths", isDescending: isDescending, none: .lowest),
      Term(expression: upTo, isDescending: query.isReversed),
    ]
  }

  /// The list for ORDER BY.
  var orderBy: String {
    (terms.map(\.orderBy) + ["\(key) \(isReversed ? "DESC" : "ASC")"]).joined(separator: ", ")
  }

  /// The condition that an offer comes after a place.
  ///
  /// - Parameters:
  ///   - values: the sort keys of the place.
  ///   - offerKey: the key of its offer.
  ///   - bindings: the parameters of the statement.
  /// - Returns: nil if the sort keys are those of another order.
  func isBehind(
    _ values: [OfferPosition.Value], _ offerKey: Int64, _ bindings: inout Bindings
  ) -> String? {
    if values.count != terms.count { return nil }
    var condition = "\(key) \(isReversed ? "<" : ">") \(bindings.add(.number(offerKey)))"
    for (term, value) in zip(terms, values).reversed() {
      guard let bound = term.bind(value, &bindings) else { return nil }
      condition = term.isBehind(bound, or: condition)
    }
    return condition
  }
}

/// The offers of a long list, read page by page, so that not all are in memory and no read
/// transaction stays open between pages: one would keep a file's log from being truncated, and PostgreSQL
/// from removing old rows. Offers that are removed before their page is read are omitted.
///
/// If `SelectedOffers.isStream`, the next page is looked up by the last key. Otherwise all keys are
/// read at once, 8 bytes an offer.
package struct OfferPages: Sendable {
  /// The maximum number of offers on a page.
  package static let size = 500

  private let store: OffersDatabase
  private var query: OfferQuery
  /// The keys found and not yet read; empty before the first page.
  private var keys: ArraySlice<Int64> = []
  private var lastKey: Int64?
  private var isAtEnd = false

  /// The maximum size of a page's texts in bytes, unless a single offer is larger.
  private static let pageBytes = 8 << 20

  init(_ query: OfferQuery, _ store: OffersDatabase) {
    self.query = query
    self.store = store
  }

  /// The next page, of at most `size` offers; empty after the last one.
  ///
  /// - Throws: as `OffersDatabase.fetchOffers(_:)`, on the first page.
  package mutating func next() async throws(OffersError) -> [UserOffer] {
    var page: [UserOffer] = []
    while page.isEmpty && (!isAtEnd || !keys.isEmpty) {
      (page, self) = try await store.read { [self] transaction in
        var pages = self
        return (try pages.readPiece(in: transaction), pages)
      }
    }
    return page
  }

  private mutating func readPiece(in transaction: any Transaction) throws -> [UserOffer] {
    if keys.isEmpty { try findKeys(in: transaction) }
    let (offers, count) = try OfferTable.page(
      keys: keys.prefix(Self.size), of: store.user, maximumBytes: Self.pageBytes,
      textBytes: query.textBytes, in: transaction)
    keys = keys.dropFirst(count)
    return offers
  }

  private mutating func findKeys(in transaction: any Transaction) throws {
    let selected = try store.selectOffers(query, behind: lastKey, in: transaction)
    let limit = query.limit.map { max(0, $0) }
    let pieceLimit = selected.isStream ? min(Self.size, limit ?? .max) : limit
    let found = try selected.keys(
      offset: max(0, query.offset), limit: pieceLimit, in: transaction)
    keys = found[...]
    lastKey = found.last ?? lastKey
    // The offset applies to the first page only.
    query.offset = 0
    query.limit = limit.map { $0 - found.count }
    isAtEnd = !selected.isStream || found.count < Self.size || query.limit == 0
  }
}
