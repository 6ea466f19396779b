extension OfferChange.Kind {
  /// Whether a changed reward rose or fell; nil if the two are not comparable. Two exact values are
  /// comparable if they have the same kind and currency, and both or neither are “up to”.
  package static func direction(from old: Reward?, to new: Reward?) -> OfferChange.Kind? {
    guard let old, let new, old.isUpTo == new.isUpTo else { return nil }
    let numbers: (old: Int64, new: Int64)
    switch (old.value, new.value) {
    case (.amount(let old, let was), .amount(let new, let currency)) where was == currency:
      numbers = (old, new)
    case (.percent(let old), .percent(let new)): numbers = (old, new)
    default: return nil
    }
    return numbers.old == numbers.new ? nil : numbers.old < numbers.new ? .up : .down
  }
}
