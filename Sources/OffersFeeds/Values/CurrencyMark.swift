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
  /// The number of decimals of the unit that the number counts.
  var unitDigits: Int { isMinor ? 0 : currency.unitDigits }

  /// A sign beside the number, and the currency that it stands for.
  private struct Sign {
    var start: Int
    var end: Int
    /// The currency; nil for a sign of several currencies if the feed's is none of them.
    var currency: CurrencyCode?
    /// Whether a currency is among those of a sign that several share, so that a code beside the
    /// sign may specify it; nil for a sign of one currency.
    var isOf: ((CurrencyCode) -> Bool)?
    /// Whether it stands for cents.
    var isMinor = false
    /// The notation of amounts in a currency beside the sign.
    var custom: (CurrencyCode) -> PrintedNumber.Custom
  }

  /// Finds the currency of the number in `text[number]`.
  ///
  /// - Parameters:
  ///   - text: the printed text with the number, in UTF-8.
  ///   - number: the range of the number in the text.
  ///   - hasDecimals: whether the number has at least two decimals; a code that is also a word,
  ///     such as `TOP`, then names the currency.
  ///   - feed: the feed's currency, for signs that several currencies share.
  ///   - unknown: the currency of an amount whose sign does not tell it; nil if it has no value.
  /// - Returns: nil when there is no sign or code, when they contradict each other, when they are
  ///   ambiguous, and when something other than a space or parenthesis precedes them.
  static func find(
    _ text: UnsafeRawBufferPointer, _ number: Range<Int>, hasDecimals: Bool, feed: CurrencyCode?,
    unknown: CurrencyCode?
  ) -> CurrencyMark? {
    guard case .found(var sign) = signBefore(text, number.lowerBound, feed) else { return nil }
    var start = sign?.start ?? number.lowerBound
    var end = number.upperBound
    let first = codeBefore(text, start)
    let behind = behind(text, end)
    if isSign(text, at: behind, feed), behind == end || !isOfNext(text, at: behind, feed) {
      // Signs on both sides, or a code before and a sign after the number, are ambiguous.
      guard sign == nil, first == nil, let found = signBehind(text, behind, feed) else {
        return nil
      }
      sign = found
      end = found.end
    } else if sign == nil, first == nil, let found = wordBehind(text, behind, feed) {
      sign = found
      end = found.end
    }
    var codes = Codes(
      currency: sign?.currency, isOf: sign?.isOf, hasSign: sign != nil, hasDecimals: hasDecimals,
      feed: feed)
    if let first {
      switch codes.add(first.code) {
      case .taken: start = first.start
      case .noCode: break
      case .doubt: return nil
      }
    }
    let next = CharacterScan.skipSpaces(text, from: end)
    if let code = code(text, at: next) {
      switch codes.add(code) {
      case .taken: end = next + 3
      case .noCode: break
      case .doubt: return nil
      }
    }
    if codes.currency == nil, sign?.isOf != nil { codes.currency = unknown }
    guard let currency = codes.currency, CharacterScan.isBoundary(text, before: start) else {
      return nil
    }
    // If a unit has three decimals and its country uses a decimal point, 1.250 is one and a
    // quarter.
    let isHome =
      currency.isGroupedByCommas && (currency.isSame(feed) || currency.unitDigits == 3)
    var written =
      sign?.custom(currency)
      ?? PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: isHome)
    written.suit(currency)
    return CurrencyMark(
      currency: currency, custom: written, isMinor: sign?.isMinor == true, start: start, end: end)
  }

  /// The index after the spaces behind a number, or after the hyphen of `10-€-Gutschein`.
  private static func behind(_ text: UnsafeRawBufferPointer, _ end: Int) -> Int {
    guard end < text.count, text[end] == 0x2D else {
      return CharacterScan.skipSpaces(text, from: end)
    }
    var index = end + 1
    while index < text.count, index < end + 12, text[index] != 0x2D,
      CharacterScan.spaceLength(text, at: index) == 0, !CharacterScan.isDigit(text[index])
    {
      index += 1
    }
    let isJoined =
      index + 1 < text.count && text[index] == 0x2D && CharacterScan.isLetter(text[index + 1])
    return isJoined ? end + 1 : end
  }

  /// The usual notation of amounts in a currency, for a bare number or one after a bare `$`.
  static func byCurrency(_ currency: CurrencyCode) -> PrintedNumber.Custom {
    var custom = PrintedNumber.Custom(
      allowsDecimalComma: !currency.isGroupedByCommas,
      isGroupedByCommas: currency.isGroupedByCommas)
    custom.suit(currency)
    return custom
  }

  /// The code before a number or its sign, with its start; nil when there is none.
  private static func codeBefore(
    _ text: UnsafeRawBufferPointer, _ start: Int
  ) -> (code: UnsafeRawBufferPointer, start: Int)? {
    let end = CharacterScan.skipSpacesBack(text, from: start)
    guard end >= 3, CharacterScan.isBoundary(text, before: end - 3),
      let code = code(UnsafeRawBufferPointer(rebasing: text[..<end]), at: end - 3)
    else { return nil }
    return (code, end - 3)
  }

  /// The code of three capital letters at an index, if no further letter is after them. The codes
  /// that people often type in lower case are found in any case.
  private static func code(
    _ text: UnsafeRawBufferPointer, at index: Int
  ) -> UnsafeRawBufferPointer? {
    guard index + 3 <= text.count,
      index + 3 == text.count || !CharacterScan.isLetter(text[index + 3])
    else { return nil }
    let word = UnsafeRawBufferPointer(rebasing: text[index..<(index + 3)])
    if word.allSatisfy(CharacterScan.isCapital) { return word }
    let typed = typedCodes.first { CharacterScan.isSame(word, $0.lower) }
    return typed.map { UnsafeRawBufferPointer(start: $0.capital.utf8Start, count: 3) }
  }

  private static let typedCodes: [(lower: StaticString, capital: StaticString)] = [
    ("eur", "EUR"), ("usd", "USD"), ("gbp", "GBP"), ("chf", "CHF"), ("pln", "PLN"),
    ("czk", "CZK"), ("aud", "AUD"), ("jpy", "JPY"), ("inr", "INR"),
  ]

  /// Whether any currency sign is at an index, even one that is not supported.
  private static func isSign(
    _ text: UnsafeRawBufferPointer, at index: Int, _ feed: CurrencyCode?
  ) -> Bool {
    guard index < text.count else { return false }
    switch text[index] {
    case 0x24: return true
    case 0xC2 where index + 1 < text.count && (0xA2...0xA5).contains(text[index + 1]): return true
    case 0xE2 where index + 2 < text.count && text[index + 1] == 0x82 && text[index + 2] >= 0xA0:
      return true
    default:
      guard let found = CurrencySign.find(text, startingAt: index)?.sign else { return false }
      return found.use != .word || found.currency(feed: feed) != nil
    }
  }

  /// Whether the sign at an index is directly before a digit, so that it belongs to another number: in
  /// `Lamp 2 $35` no 2 dollars are meant.
  private static func isOfNext(
    _ text: UnsafeRawBufferPointer, at index: Int, _ feed: CurrencyCode?
  ) -> Bool {
    guard let sign = signBehind(text, index, feed), sign.end < text.count else { return false }
    return CharacterScan.isDigit(text[sign.end])
  }

  private enum Search {
    case found(Sign?)
    case doubt
  }

  private static func signBefore(
    _ text: UnsafeRawBufferPointer, _ number: Int, _ feed: CurrencyCode?
  ) -> Search {
    let end = CharacterScan.skipSpacesBack(text, from: number)
    guard end > 0 else { return .found(nil) }
    if text[end - 1] == 0x24 { return dollarBefore(text, end - 1, feed) }
    guard let (found, start) = CurrencySign.find(text, endingAt: end) else { return .found(nil) }
    guard let currency = found.currency(feed: feed) else {
      switch found.use {
      case .own: return .doubt
      case .shared: return .found(sign(found, start..<end, nil, isBehind: false))
      case .word: return .found(nil)
      }
    }
    return .found(sign(found, start..<end, currency, isBehind: false))
  }

  private static func sign(
    _ found: CurrencySign, _ range: Range<Int>, _ currency: CurrencyCode?, isBehind: Bool
  ) -> Sign {
    var sign = Sign(start: range.lowerBound, end: range.upperBound, currency: currency) {
      found.custom($0, isBehind: isBehind)
    }
    if found.use == .shared { sign.isOf = { found.isOf($0) } }
    return sign
  }

  private static func isDollar(_ currency: CurrencyCode) -> Bool { currency.sign == .dollar }

  /// Parses the sign that ends with the `$` at an index: a bare `$`, or one with the letters of a
  /// country. A `$` after other letters is in doubt.
  private static func dollarBefore(
    _ text: UnsafeRawBufferPointer, _ dollar: Int, _ feed: CurrencyCode?
  ) -> Search {
    let end = dollar + 1
    var start = dollar
    while start > 0, CharacterScan.isLetter(text[start - 1]) { start -= 1 }
    if start == dollar {
      // In `US $5` the letters stand apart.
      let apart = CharacterScan.skipSpacesBack(text, from: dollar)
      var first = apart
      while first > 0, CharacterScan.isCapital(text[first - 1]) { first -= 1 }
      // A single letter may be the word `A`.
      if apart < dollar, apart - first == 2,
        let found = Self.dollar(UnsafeRawBufferPointer(rebasing: text[first..<apart]))
      {
        return .found(lettered(found, first..<end))
      }
      let known = feed.flatMap { isDollar($0) ? $0 : nil }
      return .found(
        Sign(
          start: start, end: end, currency: known, isOf: isDollar,
          custom: byCurrency))
    }
    guard let found = Self.dollar(UnsafeRawBufferPointer(rebasing: text[start..<dollar])) else {
      return .doubt
    }
    return .found(lettered(found, start..<end))
  }

  private static func lettered(_ code: String, _ range: Range<Int>) -> Sign {
    let isReal = code == "BRL"
    return Sign(
      start: range.lowerBound, end: range.upperBound, currency: CurrencyCode(code),
      custom: { _ in
        PrintedNumber.Custom(allowsDecimalComma: isReal, isGroupedByCommas: !isReal)
      })
  }

  /// The currency of a `$` after the letters of a country.
  private static func dollar(_ letters: UnsafeRawBufferPointer) -> String? {
    if let code = CurrencyCode.find(letters), code.sign == .dollar {
      return String(decoding: letters, as: UTF8.self)
    }
    let known: [(letters: StaticString, code: String)] = [
      ("US", "USD"), ("CA", "CAD"), ("C", "CAD"), ("AU", "AUD"), ("A", "AUD"), ("HK", "HKD"),
      ("NZ", "NZD"), ("NT", "TWD"), ("S", "SGD"), ("MX", "MXN"), ("R", "BRL"),
    ]
    return known.first {
      letters.count == $0.letters.utf8CodeUnitCount
        && CharacterScan.stands($0.letters, in: letters, at: 0)
    }?.code
  }

  private static func signBehind(
    _ text: UnsafeRawBufferPointer, _ start: Int, _ feed: CurrencyCode?
  ) -> Sign? {
    if text[start] == 0x24 {
      return Sign(
        start: start, end: start + 1, currency: feed.flatMap { isDollar($0) ? $0 : nil },
        isOf: isDollar,
        custom: {
          PrintedNumber.Custom(
            allowsDecimalComma: true, isGroupedByCommas: $0.isGroupedByCommas)
        })
    }
    if CharacterScan.stands("¢", in: text, at: start) {
      return cents(start..<(start + 2), feed) { $0.sign == .dollar || $0.sign == .euro }
    }
    guard let (found, end) = CurrencySign.find(text, startingAt: start) else { return nil }
    let currency = found.currency(feed: feed)
    guard currency != nil || found.use == .shared else { return nil }
    return sign(found, start..<end, currency, isBehind: true)
  }

  /// The word for dollars or cents that starts at an index. Cents are those of a feed whose country uses the
  /// word; `p` stands directly behind a number below 100, since `1080p` is none.
  private static func wordBehind(
    _ text: UnsafeRawBufferPointer, _ start: Int, _ feed: CurrencyCode?
  ) -> Sign? {
    var end = start
    while end < text.count,
      CharacterScan.isLetter(text[end]) || text[end] >= 0xC3 && text[end] != 0xE2
        || text[end] & 0xC0 == 0x80
    { end += 1 }
    guard (1...10).contains(end - start) else { return nil }
    let word = UnsafeRawBufferPointer(rebasing: text[start..<end])
    func isOne(of words: [StaticString]) -> Bool {
      words.contains { CharacterScan.isSame(word, $0) }
    }
    if isOne(of: ["dollars", "dollar", "dólares", "dollari"]) {
      return Sign(
        start: start, end: end, currency: feed.flatMap { isDollar($0) ? $0 : nil }, isOf: isDollar,
        custom: byCurrency)
    }
    let isPence =
      isOne(of: ["pence"])
      || isOne(of: ["p"]) && feed != nil && start >= 1 && CharacterScan.isDigit(text[start - 1])
        && (start < 3 || !CharacterScan.isDigit(text[start - 3]))
    if isPence { return cents(start..<end, feed) { $0.sign == .pound } }
    let isEuro = isOne(of: ["cent", "centimes", "céntimos", "centesimi"])
    guard isEuro || isOne(of: ["cents"]) || isOne(of: ["ct"]) && feed != nil else { return nil }
    return cents(start..<end, feed) {
      $0.sign == .euro || $0.sign == .dollar && isOne(of: ["cents"])
    }
  }

  /// A sign or word for cents of the feed's currency, or of an unknown one; nil if the feed's has no such cents.
  private static func cents(
    _ range: Range<Int>, _ feed: CurrencyCode?, isOf: @escaping (CurrencyCode) -> Bool
  ) -> Sign? {
    if let feed, feed.unitDigits != 2 || !isOf(feed) { return nil }
    return Sign(
      start: range.lowerBound, end: range.upperBound, currency: feed,
      isOf: feed == nil ? isOf : nil, isMinor: true,
      custom: { _ in PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: false) })
  }
}

extension CurrencyMark {
  /// The currency according to the sign and the codes around a number.
  private struct Codes {
    var currency: CurrencyCode?
    /// Whether a currency is among those of the sign, if several share it; otherwise nil.
    let isOf: ((CurrencyCode) -> Bool)?
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
    /// - Parameter word: three capital letters beside the number or its sign.
    mutating func add(_ word: UnsafeRawBufferPointer) -> Outcome {
      guard let code = CurrencyCode.find(word) else {
        // Most codes of dollars end in a D, including historical ones, which are not in the table.
        return isOf != nil && word[2] == 0x44 ? .doubt : .noCode
      }
      if let currency, code.isSame(currency) { return .taken }
      if currency != nil || hasSign {
        if currency == nil, isOf?(code) == true {
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

extension PrintedNumber.Custom {
  /// Allows what is written in a currency beside any sign: India's groups of digits, and only
  /// thousands behind a mark if the currency has no decimals.
  fileprivate mutating func suit(_ currency: CurrencyCode) {
    allowsIndianGroups = currency.isSame(.rupee)
    if currency.unitDigits == 0 { hasNoDecimals = true }
  }
}
