import OffersCore

/// The order of a query's list, by the sort keys of `OfferPlace`.
struct MemoryOrder {
  /// How one sort key is compared.
  private struct Term {
    var isDescending = false
    /// Whether an offer without the value comes last in both directions; otherwise it counts as the
    /// lowest value.
    var isNoneLast = false
    /// Whether texts are compared by `NaturalOrder`, otherwise byte by byte.
    var isNatural = false

    func compare(_ left: OfferPlace.Value, _ right: OfferPlace.Value) -> Int {
      switch (left, right) {
      case (.none, .none): 0
      case (.none, _): isNoneLast ? 1 : turned(-1)
      case (_, .none): isNoneLast ? -1 : turned(1)
      case (.number(let left), .number(let right)):
        turned(left < right ? -1 : left > right ? 1 : 0)
      case (.text(let left), .text(let right)): turned(compare(left, right))
      case (.number, .text), (.text, .number): 0
      }
    }

    private func turned(_ order: Int) -> Int { isDescending ? -order : order }

    private func compare(_ left: String, _ right: String) -> Int {
      if isNatural { return NaturalOrder.compare(left, right) }
      if left.hasSameBytes(as: right) { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }
  }

  /// An offer's place in the list.
  struct Place {
    let values: [OfferPlace.Value]
    let key: Int64
  }

  private let terms: [Term]
  private let keyTerm: Term

  init(_ query: OfferQuery) {
    let isReversed = query.isReversed
    let amount = Term(isDescending: (query.sort == .reward) != isReversed)
    let own: [Term] =
      switch query.sort {
      case .feed: []
      case .reward, .price: [Term(), Term(), amount, amount, Term(isDescending: isReversed)]
      case .name: [Term(isDescending: isReversed, isNatural: true)]
      case .newest: [Term(isDescending: !isReversed)]
      case .expiry: [Term(isDescending: isReversed, isNoneLast: true)]
      }
    terms = (query.sortsExpiredLast ? [Term()] : []) + own
    keyTerm = Term(isDescending: isReversed)
  }

  /// Whether a place was made for this order.
  func fits(_ values: [OfferPlace.Value]) -> Bool { values.count == terms.count }

  func precedes(_ left: Place, _ right: Place) -> Bool {
    for (term, (one, other)) in zip(terms, zip(left.values, right.values)) {
      let order = term.compare(one, other)
      if order != 0 { return order < 0 }
    }
    return keyTerm.compare(.number(left.key), .number(right.key)) < 0
  }
}
