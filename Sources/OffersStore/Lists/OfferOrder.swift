import Foundation
import OffersCore

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
