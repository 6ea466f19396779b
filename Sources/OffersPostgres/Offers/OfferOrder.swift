import Foundation
import OffersCore

/// The order of a query's list in SQL, by the sort keys of `OfferPosition`.
struct OfferOrder {
  /// One sort key.
  private struct Term {
    let expression: String
    var isDescending = false
    /// Whether an offer without the value comes last in both directions; otherwise it counts as the
    /// lowest value.
    var isNoneLast = false
    /// Whether the expression is the key of a text in natural order.
    var isNatural = false

    private var isNoneBehind: Bool { isNoneLast || isDescending }

    var orderBy: String {
      "\(expression) \(isDescending ? "DESC" : "ASC") NULLS \(isNoneBehind ? "LAST" : "FIRST")"
    }

    /// The condition that an offer comes after a place by this key alone; nil if none does.
    func isBehind(_ value: String?) -> String? {
      guard let value else { return isNoneBehind ? nil : "\(expression) IS NOT NULL" }
      let compared = "\(expression) \(isDescending ? "<" : ">") \(value)"
      return isNoneBehind ? "(\(compared) OR \(expression) IS NULL)" : compared
    }

    func isSame(_ value: String?) -> String {
      value.map { "\(expression) = \($0)" } ?? "\(expression) IS NULL"
    }
  }

  private let terms: [Term]
  private let isReversed: Bool

  /// - Parameters:
  ///   - query: the query.
  ///   - now: the time at which offers count as expired.
  ///   - bindings: the parameters of the statement.
  init(_ query: OfferQuery, at now: Date, _ bindings: inout Bindings) {
    isReversed = query.isReversed
    let expired =
      query.sortsExpiredLast
      ? [
        Term(
          expression: """
            CASE WHEN offer.expires_at <= \(bindings.add(.date(now))) THEN 1::bigint
              ELSE 0::bigint END
            """)
      ] : []
    terms = expired + Self.terms(of: query, &bindings)
  }

  private static func terms(of query: OfferQuery, _ bindings: inout Bindings) -> [Term] {
    let isReversed = query.isReversed
    switch query.sort {
    case .feed: return []
    case .reward, .price:
      let isAmountDescending = (query.sort == .reward) != isReversed
      let feeds = bindings.add(.texts(query.pricedFeeds.sorted()))
      let isPriced = "feed.name = ANY(\(feeds))"
      let kind = """
        CASE WHEN \(query.sort == .reward ? isPriced : "NOT (\(isPriced))") THEN 4::bigint
          WHEN offer.reward_minor_units IS NOT NULL THEN 0
          WHEN offer.reward_percent_hundredths IS NOT NULL THEN 1
          WHEN offer.reward_text IS NOT NULL THEN 2 ELSE 3 END
        """
      let upTo = """
        CASE WHEN offer.reward_text IS NOT NULL AND offer.reward_up_to THEN 1::bigint
          ELSE 0::bigint END
        """
      return [
        Term(expression: kind), Term(expression: "offer.reward_currency"),
        Term(expression: "offer.reward_minor_units", isDescending: isAmountDescending),
        Term(expression: "offer.reward_percent_hundredths", isDescending: isAmountDescending),
        Term(expression: upTo, isDescending: isReversed),
      ]
    case .name:
      return [Term(expression: "offer.name_key", isDescending: isReversed, isNatural: true)]
    case .newest: return [Term(expression: "offer.first_seen_at", isDescending: !isReversed)]
    case .expiry:
      return [
        Term(expression: "offer.expires_at", isDescending: isReversed, isNoneLast: true)
      ]
    }
  }

  /// The list for ORDER BY.
  var orderBy: String {
    (terms.map(\.orderBy) + ["offer.offer_key \(isReversed ? "DESC" : "ASC")"])
      .joined(separator: ", ")
  }

  /// The condition that an offer comes after a place.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the place belongs to another order.
  func isBehind(
    _ values: [OfferPosition.Value], key: Int64, _ bindings: inout Bindings
  ) throws -> String {
    guard values.count == terms.count else {
      throw OffersError(
        .invalidRequest, "The position to continue from belongs to another sort order.")
    }
    var same: [String] = []
    var cases: [String] = []
    for (term, value) in zip(terms, values) {
      let bound: String? =
        switch value {
        case .none: nil
        case .number(let number): bindings.add(.number(number))
        case .text(let text):
          bindings.add(term.isNatural ? .bytes(NaturalOrder.key(text)) : .text(text))
        }
      if let behind = term.isBehind(bound) {
        cases.append((same + [behind]).joined(separator: " AND "))
      }
      same.append(term.isSame(bound))
    }
    let key = "offer.offer_key \(isReversed ? "<" : ">") \(bindings.add(.number(key)))"
    cases.append((same + [key]).joined(separator: " AND "))
    return "(\(cases.joined(separator: " OR ")))"
  }
}
