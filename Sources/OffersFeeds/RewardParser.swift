import OffersCore

/// Reads the exact value out of a printed reward, where the text says one without doubt.
///
/// Understood are one amount of dollars (`$0.75 Cash Back`, `Get $1,000`), or one percentage
/// (`5% back`), either with `up to` before it. A text with two numbers (`$1 off $5`), a bare number
/// (`Save 2`), more decimals than the unit has, or digits grouped in any other way stays text:
/// nothing is guessed.
package struct RewardParser: Sendable {
  private let dollarCurrency: (UInt8, UInt8, UInt8)

  /// - Parameter dollarCurrency: the ISO 4217 code that `$` stands for, three ASCII letters.
  package init(dollarCurrency: String) {
    var code = dollarCurrency.utf8.makeIterator()
    self.dollarCurrency = (code.next() ?? 0x58, code.next() ?? 0x58, code.next() ?? 0x58)
  }

  /// - Parameter text: the printed reward in UTF-8.
  package func parse(_ text: UnsafeRawBufferPointer) -> ExactReward {
    var reward = ExactReward()
    guard let first = text.firstIndex(where: Self.isDigit) else { return reward }
    var index = first
    guard let (digits, decimals) = Self.number(text, &index) else { return reward }
    // A second number makes it anybody's guess which one is paid.
    if text[index...].contains(where: Self.isDigit) { return reward }
    let before = first > 0 ? text[first - 1] : 0x20
    let after = index < text.count ? text[index] : 0x20
    // The sign before, or the letter after, may say that this is no plain number.
    if before == 0x2D || before == 0x2E || before == 0x2C { return reward }
    guard let hundredths = Self.hundredths(digits, decimals) else { return reward }
    if before == 0x24, after != 0x25 {
      guard first < 2 || Self.isSpaceOrBracket(text[first - 2]) else { return reward }
      guard !Self.isLetter(after) else { return reward }
      reward.kind = OfferRecord.amount
      reward.currency = dollarCurrency
    } else if after == 0x25, Self.isSpaceOrBracket(before) {
      reward.kind = OfferRecord.percent
    } else {
      return reward
    }
    reward.number = hundredths
    reward.isUpTo = Self.saysUpTo(UnsafeRawBufferPointer(rebasing: text[..<first]))
    return reward
  }

  /// Reads digits, with commas between groups of three, and decimals behind a point.
  private static func number(
    _ text: UnsafeRawBufferPointer, _ index: inout Int
  ) -> (digits: Int64, decimals: Int)? {
    var digits: Int64 = 0
    var count = 0
    func take(_ byte: UInt8) -> Bool {
      count += 1
      digits = digits * 10 + Int64(byte &- 0x30)
      return count <= 15
    }
    var group = 0
    var hasCommas = false
    while index < text.count {
      let byte = text[index]
      if isDigit(byte) {
        guard take(byte) else { return nil }
        group += 1
      } else if byte == 0x2C, index + 1 < text.count, isDigit(text[index + 1]) {
        guard hasCommas ? group == 3 : (1...3).contains(group) else { return nil }
        hasCommas = true
        group = 0
      } else {
        break
      }
      index += 1
    }
    if hasCommas && group != 3 { return nil }
    var decimals = 0
    if index + 1 < text.count, text[index] == 0x2E, isDigit(text[index + 1]) {
      index += 1
      while index < text.count, isDigit(text[index]) {
        guard take(text[index]) else { return nil }
        decimals += 1
        index += 1
      }
      // 1.2.3 is a version or a date.
      if index + 1 < text.count, text[index] == 0x2E, isDigit(text[index + 1]) { return nil }
    }
    return (digits, decimals)
  }

  private static func hundredths(_ digits: Int64, _ decimals: Int) -> Int64? {
    switch decimals {
    case 0: digits * 100
    case 1: digits * 10
    case 2: digits
    default: nil
    }
  }

  private static func saysUpTo(_ prefix: UnsafeRawBufferPointer) -> Bool {
    let phrase = Array("up to".utf8)
    var end = prefix.count
    while end > 0, prefix[end - 1] == 0x20 || prefix[end - 1] == 0x24 { end -= 1 }
    guard end >= phrase.count else { return false }
    for offset in phrase.indices {
      let byte = prefix[end - phrase.count + offset]
      let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      if lower != phrase[offset] { return false }
    }
    return end == phrase.count || !isLetter(prefix[end - phrase.count - 1])
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  private static func isSpaceOrBracket(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x28 || byte == 0x0A || byte == 0x09
  }
}
