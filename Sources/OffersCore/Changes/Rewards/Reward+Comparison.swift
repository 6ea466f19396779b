extension Reward {
  /// By how much the reward is higher than an earlier one, negative if it is lower; nil if the two are equal
  /// or not comparable (`OfferChange.Kind.direction`).
  package func difference(from old: Reward) -> Value? {
    guard OfferChange.Kind.direction(from: old, to: self) != nil else { return nil }
    func minus(_ number: Int64, _ earlier: Int64) -> Int64? {
      let (result, didOverflow) = number.subtractingReportingOverflow(earlier)
      // The smallest number has no magnitude of its type.
      return didOverflow || result == .min ? nil : result
    }
    return switch (old.value, value) {
    case (.amount(let was, _), .amount(let units, let currency)):
      minus(units, was).map { .amount(minorUnits: $0, currency: currency) }
    case (.percent(let was), .percent(let hundredths)):
      minus(hundredths, was).map { .percent(hundredths: $0) }
    default: nil
    }
  }

  /// Whether a feed's new reward is a change that people should hear of.
  ///
  /// Rewards do not differ if the same amount or percentage is printed in other digits, as in `9.90` and
  /// `9.9`, or if the text is the same and only its parsed value changed, as after the currency of the feed
  /// was set.
  package static func differ(_ old: Reward?, _ new: Reward?) -> Bool {
    guard let old, let new else { return (old == nil) != (new == nil) }
    if old.text.utf8.elementsEqual(new.text.utf8) { return false }
    guard let was = old.value, let value = new.value, old.isUpTo == new.isUpTo else { return true }
    switch (was, value) {
    case (.percent(let was), .percent(let hundredths)) where was == hundredths: break
    case (.amount(let was, let before), .amount(let units, let currency))
    where was == units && (before == currency || before == nil || currency == nil): break
    default: return true
    }
    return old.words(besides: new) != new.words(besides: old)
  }

  /// The words of the text without the code of a currency, since an amount may be printed with its
  /// code or its sign.
  private func words(besides other: Reward) -> [Substring] {
    let codes = [currency, other.currency].compactMap { $0?.lowercased() }
    return text.lowercased().split { !$0.isLetter }.filter { !codes.contains(String($0)) }
  }
}
