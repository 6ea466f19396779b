/// A currency of ISO 4217, and how prices in it are written.
package struct CurrencyCode: Sendable {
  /// The three capital letters in ASCII.
  package let letters: (UInt8, UInt8, UInt8)
  /// The number of decimals of the minor unit: 2 for cents, 0 for a currency without one.
  package let unitDigits: Int
  /// The sign for the currency in its own country, if it is `$`, `€`, `£` or `¥`.
  package let sign: Sign
  /// Whether its country uses only commas between thousands and only a point before decimals.
  package let isGroupedByCommas: Bool
  /// Whether the code is also a word that occurs in capitals beside numbers, as in `TOP 10`.
  package let isWord: Bool

  /// The sign of a currency. The raw value is the letter for it in `table`. `none` is any other sign, or no
  /// sign.
  package enum Sign: UInt8, Sendable {
    case dollar = 0x24
    case euro = 0x45
    case pound = 0x4C
    case yen = 0x59
    case none = 0x2D
  }

  /// Returns nil for a text other than a code of ISO 4217 in capital letters. Metals, units of
  /// account and test codes, which have no minor unit, are excluded.
  package init?(_ code: String) {
    var code = code
    guard let found = code.withUTF8({ Self.find(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = found
  }

  /// Returns the currency with a code in capital letters; nil for other texts.
  package static func find(_ code: UnsafeRawBufferPointer) -> CurrencyCode? {
    guard code.count == 3, let value = table.findValue(code),
      let sign = Sign(rawValue: value[1])
    else { return nil }
    return CurrencyCode(
      letters: (code[0], code[1], code[2]), unitDigits: Int(value[0] - 0x30), sign: sign,
      isGroupedByCommas: value[2] == 0x2E, isWord: value[3] == 0x77)
  }

  private init(
    letters: (UInt8, UInt8, UInt8), unitDigits: Int, sign: Sign, isGroupedByCommas: Bool,
    isWord: Bool
  ) {
    self.letters = letters
    self.unitDigits = unitDigits
    self.sign = sign
    self.isGroupedByCommas = isGroupedByCommas
    self.isWord = isWord
  }

  /// All currencies of ISO 4217.
  static let all = (0..<table.count).compactMap { find(table[$0].name) }

  /// The currencies whose minor unit is not a hundredth, with their number of decimals.
  package static let withOtherUnits: [(code: String, unitDigits: Int)] = all.compactMap {
    $0.unitDigits == 2 ? nil : ($0.code, $0.unitDigits)
  }

  /// The three capital letters.
  var code: String {
    String(decoding: [letters.0, letters.1, letters.2], as: UTF8.self)
  }

  func isSame(_ other: CurrencyCode?) -> Bool {
    guard let other else { return false }
    return letters == other.letters
  }

  static let rupee = CurrencyCode("INR")
  static let pound = CurrencyCode("GBP")

  /// Stands for the currency of an amount whose currency is unknown, which is counted in hundredths. Its
  /// letters are those that `Reward.Value.storedCurrency` has then. `init` does not know them, so that no
  /// feed and no user can name them.
  static let unknown = CurrencyCode(
    letters: (0x58, 0x58, 0x58), unitDigits: 2, sign: .none, isGroupedByCommas: false,
    isWord: false)

  /// ISO 4217, list one, of 2025. Each code is followed by its number of decimals, its `Sign`, the
  /// decimal mark of its country, and `w` if the code is a word, else `-`. The decimal mark is a
  /// comma also for a country that uses both marks.
  private static var table: StaticLookupTable {
    StaticLookupTable(
      """
      AED2-.- AFN2-,- ALL2-,w AMD2-,w AOA2-,- ARS2$,- AUD2$.- AWG2-,- AZN2-,- BAM2-,w BBD2$.-
      BDT2-.- BGN2-,- BHD3-.- BIF0-,- BMD2$.- BND2$.- BOB2-,w BOV2-,- BRL2$,- BSD2$.- BTN2-,-
      BWP2-.- BYN2-,- BZD2$.- CAD2$.- CDF2-,- CHE2-,- CHF2-,- CHW2-,- CLF4-,- CLP0$,- CNY2Y.-
      COP2$,w COU2-,- CRC2-,- CUP2$,w CVE2-,- CZK2-,- DJF0-,- DKK2-,- DOP2$.- DZD2-,- EGP2L.-
      ERN2-,- ETB2-.- EUR2E,- FJD2$.- FKP2L.- GBP2L.- GEL2-,w GHS2-.- GIP2L.- GMD2-.- GNF0-,-
      GTQ2-.- GYD2$.- HKD2$.- HNL2-.- HTG2-,- HUF2-,- IDR2-,- ILS2-.- INR2-.- IQD3-,- IRR2-,-
      ISK0-,- JMD2$.- JOD3-.- JPY0Y.- KES2-.- KGS2-,w KHR2-,- KMF0-,- KPW2-,- KRW0-.- KWD3-.-
      KYD2$.- KZT2-,- LAK2-,w LBP2L,- LKR2-.- LRD2$.- LSL2-,- LYD3-.- MAD2-,w MDL2-,- MGA2-,-
      MKD2-,- MMK2-.- MNT2-,- MOP2$.w MRU2-,- MUR2-,- MVR2-,- MWK2-.- MXN2$.- MXV2-,- MYR2-.-
      MZN2-,- NAD2$,- NGN2-.- NIO2-,- NOK2-,- NPR2-.- NZD2$.- OMR3-.- PAB2-.- PEN2-.w PGK2-.-
      PHP2-.- PKR2-.- PLN2-,- PYG0-,- QAR2-.- RON2-,w RSD2-,- RUB2-,- RWF0-,- SAR2-.- SBD2$.-
      SCR2-,- SDG2L,- SEK2-,- SGD2$.- SHP2L.- SLE2-.- SOS2-,w SRD2$,- SSP2L,- STN2-,- SVC2-,-
      SYP2L,- SZL2-,- THB2-.- TJS2-,- TMT2-,- TND3-,- TOP2$,w TRY2-,w TTD2$.- TWD2$.- TZS2-.-
      UAH2-,- UGX0-.- USD2$.- USN2-,- UYI0-,- UYU2$,- UYW4-,- UZS2-,- VED2-,- VES2-,- VND0-,-
      VUV0-,- WST2-,- XAD2-,- XAF0-,- XCD2$.- XCG2-,- XOF0-,- XPF0-,- YER2-,- ZAR2-,- ZMW2-.-
      ZWG2-,-\u{20}
      """, nameWidth: 3, valueWidth: 4)
  }
}

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
    word("Kr", crowns, .shared), word("KR", crowns, .shared),
    word("kronor", "SEK", .own), word("kroner", "NOK DKK", .shared),
    word("Franken", "CHF"), word("lei", "RON MDL", .shared),
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

  /// The currency sign or word that starts at an index, with the index of its end. The point of an
  /// abbreviation such as `Fr.` is not part of it.
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
