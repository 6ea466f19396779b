/// A sign or word for a currency beside a number, such as `€`, `Kč` or `Rs.`; see `CurrencyMark` for
/// the dollar signs and for the codes of ISO 4217.
struct CurrencySign {
  /// How a sign names its currency.
  enum Use {
    /// It stands for the first of its currencies, unless another one is the feed's.
    case own
    /// It stands for the feed's currency alone, since several countries use it.
    case shared
    /// It is also an ordinary word or unit, and stands for a currency only if that is the feed's.
    case word
  }

  /// How amounts beside the sign are written.
  enum Style {
    /// Commas between thousands, and a decimal point.
    case english
    /// Either mark may be the decimal mark.
    case either
    /// No decimals, so that a point or comma before three digits separates thousands.
    case whole
  }

  let text: StaticString
  let codes: [String]
  let use: Use
  let style: Style
  /// Whether letters directly beside the sign make it a part of another word.
  let isWord: Bool

  private init(
    _ text: StaticString, _ codes: String, _ use: Use = .own, _ style: Style = .either,
    isWord: Bool = false
  ) {
    self.text = text
    self.codes = codes.split(scalar: " ").map(String.init)
    self.use = use
    self.style = style
    self.isWord = isWord
  }

  private static func word(
    _ text: StaticString, _ codes: String, _ use: Use = .own, _ style: Style = .either
  ) -> CurrencySign {
    CurrencySign(text, codes, use, style, isWord: true)
  }

  private static let rupees = "INR PKR LKR NPR MUR SCR"
  private static let crowns = "SEK NOK DKK ISK"
  private static let francs = "CHF XAF XOF XPF BIF DJF GNF KMF RWF CDF"

  /// Longer signs come before those that they end or begin with.
  private static let all: [CurrencySign] = [
    CurrencySign("€", "EUR"), CurrencySign("£", "GBP EGP FKP GIP LBP SDG SHP SSP SYP"),
    CurrencySign("¥", "JPY CNY", .shared, .english),
    CurrencySign("￥", "JPY CNY", .shared, .english),
    CurrencySign("円", "JPY", .own, .english), CurrencySign("元", "CNY TWD HKD", .shared, .english),
    CurrencySign("₹", "INR", .own, .english), CurrencySign("₨", rupees, .own, .english),
    CurrencySign("₽", "RUB"), CurrencySign("₴", "UAH"), CurrencySign("₺", "TRY"),
    CurrencySign("₩", "KRW", .own, .english), CurrencySign("￦", "KRW", .own, .english),
    CurrencySign("원", "KRW", .own, .english), CurrencySign("₪", "ILS", .own, .english),
    CurrencySign("฿", "THB", .own, .english), CurrencySign("₫", "VND", .own, .whole),
    CurrencySign("₱", "PHP", .own, .english), CurrencySign("₦", "NGN", .own, .english),
    CurrencySign("₸", "KZT"), CurrencySign("₼", "AZN"), CurrencySign("₾", "GEL"),
    CurrencySign("₲", "PYG", .own, .whole), CurrencySign("₡", "CRC"),
    CurrencySign("₵", "GHS", .own, .english), CurrencySign("₭", "LAK", .own, .whole),
    CurrencySign("₮", "MNT", .own, .english), CurrencySign("৳", "BDT", .own, .english),
    CurrencySign("៛", "KHR", .own, .whole),
    word("VNĐ", "VND", .own, .whole), word("vnđ", "VND", .own, .whole),
    word("đ", "VND", .own, .whole), word("Đ", "VND", .own, .whole),
    word("Euros", "EUR"), word("euros", "EUR"), word("Euro", "EUR"), word("euro", "EUR"),
    word("EURO", "EUR"), word("Kč", "CZK"), word("kč", "CZK"), word("KČ", "CZK"),
    word("zł", "PLN"), word("Zł", "PLN"), word("ZŁ", "PLN"), word("zl", "PLN"),
    word("Ft", "HUF", .own, .whole), word("руб", "RUB"), word("Руб", "RUB"), word("р", "RUB"),
    word("грн", "UAH"), word("лв", "BGN"), word("TL", "TRY"), word("RMB", "CNY", .own, .english),
    word("RM", "MYR", .own, .english), word("Rp", "IDR", .own, .whole),
    word("Rs", rupees, .own, .english), word("RS", rupees, .own, .english),
    word("rs", rupees, .own, .english), word("SFr", francs), word("sFr", francs),
    word("Fr", francs), word("FR", francs), word("fr", francs), word("kr", crowns, .shared),
    word("Kr", crowns, .shared), word("KR", crowns, .shared), word("lei", "RON MDL", .shared),
    word("Lei", "RON MDL", .shared), word("LEI", "RON MDL", .shared), word("S/", "PEN", .word),
    word("R", "ZAR", .word), word("din", "RSD", .word), word("Bs", "BOB VES", .word),
    word("KM", "BAM", .word), word("Dhs", "AED MAD", .word), word("DH", "MAD AED", .word),
    word("FCFA", "XOF XAF", .shared), word("CFA", "XOF XAF", .shared),
  ]

  /// The sign that ends at an index, with the index of its start. After a word a point is skipped, as
  /// in `Rs. 5`.
  static func find(
    _ text: UnsafeRawBufferPointer, endingAt end: Int
  ) -> (sign: CurrencySign, start: Int)? {
    guard end > 0 else { return nil }
    let hasPoint = text[end - 1] == 0x2E
    for sign in all {
      let stop = sign.isWord && hasPoint ? end - 1 : end
      let start = stop - sign.text.utf8CodeUnitCount
      guard CharacterScan.stands(sign.text, in: text, at: start) else { continue }
      if sign.isWord, start > 0, isLetter(text[start - 1]) { continue }
      return (sign, start)
    }
    return nil
  }

  /// The sign that starts at an index, with the index of its end. A point that abbreviates a word is
  /// not part of it.
  static func find(
    _ text: UnsafeRawBufferPointer, startingAt start: Int
  ) -> (sign: CurrencySign, end: Int)? {
    guard start < text.count else { return nil }
    for sign in all where CharacterScan.stands(sign.text, in: text, at: start) {
      let end = start + sign.text.utf8CodeUnitCount
      if sign.isWord, end < text.count, isLetter(text[end]) { continue }
      return (sign, end)
    }
    return nil
  }

  /// A letter of ASCII, or a part of another character beyond ASCII that is no space.
  private static func isLetter(_ byte: UInt8) -> Bool {
    CharacterScan.isLetter(byte)
      || byte >= 0x80 && byte != 0xA0 && byte != 0xC2 && byte != 0xE2
        && byte != 0xAF && byte != 0x89
  }

  /// The currency that the sign stands for in a feed.
  ///
  /// - Parameter feed: the feed's currency; nil if it is unknown.
  /// - Returns: nil if it is in doubt.
  func currency(feed: CurrencyCode?) -> CurrencyCode? {
    if let feed, isOf(feed) {
      // A pound sign in a feed in another pound may be either of the two.
      return feed.sign == .pound && !feed.isSame(.pound) ? nil : feed
    }
    return use == .own ? codes.first.flatMap { CurrencyCode($0) } : nil
  }

  /// Whether a currency is among those that the sign stands for.
  func isOf(_ currency: CurrencyCode) -> Bool {
    codes.contains { currency.isSame(CurrencyCode($0)) }
  }

  /// The notation of amounts beside the sign.
  ///
  /// - Parameter isBehind: whether the sign is after the number, where countries with a decimal comma
  ///   put it.
  func custom(_ currency: CurrencyCode, isBehind: Bool) -> PrintedNumber.Custom {
    switch style {
    case .english:
      return PrintedNumber.Custom(allowsDecimalComma: false, isGroupedByCommas: true)
    case .either:
      let isEnglish = !isBehind && currency.sign == .pound
      return PrintedNumber.Custom(
        allowsDecimalComma: !isEnglish, isGroupedByCommas: isEnglish)
    case .whole:
      return PrintedNumber.Custom(
        allowsDecimalComma: true, isGroupedByCommas: true, hasNoDecimals: true)
    }
  }
}
