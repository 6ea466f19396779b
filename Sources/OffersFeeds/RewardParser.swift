import OffersCore

/// Reads the exact value out of a printed reward, where the text says one without doubt.
///
/// Understood are one amount of dollars (`$0.75 Cash Back`, `Get $1,000`), or one percentage
/// (`5% back`), either with `up to` right before it. A text with two numbers (`$1 off $5`), a bare
/// number (`Save 2`), more decimals than the unit has, digits grouped in any other way, a rate or
/// an open end (`$5/lb`, `$5+`), another currency (`$5 CAD`), a number in words (`$1 million`) or an
/// `up to` further off (`Sign up to get $5`) stays text: nothing is guessed.
package struct RewardParser: Sendable {
  /// Names the rules. To be changed with them, so that stored rewards are read again.
  static let rules = "1"

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
    guard let hundredths = Self.hundredths(digits, decimals) else { return reward }
    let before = first > 0 ? text[first - 1] : 0x20
    let isPercent = index < text.count && text[index] == 0x25
    let rest = UnsafeRawBufferPointer(rebasing: text[(isPercent ? index + 1 : index)...])
    guard Self.endsPlainly(rest) else { return reward }
    if isPercent {
      guard Self.isSpaceOrBracket(before) else { return reward }
    } else {
      guard before == 0x24, first < 2 || Self.isSpaceOrBracket(text[first - 2]),
        !changesAmount(rest)
      else { return reward }
    }
    switch Self.limit(UnsafeRawBufferPointer(rebasing: text[..<first])) {
    case .none: break
    case .upTo: reward.isUpTo = true
    case .unclear: return reward
    }
    reward.number = hundredths
    reward.kind = isPercent ? OfferRecord.percent : OfferRecord.amount
    if !isPercent { reward.currency = dollarCurrency }
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
    let start = index
    var group = 0
    var hasCommas = false
    while index < text.count {
      let byte = text[index]
      if isDigit(byte) {
        guard take(byte) else { return nil }
        group += 1
      } else if byte == 0x2C, index + 1 < text.count, isDigit(text[index + 1]) {
        guard hasCommas ? group == 3 : (1...3).contains(group) else { return nil }
        // Nobody groups behind a leading zero: the comma of 0,125 may be a decimal one.
        guard text[start] != 0x30 else { return nil }
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

  /// Whether nothing that stands right behind the number can be a part of it or of its unit.
  private static func endsPlainly(_ rest: UnsafeRawBufferPointer) -> Bool {
    switch rest.first {
    case nil, 0x20, 0x09, 0x0A, 0x0D, 0x29, 0x2A, 0x2C, 0x2E, 0x3A, 0x3B, 0x21: true
    // A space that does not break.
    case 0xC2: rest.count > 1 && rest[1] == 0xA0
    default: false
    }
  }

  /// Whether the word behind an amount may say that it is one of something else: a code such as
  /// `CAD`, which all end in a D where the sign is `$`, or a number in words.
  private func changesAmount(_ rest: UnsafeRawBufferPointer) -> Bool {
    guard let start = rest.firstIndex(where: Self.isLetter),
      rest[..<start].allSatisfy({ $0 == 0x20 || $0 == 0xC2 || $0 == 0xA0 })
    else { return false }
    let word = rest[start...].prefix(while: Self.isLetter)
    if word.count == 3, word.last == 0x44, word.allSatisfy({ $0 < 0x60 }) {
      let (a, b, c) = dollarCurrency
      return !word.elementsEqual([a, b, c])
    }
    return Self.numberWords.contains { Self.isSame(word, $0) }
  }

  private static let numberWords = ["hundred", "thousand", "million", "billion"]

  private enum Limit {
    case none
    case upTo
    /// `Up to` stands there, and something between it and the number.
    case unclear
  }

  private static func limit(_ prefix: UnsafeRawBufferPointer) -> Limit {
    let phrase = "up to"
    var end = prefix.count
    while end > 0, prefix[end - 1] == 0x20 || prefix[end - 1] == 0x24 { end -= 1 }
    var start = end - phrase.utf8.count
    while start >= 0 {
      let behind = start + phrase.utf8.count
      if start == 0 || !isLetter(prefix[start - 1]), behind == end || !isLetter(prefix[behind]),
        isSame(prefix[start..<behind], phrase)
      {
        return behind == end ? .upTo : .unclear
      }
      start -= 1
    }
    return .none
  }

  /// Compares with a text in lower-case ASCII, whatever the case.
  private static func isSame(_ text: Slice<UnsafeRawBufferPointer>, _ lower: String) -> Bool {
    text.count == lower.utf8.count
      && zip(text, lower.utf8).allSatisfy { ($0 &- 0x41 < 26 ? $0 | 0x20 : $0) == $1 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  private static func isSpaceOrBracket(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x28 || byte == 0x0A || byte == 0x09
  }
}
