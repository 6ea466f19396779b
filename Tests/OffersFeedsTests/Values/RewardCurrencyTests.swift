import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Rewards and prices in any currency")
struct RewardCurrencyTests {
  static let exact: [(text: String, value: String)] = [
    ("105.29 USD", "10529 USD"), ("USD 105.29", "10529 USD"), ("4950 AED", "495000 AED"),
    ("9.99000 USD", "999 USD"), ("1193.000 USD", "119300 USD"), ("0.990 USD", "99 USD"),
    ("1,234.990 USD", "123499 USD"), ("2.75 USD", "275 USD"), ("5 EUR back", "500 EUR"),
    ("Get 5\u{A0}EUR off", "500 EUR"), ("(5 EUR)", "500 EUR"), ("EUR 5, today", "500 EUR"),
    ("1.234,56 EUR", "123456 EUR"), ("1,234.56 EUR", "123456 EUR"), ("€1.234,56", "123456 EUR"),
    ("€1,50", "150 EUR"), ("€1,5", "150 EUR"), ("€1.50", "150 EUR"), ("1,50 €", "150 EUR"),
    ("1,50€", "150 EUR"), ("1,50\u{202F}€", "150 EUR"), ("5 € Rabatt", "500 EUR"),
    ("€ 5,00 korting", "500 EUR"), ("€5 EUR", "500 EUR"), ("1.234.567 EUR", "123456700 EUR"),
    ("1,234,567 EUR", "123456700 EUR"), ("1.234.567,8 €", "123456780 EUR"),
    ("9,99000 EUR", "999 EUR"), ("0,990 €", "99 EUR"), ("1,50 USD", "150 USD"),
    ("1,500 USD", "150000 USD"), ("$1,500 USD", "150000 USD"),
    ("£3", "300 GBP"), ("£3.50 off", "350 GBP"), ("£1,500", "150000 GBP"), ("1,50 £", "150 GBP"),
    ("US$5", "500 USD"), ("US$1,000.50", "100050 USD"), ("C$5", "500 CAD"), ("CA$5", "500 CAD"),
    ("A$5", "500 AUD"), ("AU$5 off", "500 AUD"), ("US$5 USD", "500 USD"), ("USD $5", "500 USD"),
    ("500 JPY", "500 JPY"), ("500.00 JPY", "500 JPY"), ("1.500 KWD", "1500 KWD"),
    ("1.5 BHD", "1500 BHD"), ("12.3450 KWD", "12345 KWD"), ("0,750 KWD", "750 KWD"),
    ("1.0001 CLF", "10001 CLF"), ("105.29 TRY", "10529 TRY"), ("TRY 1.234,56", "123456 TRY"),
    ("Up to 5 EUR", "up to 500 EUR"), ("up to US$5", "up to 500 USD"),
    ("Bis zu 5 €", "up to 500 EUR"), ("jusqu’à 5,50 €", "up to 550 EUR"),
    ("Fino a € 5", "up to 500 EUR"), ("Hasta €5", "up to 500 EUR"), ("$5 ALL DAY", "500 USD"),
    ("5 EUR ALL", "500 EUR"), ("\t105.29 USD\n", "10529 USD"),
    ("5 usd", "500 USD"), ("5 Usd", "500 USD"), ("5USD", "500 USD"), ("USD5", "500 USD"),
    ("1 234,56 €", "123456 EUR"), ("NZ$5", "500 NZD"), ("S$5", "500 SGD"), ("S$ 5", "500 SGD"),
  ]

  @Test("a sign or code that names the currency gives an exact amount", arguments: exact)
  func readsCurrency(text: String, value: String) {
    #expect(RewardReading.parse(text) == value)
  }

  static let local: [(text: String, value: String)] = [
    ("R$ 10,00", "1000 BRL"), ("R$10", "1000 BRL"), ("R$ 1.234,56", "123456 BRL"),
    ("A$ 3", "300 AUD"), ("C$\u{A0}3.50", "350 CAD"), ("US$ 3", "300 USD"), ("HK$5", "500 HKD"),
    ("HK$ 1,000", "100000 HKD"), ("₹1,00,000", "10000000 INR"), ("₹ 1,00,000.50", "10000050 INR"),
    ("₹12,34,567", "123456700 INR"), ("₹1,000", "100000 INR"), ("₹99", "9900 INR"),
    ("INR 1,00,000", "10000000 INR"), ("1,00,000 INR", "10000000 INR"),
    ("1'234.50 CHF", "123450 CHF"), ("CHF 1’234’567.05", "123456705 CHF"),
    ("1'234 CHF", "123400 CHF"), ("1'234,50 CHF", "123450 CHF"), ("50¢", "50 USD"),
    ("5 ¢ back", "5 USD"), ("up to 75¢", "up to 75 USD"), ("KWD 1.250", "1250 KWD"),
    ("1.250 BHD", "1250 BHD"), ("$.50", "50 USD"), ("$.5 off", "50 USD"), ("£.99", "99 GBP"),
    ("€.50", "50 EUR"), ("up to $.50", "up to 50 USD"),
  ]

  @Test("national notations are read", arguments: local)
  func readsLocalCustoms(text: String, value: String) {
    #expect(RewardReading.parse(text) == value)
  }

  static let doubtfulLocal: [(text: String, currency: String?)] = [
    ("50p", nil), ("50 ct", nil), ("50¢ PLN", nil), ("50¢", "GBP"), ("50¢", "JPY"), ("$50¢", "USD"),
    ("0.5¢", "USD"),
    ("50¢ EUR", "USD"), ("5¢/lb", "USD"), ("$1,00,000", "USD"), ("1,00,000", "USD"),
    ("₹1,00,00", nil), ("₹1,0,000", nil), ("₹10,00,000,00", nil), ("₹1,00,000,000", nil),
    ("1'23 CHF", nil), ("1'2345 CHF", nil), ("0'123 CHF", nil), ("1'234'5 CHF", nil),
    ("5'10 CHF", nil), ("R$ 1.500", nil), ("R$ 5 USD", nil), ("$.505", "USD"),
    ("$.5.5", "USD"), ("$..5", "USD"),
    ("x$.50", "USD"), ("1,250 KWD", nil), ("TND 1.250", nil), ("₹-5", nil),
  ]

  @Test("texts that resemble them stay text", arguments: doubtfulLocal)
  func leavesLocalDoubts(text: String, currency: String?) {
    #expect(RewardReading.parse(text, currency: currency) == "text")
  }

  static let doubtful = [
    "€1,500", "€1.500", "1,500 €", "1.500 €", "1,500 EUR", "1.500 EUR", "1,500 £", "1,500 GBP",
    "1.500 USD", "$1.500", "$5.000", "9.990 USD", "$1.234,56", "£1,50", "US$1,50", "€0,125",
    "€1000,000", "9.99001 USD", "9.999 USD", "1.5 JPY", "1.0005 KWD", "1,500 KWD", "1.250 IQD",
    "1.250 TND", "¥500", "¥500 back", "500 ¥", "$5 AUD",
    "USD 5 CAD", "€5 USD", "CAD $5", "$5 €", "€5 €", "€$5",
    "5 USDX", "XUSD 5", "5 XAU", "5 XYZ", "5 USD/kg", "5 USD / kg", "5 € per kg", "€5+", "5 EUR+",
    "€5/kg", "5 € + gift", "€5 Mio", "5 EUR million", "€5 k", "-5 EUR", "EUR -5", "- 5 EUR",
    "\u{2212} 5 €", "€-5", "-€5", "\u{2013} $5", "5,00- €", "€5-€10", "$1 - $5", "$5–$10",
    "5–10 EUR", "2 for $5", "500 points", "100 pts", "Free", "TOP 10", "TRY 5",
    "ALL 50", "5 CUP", "2 PEN", "5 KGS", "AMD 5", "5 EUR 20 cents",
    "Bis zu einem Wert von 5 €", "tot €5", "Bis 5 €", "x€5", "5€x", "12€3", "5€€", "£", "€",
    "EUR", "999999999999999 CLF",
  ]

  @Test("an ambiguous amount stays text", arguments: doubtful)
  func guessesNothing(text: String) {
    #expect(RewardReading.parse(text) == "text")
  }

  static let byFeed: [(text: String, currency: String?, value: String)] = [
    ("$5", nil, "500 XXX"), ("5%", nil, "500 %"), ("1,000%", nil, "text"), ("€5", nil, "500 EUR"),
    ("$5 USD", nil, "500 USD"), ("$5 AUD", nil, "500 AUD"), ("USD $5", nil, "500 USD"),
    ("$1,50 USD", nil, "text"), ("$5 AED", nil, "text"), ("1,500 USD", nil, "text"),
    ("US$5", "EUR", "500 USD"), ("$5", "EUR", "text"), ("$5", "", "500 XXX"),
    ("$5", "usd", "500 XXX"), ("¥500", "JPY", "500 JPY"), ("¥1,000", "JPY", "1000 JPY"),
    ("¥1.50", "CNY", "150 CNY"), ("¥1.50", "JPY", "text"), ("¥500", nil, "50000 XXX"),
    ("£5", "EGP", "text"), ("£5", nil, "500 GBP"), ("$1,50", "ARS", "150 ARS"),
    ("$1.234,56", "ARS", "123456 ARS"), ("$1.500", "ARS", "text"), ("$1,500", "ARS", "text"),
    ("$1,500", "MXN", "150000 MXN"), ("$1,50", "CAD", "text"), ("CAD $5", "CAD", "500 CAD"),
    ("TRY 5", "TRY", "500 TRY"), ("1.500 KWD", "KWD", "1500 KWD"), ("1.500 IQD", "IQD", "text"),
    ("1,500 KWD", "KWD", "text"), ("4,950 AED", "AED", "495000 AED"), ("1,500 EUR", "EUR", "text"),
  ]

  @Test("a shared sign is the feed's currency", arguments: byFeed)
  func usesTheFeedsCurrency(text: String, currency: String?, value: String) {
    #expect(RewardReading.parse(text, currency: currency) == value)
  }

  static let bare: [(text: String, currency: String?, value: String)] = [
    ("9.99", "USD", "999 USD"), ("1193", "USD", "119300 USD"), (" 9.99\n", "USD", "999 USD"),
    ("1,234.50", "USD", "123450 USD"), ("1,234", "USD", "123400 USD"), ("0", "USD", "0 USD"),
    ("9,99", "EUR", "999 EUR"), ("1.234,50", "EUR", "123450 EUR"), ("1193", "JPY", "1193 JPY"),
    ("1'234", "USD", "123400 USD"),
    ("9,99", "USD", "text"), ("1.193", "USD", "text"), ("1,193", "EUR", "text"),
    ("9.999", "EUR", "text"), ("9.99", nil, "999 XXX"), ("-9.99", "USD", "text"),
    ("9.99 each", "USD", "text"), ("9.99.", "USD", "text"), (".99", "USD", "99 USD"),
    ("500 points", "USD", "text"), ("9.99", "ZZZ", "999 XXX"), ("5 EUR", "USD", "500 EUR"),
    ("5%", "USD", "500 %"),
  ]

  @Test("a bare number is an amount in the feed's currency", arguments: bare)
  func readsBareNumbers(text: String, currency: String?, value: String) {
    #expect(RewardReading.parse(text, currency: currency) == value)
  }

  static let percentages: [(text: String, value: String)] = [
    ("5 %", "500 %"), ("5 % back", "500 %"), ("2,5 %", "250 %"), ("2,5%", "250 %"),
    ("2,55\u{A0}% Rabatt", "255 %"), ("2.5 %", "250 %"), ("Up to 5 % back", "up to 500 %"),
    ("Bis zu 50 %", "up to 5000 %"), ("1,000%", "100000 %"), ("2.50000%", "250 %"),
    ("1,000 %", "text"), ("1.000 %", "text"), ("1.000%", "text"), ("2,555 %", "text"),
    ("-5 %", "text"), ("- 5 %", "text"), ("5 % / year", "text"), ("5 %+", "text"),
    ("$5 %", "text"), ("€ 5 %", "text"), ("5 %off", "500 %"), ("tot 50%", "text"),
    ("5 – 10 %", "text"), ("5\n\n%", "500 %"),
  ]

  @Test("a percentage may have a space before its sign and a decimal comma", arguments: percentages)
  func readsPercentages(text: String, value: String) {
    #expect(RewardReading.parse(text) == value)
  }

  @Test("whitespace around a reward makes no difference")
  func ignoresSpaceAround() {
    var random = SeededGenerator(number: 13)
    let parts = [
      "$", "$5", "$0.75", "Up to ", "up to ", " ", " Cash Back", " back", "%", "1", "0", ",", ".",
      "00", "USD", " CAD", " k", " per lb", "€", "£", "¥", "EUR ", "\u{A0}", "-", " million", "/",
      "é",
    ]
    for _ in 0..<TestSize.scaled(30_000) {
      let count = Int.random(in: 1...6, using: &random)
      let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      for currency in ["USD", "EUR", nil] {
        let value = RewardReading.parse(text, currency: currency)
        #expect(RewardReading.parse(" \(text)\n", currency: currency) == value, "\(text)")
      }
    }
  }

  @Test("no bytes crash the parser")
  func survivesAnyBytes() {
    var random = SeededGenerator(number: 17)
    let common = Array("$%.,0123456789 USDEUR€£¥-".utf8)
    let parser = RewardParser(feedCurrency: "KWD")
    for _ in 0..<TestSize.scaled(50_000) {
      let bytes = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        Int.random(in: 0..<8, using: &random) > 0
          ? common.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
      }
      #expect(bytes.withUnsafeBytes { parser.parse($0) }.number >= 0, "\(bytes)")
    }
  }
}
