import OffersCore

/// Parses the exact value of a printed reward or price, if it is unambiguous.
///
/// Supported are a single amount with its sign, word or ISO 4217 code on either side
/// (`$0.75 Cash Back`, `1.234,56 EUR`, `1 299,00 Kč`, `Rs. 1,299`, `12,- kr`) and a single percentage
/// (`5% back`, `2,5 %`), either with `up to` directly before it. Cents (`50¢`) are those of the
/// feed's currency, if that is a dollar or the euro. The result has no value for a text with two numbers (`$1 off $5`), with more decimals than the unit has, with an
/// ambiguous comma or point (`€1,500`), with a rate or an open end (`$5/lb`, `$5+`), with two
/// currencies (`€5 CAD`), with a number in words (`$1 million`), or with an `up to` elsewhere
/// (`Sign up to get $5`): nothing is guessed.
package struct RewardParser: Sendable {
  /// The version of the rules of this parser. It must change with them, so that the next sync
  /// parses stored rewards again.
  static let rules = "5"

  private let currency: CurrencyCode?
  /// The currency of a text that consists of a number alone.
  private let bareCurrency: CurrencyCode
  /// The currency of an amount whose sign several currencies share, where the feed's own currency does not
  /// decide: `CurrencyCode.unknown`; nil if such an amount has no value, as `$5` in a feed in euros.
  private let unknown: CurrencyCode?
  /// The feed's currency, if its sign is `$` and its amounts are written like US dollars.
  private let dollar: CurrencyCode?

  /// Creates a parser of a feed's texts. The amounts of a feed whose currency is unknown are parsed
  /// as well, as amounts without a currency.
  ///
  /// - Parameter feedCurrency: the ISO 4217 code of the feed's currency; nil if it is unknown. A sign
  ///   that several currencies share, such as `$`, stands for it if that is its own sign.
  package init(feedCurrency: String?) {
    self.init(feed: feedCurrency.flatMap { CurrencyCode($0) })
  }

  private init(feed: CurrencyCode?) {
    currency = feed
    bareCurrency = feed ?? .unknown
    unknown = feed == nil ? .unknown : nil
    dollar = feed.flatMap {
      $0.sign == .dollar && $0.isGroupedByCommas && $0.unitDigits == 2 ? $0 : nil
    }
  }

  /// Creates a parser of what a person types. An amount without a sign or code has the currency
  /// `CurrencyCode.unknown`.
  ///
  /// - Parameter currency: the currency of a sign that several share; nil for `unknown`.
  init(typedIn currency: CurrencyCode? = nil) {
    self.currency = currency
    bareCurrency = .unknown
    unknown = .unknown
    dollar = nil
  }

  /// - Parameters:
  ///   - text: the printed reward.
  ///   - currency: the ISO 4217 code of the currency that the record states beside the text; nil if
  ///     it states none.
  ///   - isNumber: whether the text has a JSON number in it, whose point is the decimal mark.
  package func parse(
    _ text: String, currency: String?, isNumber: Bool = false
  ) -> ExactReward {
    let code = currency.flatMap { $0.withBytes { CurrencyCode.find($0) } }
    let parser = code.map { RewardParser(feed: $0) } ?? self
    return text.withBytes { parser.parse($0, isNumber: isNumber) }
  }

  /// - Parameters:
  ///   - text: the printed reward in UTF-8.
  ///   - isNumber: whether the text has a JSON number in it.
  package func parse(
    _ text: UnsafeRawBufferPointer, isNumber: Bool = false
  ) -> ExactReward {
    if let dollar, let reward = Self.parseDollars(text, dollar) { return reward }
    guard let digit = text.firstIndex(where: CharacterScan.isDigit) else {
      return ExactReward()
    }
    let isFraction = Self.isFraction(text, before: digit)
    let first = isFraction ? digit - 1 : digit
    let found =
      isFraction
      ? PrintedNumber(fraction: text, at: first)
      : PrintedNumber(swiss: text, at: first) ?? PrintedNumber(spaced: text, at: first)
        ?? PrintedNumber(text, at: first) ?? PrintedNumber(indian: text, at: first)
    guard var number = found else { return ExactReward() }
    if isNumber { number.takePointAsDecimal() } else { number.takeDashes(text) }
    // With a second number it is unclear which of the two is the reward.
    var index = number.end
    while index < text.count {
      if CharacterScan.isDigit(text[index]) { return ExactReward() }
      index += 1
    }
    let behind = CharacterScan.skipSpaces(text, from: number.end)
    if behind < text.count, text[behind] == 0x25 {
      if isFraction { return ExactReward() }
      return percentage(text, number, first, sign: behind)
    }
    return amount(text, number, first)
  }

  /// Whether a point or comma without a digit before it is before the first digit, as in `$.50`, `.5 EUR`
  /// and `,89 €`.
  private static func isFraction(_ text: UnsafeRawBufferPointer, before digit: Int) -> Bool {
    guard digit > 0, text[digit - 1] == 0x2E || text[digit - 1] == 0x2C else { return false }
    if digit == 1 || CharacterScan.skipSpacesBack(text, from: digit - 1) < digit - 1 {
      return true
    }
    return text[digit - 2] == 0x24 || CharacterScan.stands("€", in: text, at: digit - 4)
      || CharacterScan.stands("£", in: text, at: digit - 3)
  }

  private func percentage(
    _ text: UnsafeRawBufferPointer, _ number: PrintedNumber, _ first: Int, sign: Int
  ) -> ExactReward {
    // A percent sign after a space suggests a notation with a decimal comma.
    let custom = PrintedNumber.Custom(
      allowsDecimalComma: true,
      isGroupedByCommas: sign == number.end && currency?.isGroupedByCommas == true)
    guard CharacterScan.isBoundary(text, before: first),
      CharacterScan.endsPlainly(text, at: sign + 1),
      RewardWords.leaveAlone(text, from: sign + 1, isAmount: false),
      let hundredths = number.units(2, custom)
    else { return ExactReward() }
    // A euro sign and a space before a percentage make the text ambiguous. `isBoundary` refuses a
    // sign directly before it.
    let before = CharacterScan.skipSpacesBack(text, from: first)
    if CharacterScan.stands("€", in: text, at: before - 3) { return ExactReward() }
    return reward(text, before: first, OfferRecord.percent, hundredths)
  }

  private func amount(
    _ text: UnsafeRawBufferPointer, _ number: PrintedNumber, _ first: Int
  ) -> ExactReward {
    guard
      let mark = CurrencyMark.find(
        text, first..<number.end, hasDecimals: number.hasDecimals, feed: currency,
        unknown: unknown)
    else { return bareAmount(text, number, first) }
    guard CharacterScan.endsPlainly(text, at: mark.end),
      RewardWords.leaveAlone(text, from: mark.end, isAmount: true),
      let units = number.units(mark.isMinor ? 0 : mark.currency.unitDigits, mark.custom)
    else { return ExactReward() }
    // In `Set of 5 299 €` the first digit is another number.
    if number.hasWordSpace, !RewardWords.isLimitOnly(text, before: mark.start) {
      return ExactReward()
    }
    var result = reward(text, before: mark.start, OfferRecord.amount, units)
    if result.kind == OfferRecord.amount { result.currency = mark.currency.letters }
    return result
  }

  /// Parses a text that consists of a number alone as an amount in `bareCurrency`. Other texts have
  /// no value.
  private func bareAmount(
    _ text: UnsafeRawBufferPointer, _ number: PrintedNumber, _ first: Int
  ) -> ExactReward {
    var result = ExactReward()
    guard CharacterScan.skipSpaces(text, from: 0) == first,
      CharacterScan.skipSpaces(text, from: number.end) == text.count,
      let units = number.units(bareCurrency.unitDigits, CurrencyMark.byCurrency(bareCurrency))
    else { return result }
    result.kind = OfferRecord.amount
    result.number = units
    result.currency = bareCurrency.letters
    return result
  }

  private func reward(
    _ text: UnsafeRawBufferPointer, before start: Int, _ kind: UInt8, _ number: Int64
  ) -> ExactReward {
    var result = ExactReward()
    if start > 0 {
      switch RewardWords.limit(UnsafeRawBufferPointer(rebasing: text[..<start])) {
      case .none: break
      case .upTo: result.isUpTo = true
      case .unclear: return ExactReward()
      }
    }
    result.kind = kind
    result.number = number
    return result
  }
}
