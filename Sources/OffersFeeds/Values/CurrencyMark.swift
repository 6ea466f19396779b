/// The sign and codes around a number that name its currency.
struct CurrencyMark {
  let currency: CurrencyCode
  /// The notation of numbers beside this sign and these codes.
  let custom: PrintedNumber.Custom
  /// Whether the number counts cents, because its sign is `¢`.
  var isMinor = false
  /// The start of the sign or code before the number; that of the number if there is none.
  let start: Int
  /// The end of the sign or code after the number; that of the number if there is none.
  let end: Int

  /// A sign before the number, and the currency that it stands for.
  private struct Sign {
    var start: Int
    /// The currency; nil for a bare `$` if the feed's currency is not a dollar.
    var currency: CurrencyCode?
    /// Whether the sign is a `$` without letters, which a code beside it may specify.
    var isBareDollar = false
    var custom: PrintedNumber.Custom?
  }

  /// Finds the currency of the number in `text[number]`.
  ///
  /// - Parameters:
  ///   - text: the printed text with the number, in UTF-8.
  ///   - number: the range of the number in the text.
  ///   - hasDecimals: whether the number has at least two decimals; a code that is also a word,
  ///     such as `TOP`, then names the currency.
  ///   - feed: the feed's currency, for signs that several currencies share.
  /// - Returns: nil when there is no sign or code, when they contradict each other, when they are
  ///   ambiguous, and when something other than a space or parenthesis precedes them.
  static func find(
    _ text: UnsafeRawBufferPointer, _ number: Range<Int>, hasDecimals: Bool, feed: CurrencyCode?
  ) -> CurrencyMark? {
    guard case .found(let sign) = signBefore(text, number.lowerBound, feed) else { return nil }
    var start = sign?.start ?? number.lowerBound
    var end = number.upperBound
    var custom = sign?.custom
    var isMinor = false
    var codes = Codes(
      currency: sign?.currency, isBareDollar: sign?.isBareDollar ?? false,
      hasSign: sign != nil, hasDecimals: hasDecimals, feed: feed)
    if let word = codeBefore(text, start) {
      switch codes.add(UnsafeRawBufferPointer(rebasing: text[word..<(word + 3)])) {
      case .taken: start = word
      case .noCode: break
      case .doubt: return nil
      }
    }
    let behind = PrintedCharacters.skipSpaces(text, from: end)
    if isSign(text, at: behind) {
      // Signs on both sides, or a code before and a sign after the number, are ambiguous.
      guard sign == nil, codes.currency == nil,
        let (found, length) = signBehind(text, behind, feed)
      else { return nil }
      isMinor = PrintedCharacters.stands("¢", in: text, at: behind)
      codes.currency = found
      custom = PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: false)
      end = behind + length
      let next = PrintedCharacters.skipSpaces(text, from: end)
      if isCode(text, at: next),
        let other = CurrencyCode.find(UnsafeRawBufferPointer(rebasing: text[next..<(next + 3)])),
        !other.isWord, !other.isSame(found)
      {
        return nil
      }
    } else if behind > end, isCode(text, at: behind) {
      switch codes.add(UnsafeRawBufferPointer(rebasing: text[behind..<(behind + 3)])) {
      case .taken: end = behind + 3
      case .noCode: break
      case .doubt: return nil
      }
    }
    guard let currency = codes.currency, PrintedCharacters.isBoundary(text, before: start) else {
      return nil
    }
    // If a unit has three decimals and its country uses a decimal point, 1.250 is one and a
    // quarter.
    let isHome =
      currency.isGroupedByCommas && (currency.isSame(feed) || currency.unitDigits == 3)
    var written =
      sign?.isBareDollar == true
      ? byCurrency(currency)
      : custom ?? PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: isHome)
    written.allowsIndianGroups = currency.isSame(.rupee)
    return CurrencyMark(
      currency: currency, custom: written, isMinor: isMinor, start: start, end: end)
  }

  /// The usual notation of amounts in a currency, for a bare number or one after a bare `$`.
  static func byCurrency(_ currency: CurrencyCode) -> PrintedNumber.Custom {
    PrintedNumber.Custom(
      allowsDecimalComma: !currency.isGroupedByCommas,
      isGroupedByCommas: currency.isGroupedByCommas)
  }

  /// The index of the word of three capital letters before a number or its sign, with a space
  /// between them; nil when there is none.
  private static func codeBefore(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    guard start > 3 else { return nil }
    let end = PrintedCharacters.skipSpacesBack(text, from: start)
    guard end < start, end >= 3, isCode(text, at: end - 3),
      PrintedCharacters.isBoundary(text, before: end - 3)
    else { return nil }
    return end - 3
  }

  /// Whether three capital letters begin at an index, with no further letter after them.
  private static func isCode(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
    index + 3 <= text.count && PrintedCharacters.isCapital(text[index])
      && PrintedCharacters.isCapital(text[index + 1])
      && PrintedCharacters.isCapital(text[index + 2])
      && (index + 3 == text.count || !PrintedCharacters.isLetter(text[index + 3]))
  }

  /// Whether any currency sign is at an index, even one that is not supported.
  private static func isSign(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard index < text.count else { return false }
    switch text[index] {
    case 0x24: return true
    case 0xC2: return index + 1 < text.count && (0xA2...0xA5).contains(text[index + 1])
    case 0xE2:
      return index + 2 < text.count && text[index + 1] == 0x82 && text[index + 2] >= 0xA0
    default: return false
    }
  }

  private enum Search {
    case found(Sign?)
    case doubt
  }

  private static func signBefore(
    _ text: UnsafeRawBufferPointer, _ end: Int, _ feed: CurrencyCode?
  ) -> Search {
    guard end > 0 else { return .found(nil) }
    if text[end - 1] == 0x24 { return dollarBefore(text, end - 1, feed) }
    // A `$` with letters, and the signs of the rupee and the euro, may be separated from the number
    // by a space.
    let apart = PrintedCharacters.skipSpacesBack(text, from: end)
    if apart > 1, apart < end, text[apart - 1] == 0x24,
      PrintedCharacters.isCapital(text[apart - 2])
    {
      return dollarBefore(text, apart - 1, feed)
    }
    if PrintedCharacters.stands("₹", in: text, at: apart - 3) {
      let custom = PrintedNumber.Custom(allowsDecimalComma: false, isGroupedByCommas: true)
      return .found(Sign(start: apart - 3, currency: .rupee, custom: custom))
    }
    let english = PrintedNumber.Custom(allowsDecimalComma: false, isGroupedByCommas: true)
    if PrintedCharacters.stands("£", in: text, at: end - 2) {
      guard let pound = poundSign(feed) else { return .doubt }
      return .found(Sign(start: end - 2, currency: pound, custom: english))
    }
    if PrintedCharacters.stands("¥", in: text, at: end - 2) {
      guard let feed, feed.sign == .yen else { return .doubt }
      return .found(Sign(start: end - 2, currency: feed, custom: english))
    }
    if PrintedCharacters.stands("€", in: text, at: apart - 3) {
      let custom = PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: false)
      return .found(Sign(start: apart - 3, currency: .euro, custom: custom))
    }
    return .found(nil)
  }

  /// Parses the sign that ends with the `$` at an index: `$`, `US$`, `C$`, `CA$`, `A$`, `AU$`,
  /// `HK$` or `R$`. A `$` after other letters is in doubt.
  private static func dollarBefore(
    _ text: UnsafeRawBufferPointer, _ dollar: Int, _ feed: CurrencyCode?
  ) -> Search {
    var start = dollar
    while start > 0, PrintedCharacters.isLetter(text[start - 1]) { start -= 1 }
    if start == dollar {
      let known = feed?.sign == .dollar ? feed : nil
      return .found(Sign(start: start, currency: known, isBareDollar: true))
    }
    let letters = UnsafeRawBufferPointer(rebasing: text[start..<dollar])
    func isPrefix(_ prefix: StaticString) -> Bool {
      letters.count == prefix.utf8CodeUnitCount
        && PrintedCharacters.stands(prefix, in: letters, at: 0)
    }
    let currency: CurrencyCode?
    if isPrefix("US") {
      currency = .usDollar
    } else if isPrefix("CA") || isPrefix("C") {
      currency = .canadianDollar
    } else if isPrefix("AU") || isPrefix("A") {
      currency = .australianDollar
    } else if isPrefix("HK") {
      currency = .hongKongDollar
    } else if isPrefix("R") {
      let custom = PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: false)
      return .found(Sign(start: start, currency: .real, custom: custom))
    } else {
      return .doubt
    }
    let english = PrintedNumber.Custom(allowsDecimalComma: false, isGroupedByCommas: true)
    return .found(Sign(start: start, currency: currency, custom: english))
  }

  private static func signBehind(
    _ text: UnsafeRawBufferPointer, _ start: Int, _ feed: CurrencyCode?
  ) -> (CurrencyCode, Int)? {
    if PrintedCharacters.stands("€", in: text, at: start), let euro = CurrencyCode.euro {
      return (euro, 3)
    }
    if PrintedCharacters.stands("£", in: text, at: start), let pound = poundSign(feed) {
      return (pound, 2)
    }
    if PrintedCharacters.stands("¢", in: text, at: start), let feed, feed.unitDigits == 2,
      feed.sign == .dollar || feed.sign == .euro
    {
      return (feed, 2)
    }
    return nil
  }

  /// The pound sterling, or nil if the feed's currency is another pound, which makes the sign
  /// ambiguous.
  private static func poundSign(_ feed: CurrencyCode?) -> CurrencyCode? {
    guard let feed, feed.sign == .pound, !feed.isSame(.pound) else { return .pound }
    return nil
  }
}

extension CurrencyMark {
  /// The currency according to the sign and the codes around a number.
  private struct Codes {
    var currency: CurrencyCode?
    let isBareDollar: Bool
    let hasSign: Bool
    let hasDecimals: Bool
    let feed: CurrencyCode?

    enum Outcome {
      case taken
      /// The word is an ordinary word.
      case noCode
      /// The word contradicts the sign or the other code, or may do so.
      case doubt
    }

    /// Takes a word as the code of the currency, if it is one and agrees with the sign and the
    /// other code.
    ///
    /// - Parameter word: three capital letters that a space separates from the number and its sign.
    mutating func add(_ word: UnsafeRawBufferPointer) -> Outcome {
      guard let code = CurrencyCode.find(word) else {
        // Most codes of dollars end in a D, including historical ones, which are not in the table.
        return isBareDollar && word[2] == 0x44 ? .doubt : .noCode
      }
      if let currency, code.isSame(currency) { return .taken }
      if currency != nil || hasSign {
        if currency == nil, isBareDollar, feed == nil, code.sign == .dollar {
          currency = code
          return .taken
        }
        return code.isWord && code.sign != .dollar ? .noCode : .doubt
      }
      guard !code.isWord || hasDecimals || code.isSame(feed) else { return .doubt }
      currency = code
      return .taken
    }
  }
}
