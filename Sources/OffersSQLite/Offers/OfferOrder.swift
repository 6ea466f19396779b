import GRDB
import OffersCore

/// The sort order of a list as SQL terms, and the condition that selects the offers after a given
/// one (keyset pagination).
struct OfferOrder {
  /// One term of ORDER BY.
  private struct Term {
    /// The position of rows whose value is NULL.
    enum None {
      case nowhere
      /// NULL counts as the lowest value, as by default in SQLite: first in ascending order, last
      /// in descending order.
      case lowest
      case last
    }

    let sql: String
    var arguments: StatementArguments = []
    let isDescending: Bool
    var none = None.nowhere

    var order: String {
      let order = "\(sql) \(isDescending ? "DESC" : "ASC")"
      return none == .last && !isDescending ? "\(sql) IS NULL, \(order)" : order
    }

    /// The condition that a row's value sorts after `value`.
    func isBehind(_ value: OfferPosition.Value) -> (sql: String, arguments: StatementArguments) {
      // Nothing sorts after NULL, unless NULL is first.
      if value == .none {
        return (none == .lowest && !isDescending ? "\(sql) IS NOT NULL" : "0", [])
      }
      let endsWithNone = none == .last || none == .lowest && isDescending
      let compared = "\(sql) \(isDescending ? "<" : ">") ?"
      return (
        endsWithNone ? "(\(compared) OR \(sql) IS NULL)" : compared,
        arguments + [value.databaseValue]
      )
    }
  }

  /// The last term is the key, which makes the order total.
  private let terms: [Term]

  /// - Parameters:
  ///   - sort: the order that the query asks for.
  ///   - key: the column of the offers' keys.
  ///   - isReversed: whether to reverse the order, that of the keys included.
  ///   - isDated: whether all listed offers have an expiry date.
  ///   - pricedKeys: the keys of the feeds whose values are prices.
  ///   - expiredSeconds: the time from which on offers are expired and come last; nil if they keep
  ///     their places.
  init(
    _ sort: OfferQuery.Sort, key: String, isReversed: Bool, isDated: Bool = false,
    pricedKeys: [Int64] = [],
    expiredSeconds: Int64? = nil
  ) {
    let own: [Term] =
      switch sort {
      case .feed: []
      case .reward:
        Self.valueTerms(
          last: pricedKeys.isEmpty ? nil : Self.isPriced(pricedKeys), isDescending: !isReversed,
          isReversed: isReversed)
      case .price:
        Self.valueTerms(
          last: pricedKeys.isEmpty ? "1" : "NOT \(Self.isPriced(pricedKeys))",
          isDescending: isReversed, isReversed: isReversed)
      case .name: [Term(sql: "offer.name COLLATE by_name", isDescending: isReversed)]
      case .newest: [Term(sql: "offer.first_seen_at", isDescending: !isReversed)]
      case .expiry:
        [
          Term(
            sql: "detail.expires_at", isDescending: isReversed, none: isDated ? .nowhere : .last)
        ]
      }
    let expired = expiredSeconds.map {
      Term(sql: "coalesce(detail.expires_at <= ?, 0)", arguments: [$0], isDescending: false)
    }
    terms = [expired].compactMap(\.self) + own + [Term(sql: key, isDescending: isReversed)]
  }

  /// The condition that an offer belongs to one of the feeds. The unary plus keeps SQLite from using
  /// the index on ids.
  static func isPriced(_ keys: [Int64]) -> String {
    "(+offer.feed_key IN (\(keys.map(String.init).joined(separator: ", "))))"
  }

  /// - Parameter last: the condition for offers whose value is of the other role; nil if there are
  ///   none.
  private static func valueTerms(
    last: String?, isDescending: Bool, isReversed: Bool
  ) -> [Term] {
    let kind = """
      CASE \(last.map { "WHEN \($0) THEN 4 " } ?? "")WHEN offer.reward_minor_units IS NOT NULL THEN 0
        WHEN offer.reward_percent_hundredths IS NOT NULL THEN 1
        WHEN offer.reward_text IS NOT NULL THEN 2 ELSE 3 END
      """
    return [
      Term(sql: kind, isDescending: false),
      Term(sql: "offer.reward_currency", isDescending: false, none: .lowest),
      Term(sql: "offer.reward_minor_units", isDescending: isDescending, none: .lowest),
      Term(sql: "offer.reward_percent_hundredths", isDescending: isDescending, none: .lowest),
      Term(sql: "offer.reward_up_to", isDescending: isReversed),
    ]
  }

  /// The number of sort values, without the key.
  var valueCount: Int { terms.count - 1 }

  /// The list of terms for ORDER BY.
  var sql: String { terms.map(\.order).joined(separator: ", ") }

  /// The arguments of `sql`.
  var arguments: StatementArguments { terms.reduce([]) { $0 + $1.arguments } }

  /// The condition for rows that sort after a given offer.
  ///
  /// - Parameters:
  ///   - values: the sort values of that offer, `valueCount` of them.
  ///   - key: the key of that offer.
  func condition(
    behind values: [OfferPosition.Value], _ key: Int64
  ) -> (sql: String, arguments: StatementArguments) {
    let last = terms[terms.count - 1].isBehind(.number(key))
    return zip(terms, values).reversed().reduce(last) { rest, next in
      let (term, value) = next
      let behind = term.isBehind(value)
      return (
        "(\(behind.sql) OR (\(term.sql) IS ? AND \(rest.sql)))",
        behind.arguments + term.arguments + [value.databaseValue] + rest.arguments
      )
    }
  }
}

extension OfferPosition.Value {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .none: .null
    case .number(let number): number.databaseValue
    case .text(let text): text.databaseValue
    }
  }
}
