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
  static var all: [CurrencyCode] {
    let table = table
    return (0..<table.count).compactMap { find(table[$0].name) }
  }

  /// The currencies whose minor unit is not a hundredth, with their number of decimals.
  package static var withOtherUnits: [(code: String, unitDigits: Int)] {
    all.compactMap { $0.unitDigits == 2 ? nil : ($0.code, $0.unitDigits) }
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
