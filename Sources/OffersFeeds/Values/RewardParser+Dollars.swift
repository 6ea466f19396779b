import OffersCore

extension RewardParser {
  /// Parses the most common forms, `$0.75 Cash Back` and `Up to $3`, in one pass, as amounts in
  /// `currency`.
  ///
  /// A fast path only: the general rules give the same results.
  ///
  /// - Returns: nil for any other form, which the general rules parse.
  static func parseDollars(
    _ text: UnsafeRawBufferPointer, _ currency: CurrencyCode
  ) -> ExactReward? {
    let start = CharacterScan.stands("Up to ", in: text, at: 0) ? 6 : 0
    guard start < text.count, text[start] == 0x24 else { return nil }
    var index = start + 1
    var number: Int64 = 0
    while index < text.count, CharacterScan.isDigit(text[index]) {
      number = number * 10 + Int64(text[index] &- 0x30)
      index += 1
      if index - start > 10 { return nil }
    }
    guard index > start + 1 else { return nil }
    if index + 2 < text.count, text[index] == 0x2E, CharacterScan.isDigit(text[index + 1]),
      CharacterScan.isDigit(text[index + 2])
    {
      number = number * 100 + Int64(text[index + 1] &- 0x30) * 10 + Int64(text[index + 2] &- 0x30)
      index += 3
    } else {
      number *= 100
    }
    guard isPlainEnd(text, index) else { return nil }
    var reward = ExactReward()
    reward.kind = OfferRecord.amount
    reward.number = number
    reward.currency = currency.letters
    reward.isUpTo = start > 0
    return reward
  }

  /// Whether the text ends at an index, or continues with a space and a word that does not change
  /// the amount, and contains no further digit.
  private static func isPlainEnd(_ text: UnsafeRawBufferPointer, _ end: Int) -> Bool {
    if end == text.count { return true }
    guard end + 2 < text.count, text[end] == 0x20, CharacterScan.isLetter(text[end + 1]),
      !CharacterScan.isCapital(text[end + 2]),
      RewardWords.leaveAlone(text, from: end, isAmount: true)
    else { return false }
    var index = end + 1
    while index < text.count {
      if CharacterScan.isDigit(text[index]) { return false }
      index += 1
    }
    return true
  }
}
