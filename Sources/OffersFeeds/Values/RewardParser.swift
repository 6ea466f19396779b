import OffersCore

/// Parses the exact value of a printed reward or price, if it is unambiguous.
///
/// Supported are a single amount with its sign, word or ISO 4217 code on either side
/// (`$0.75 Cash Back`, `1.234,56 EUR`, `1 299,00 Kč`, `Rs. 1,299`, `12,- kr`) and a single percentage
/// (`5% back`, `2,5 %`, `5 percent`), either with `up to` directly before it. Cents (`50¢`, `50 cents`, `50p`) are
/// those of the feed's currency, if that is a dollar, the euro or the pound, and those of an unknown one if the
/// feed's is unknown. The result has no value for a text
/// with two numbers (`$1 off $5`), with more decimals than the unit has, with an ambiguous comma or point
/// (`€1,500`), with a rate or an open end (`$5/lb`, `$5 off a month`, `$5+`, `from $5`), with two currencies
/// (`€5 CAD`), with a number in words (`$1 million`, `$1 off two`), or with an `up to` elsewhere (`Sign up to
/// get $5`): nothing is guessed. A price is no percentage and no saving (`save $3`).
package struct RewardParser: Sendable {
  /// The version of the rules of this parser. It must change with them, so that the next sync
  /// parses stored rewards again.
  static let rules = "8"

  private let currency: CurrencyCode?
  /// The currency of a text that consists of a number alone.
  private let bareCurrency: CurrencyCode
  /// The currency of an amount whose sign several currencies share, where the feed's own currency does not
  /// decide: `CurrencyCode.unknown`; nil if such an amount has no value, as `$5` in a feed in euros.
  private let unknown: CurrencyCode?
  /// Whether the texts are rewards or prices.
  private let role: ValueRole

  /// Creates a parser of a feed's texts. The amounts of a feed whose currency is unknown are parsed
  /// as well, as amounts without a currency.
  ///
  /// - Parameters:
  ///   - feedCurrency: the ISO 4217 code of the feed's currency; nil if it is unknown. A sign
  ///   that several currencies share, such as `$`, stands for it if that is its own sign.
  ///   - role: whether the texts are rewards or prices.
  package init(feedCurrency: String?, role: ValueRole = .reward) {
    self.init(feed: feedCurrency.flatMap { CurrencyCode($0) }, role)
  }

  private init(feed: CurrencyCode?, _ role: ValueRole) {
    self.role = role
    currency = feed
    bareCurrency = feed ?? .unknown
    unknown = feed == nil ? .unknown : nil
  }

  /// Creates a parser of what a person types. An amount without a sign or code has the currency
  /// `CurrencyCode.unknown`.
  ///
  /// - Parameter currency: the currency of a sign that several share; nil for `unknown`.
  init(typedIn currency: CurrencyCode? = nil) {
    self.currency = currency
    role = .reward
    bareCurrency = .unknown
    unknown = .unknown
  }

  /// The reward of an offer with its exact value; nil if the offer has none.
  package func findReward(of offer: OfferRecord) -> Reward? {
    offer[.reward].map { text in
      Reward(
        text: text,
        exact: parse(text, currency: offer.rewardCurrency, isNumber: offer.isRewardNumber))
    }
  }

  /// The exact value of a printed reward; empty for a text that leaves it unclear.
  ///
  /// - Parameters:
  ///   - text: the printed reward.
  ///   - currency: the ISO 4217 code of the currency that the record states beside the text; nil if
  ///     it states none.
  ///   - isNumber: whether the text has a JSON number in it, whose point is the decimal mark.
  package func parse(
    _ text: String, currency: String?, isNumber: Bool = false
  ) -> ExactReward {
    let code = currency.flatMap { $0.withBytes { CurrencyCode.find($0) } }
    let parser = code.map { RewardParser(feed: $0, role) } ?? self
    return text.withBytes { parser.parse($0, isNumber: isNumber) }
  }

  /// The exact value of a printed reward; empty for a text that leaves it unclear.
  ///
  /// - Parameters:
  ///   - text: the printed reward in UTF-8.
  ///   - isNumber: whether the text has a JSON number in it.
  package func parse(
    _ text: UnsafeRawBufferPointer, isNumber: Bool = false
  ) -> ExactReward {
    FoldedText.read(text) { parseFolded($0, isNumber: isNumber) }
  }

  private func parseFolded(_ text: UnsafeRawBufferPointer, isNumber: Bool) -> ExactReward {
    guard let digit = text.firstIndex(where: CharacterScan.isDigit),
      case (var number, let first)? = Self.number(text, at: digit)
    else { return ExactReward() }
    if isNumber { number.takePointAsDecimal() } else { number.takeDashes(text) }
    // With a second number it is unclear which of the two is the reward.
    var index = number.end
    while index < text.count {
      if CharacterScan.isDigit(text[index]) { return ExactReward() }
      index += 1
    }
    if role == .price, RewardWords.hasSaving(text) { return ExactReward() }
    if RewardWords.isOfAnother(text) { return ExactReward() }
    if let end = RewardWords.percentEnd(text, from: number.end) {
      if number.isFraction || role == .price { return ExactReward() }
      return percentage(text, number, first, end: end)
    }
    return amount(text, number, first)
  }

  /// The number whose first digit is at an index, with the index of its start; nil for one in no known notation.
  private static func number(
    _ text: UnsafeRawBufferPointer, at digit: Int
  ) -> (number: PrintedNumber, start: Int)? {
    let isFraction = isFraction(text, before: digit)
    let first = isFraction ? digit - 1 : digit
    let found =
      isFraction
      ? PrintedNumber(fraction: text, at: first)
      : PrintedNumber(swiss: text, at: first) ?? PrintedNumber(spaced: text, at: first)
        ?? PrintedNumber(text, at: first) ?? PrintedNumber(indian: text, at: first)
    return found.map { ($0, first) }
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
    _ text: UnsafeRawBufferPointer, _ number: PrintedNumber, _ first: Int, end: Int
  ) -> ExactReward {
    // A percent sign after a space suggests a notation with a decimal comma.
    let custom = PrintedNumber.Custom(
      allowsDecimalComma: true,
      isGroupedByCommas: text[number.end] == 0x25 && currency?.isGroupedByCommas == true)
    let start = RewardWords.minusStart(text, before: first) ?? first
    guard CharacterScan.isBoundary(text, before: start),
      CharacterScan.endsPlainly(text, at: end) || RewardWords.isSaving(text, at: end)
        || RewardWords.isJoinedSaving(text, at: end),
      RewardWords.leaveAlone(text, from: end, isAmount: false),
      let hundredths = number.units(2, custom)
    else { return ExactReward() }
    // A euro sign and a space before a percentage make the text ambiguous. `isBoundary` refuses a
    // sign directly before it.
    let before = CharacterScan.skipSpacesBack(text, from: start)
    if CharacterScan.stands("€", in: text, at: before - 3) { return ExactReward() }
    return reward(text, before: start, ExactReward.percent, hundredths)
  }

  private func amount(
    _ text: UnsafeRawBufferPointer, _ number: PrintedNumber, _ first: Int
  ) -> ExactReward {
    guard
      let mark = CurrencyMark.find(
        text, first..<number.end, hasDecimals: number.hasDecimals, feed: currency,
        unknown: unknown)
    else { return bareAmount(text, number, first) }
    // The hyphen of `10€-Gutschein` joins a word; that of `$5-10` does not.
    guard
      CharacterScan.endsPlainly(text, at: mark.end) || RewardWords.isSaving(text, at: mark.end)
        || mark.end > number.end && RewardWords.isJoinedSaving(text, at: mark.end),
      RewardWords.leaveAlone(text, from: mark.end, isAmount: true),
      let units = number.units(mark.unitDigits, mark.custom)
    else { return ExactReward() }
    // In `Set of 5 299 €` the first digit is another number.
    if number.hasWordSpace, !RewardWords.isLimitOnly(text, before: mark.start) {
      return ExactReward()
    }
    var result = reward(text, before: mark.start, ExactReward.amount, units)
    if result.kind == ExactReward.amount { result.currency = mark.currency.letters }
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
    result.kind = ExactReward.amount
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

extension RewardParser {
  /// An amount or a percentage within a longer text.
  struct Printed {
    /// The number with its sign, word or code.
    let range: Range<Int>
    let isPercent: Bool
    /// The hundredths of the percentage or the minor units of the amount; nil for an ambiguous number.
    let value: Int64?
    /// The hundredths or minor units of 1.
    let unit: Int64
    /// Whether it may be a saving: no percentage above 100 or of 0, no `$1 million`.
    let isPlausible: Bool
  }

  /// The amount or percentage whose first digit is at an index; nil for another number. Only the characters
  /// near the index count.
  func findPrinted(in text: UnsafeRawBufferPointer, at digit: Int) -> Printed? {
    var start = digit
    let limit = max(0, digit - 16)
    while start > limit, !Self.endsContext(text, start - 1) { start -= 1 }
    let near = UnsafeRawBufferPointer(rebasing: text[start..<min(text.count, digit + 48)])
    guard case (var number, let first)? = Self.number(near, at: digit - start) else { return nil }
    number.takeDashes(near)
    if let end = RewardWords.percentEnd(near, from: number.end) {
      guard CharacterScan.isBoundary(near, before: first), !number.isFraction,
        CharacterScan.endsPlainly(near, at: end) || near[end] >= 0x80 || near[end] == 0x2D
          || RewardWords.isSaving(near, at: end)
      else { return nil }
      let custom = PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: false)
      let hundredths = number.units(2, custom)
      return Printed(
        range: (start + first)..<(start + end), isPercent: true, value: hundredths,
        unit: 100, isPlausible: (1...10_000).contains(hundredths ?? 0))
    }
    guard
      let mark = CurrencyMark.find(
        near, first..<number.end, hasDecimals: number.hasDecimals, feed: currency,
        unknown: unknown ?? .unknown)
    else { return nil }
    // `$2/1` and `$0.75/2` are codes of coupons.
    let next = CharacterScan.skipSpaces(near, from: mark.end)
    let isRate =
      next + 1 < near.count && near[next] == 0x2F && CharacterScan.isDigit(near[next + 1])
    return Printed(
      range: (start + mark.start)..<(start + mark.end), isPercent: false,
      value: number.units(mark.unitDigits, mark.custom),
      unit: (0..<mark.unitDigits).reduce(1) { unit, _ in unit * 10 },
      isPlausible: !isRate && !RewardWords.multiplies(near, from: mark.end))
  }

  /// Whether a character before an amount separates it from the text before it.
  private static func endsContext(_ text: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    switch text[index] {
    case 0x0A, 0x0D, 0x21, 0x22, 0x23, 0x26, 0x28...0x2D, 0x2F...0x3F, 0x5B...0x60, 0x7B...0x7E:
      true
    // Dashes and quotes of Unicode, and the characters of East Asia.
    case 0x80...0xBF:
      index >= 2 && text[index - 2] == 0xE2 && text[index - 1] == 0x80
        && CharacterScan.spaceLength(text, at: index - 2) == 0
        || index >= 2 && text[index - 2] >= 0xE3
          && CharacterScan.spaceLength(text, at: index - 2) == 0
          && !CharacterScan.stands("￥", in: text, at: index - 2)
          && !CharacterScan.stands("￦", in: text, at: index - 2)
        || index >= 2 && CharacterScan.stands("\u{2212}", in: text, at: index - 2)
        || index >= 1 && text[index - 1] == 0xC2 && (text[index] == 0xAB || text[index] == 0xA1)
    default: false
    }
  }
}

extension Units {
  /// The text of an exact reward, such as `$1.25`, `1.25 CAD` or `2.5%`.
  package static func value(_ value: Reward.Value) -> String {
    switch value {
    case .percent(let hundredths): JSONWriter.decimal(hundredths: hundredths) + "%"
    case .amount(let units, let currency): money(units, currency)
    }
  }

  /// An amount as a plain decimal number, such as `1234.50`.
  package static func decimal(minorUnits units: Int64, _ currency: String?) -> String {
    let (whole, fraction) = digits(units, currency)
    return (units < 0 ? "-" : "") + whole + fraction
  }

  private static func money(_ units: Int64, _ currency: String?) -> String {
    let (whole, fraction) = digits(units, currency)
    let text = count(Int(whole) ?? 0) + fraction
    let minus = units < 0 ? "-" : ""
    guard let currency else { return minus + text }
    let signs = ["USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"]
    // A sign such as `$` is shared by several currencies. It is printed for the one that it
    // commonly means; the others are printed with their codes.
    return signs[currency].map { minus + $0 + text } ?? "\(minus)\(text) \(currency)"
  }

  /// The digits before the decimal point, and the point with the digits after it, if there are any.
  private static func digits(_ units: Int64, _ currency: String?) -> (String, String) {
    let places = currency.flatMap { CurrencyCode($0) }?.unitDigits ?? 2
    var digits = String(units.magnitude)
    digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (String(digits.dropLast(places)), places > 0 ? "." + digits.suffix(places) : "")
  }
}
