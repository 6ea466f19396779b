import OffersCore
import OffersFeeds
import Testing

@Suite("Money as shops print it")
struct PrintedMoneyTests {
  static let grouped: [(text: String, value: String)] = [
    ("1\u{A0}299,00\u{A0}€", "129900 EUR"), ("1\u{202F}298,00\u{202F}€", "129800 EUR"),
    ("1 770 €", "177000 EUR"), ("10 500,50 EUR", "1050050 EUR"),
    ("€ 1\u{2009}234.50", "123450 EUR"),
    ("1\u{2007}234\u{2007}567 Kč", "123456700 CZK"), ("Up to 1 299 €", "up to 129900 EUR"),
    ("nur 1 299 €", "129900 EUR"),
    ("CHF 1’299.–", "129900 CHF"), ("1´299.50 CHF", "129950 CHF"), ("1ʼ299 CHF", "129900 CHF"),
  ]

  @Test("spaces and apostrophes separate thousands", arguments: grouped)
  func readsGroups(text: String, value: String) {
    #expect(RewardReading.parse(text, currency: nil) == value)
  }

  static let signs: [(text: String, value: String)] = [
    ("299 Kč", "29900 CZK"), ("12,50 zł", "1250 PLN"), ("zł 12.50", "1250 PLN"),
    ("4 990 Ft", "499000 HUF"), ("4.990 Ft", "499000 HUF"), ("1 299 ₽", "129900 RUB"),
    ("1 299 руб.", "129900 RUB"), ("450 ₴", "45000 UAH"), ("₩12,900", "12900 KRW"),
    ("12,900원", "12900 KRW"), ("₪ 49.90", "4990 ILS"), ("49.90 ₪", "4990 ILS"),
    ("₺1.299,90", "129990 TRY"), ("1.299,90 TL", "129990 TRY"), ("฿1,290", "129000 THB"),
    ("129.000 ₫", "129000 VND"), ("129.000đ", "129000 VND"), ("1,299円", "1299 JPY"),
    ("Rs. 1,299", "129900 INR"), ("Rs.1,299.50", "129950 INR"), ("Rs 1,29,999", "12999900 INR"),
    ("Fr. 12.90", "1290 CHF"), ("SFr. 1'299.–", "129900 CHF"), ("1299,- €", "129900 EUR"),
    ("1.299,- €", "129900 EUR"), ("€ 5,–", "500 EUR"), ("5,-- EUR", "500 EUR"),
    ("RM 12.90", "1290 MYR"), ("₹ 1,999/-", "199900 INR"), ("Rs.999/- only", "99900 INR"),
    ("1,280円(税込)", "1280 JPY"), ("Rp 10.000", "1000000 IDR"), ("₱1,299", "129900 PHP"),
    ("5 Euro", "500 EUR"), ("NT$300", "30000 TWD"),
    ("US $12.99", "1299 USD"), ("AU $12.99", "1299 AUD"), ("30EUR", "3000 EUR"),
    ("EUR30", "3000 EUR"), ("30eur", "3000 EUR"), ("12,50 eur", "1250 EUR"), ("£ 3", "300 GBP"),
  ]

  @Test(
    "signs and words name the currency on either side, with or without a space", arguments: signs)
  func readsSigns(text: String, value: String) {
    #expect(RewardReading.parse(text, currency: nil) == value)
  }

  static let shared: [(text: String, currency: String?, value: String)] = [
    ("99 kr", "SEK", "9900 SEK"), ("kr 99,50", "NOK", "9950 NOK"), ("99,- kr.", "DKK", "9900 DKK"),
    ("99:-", "SEK", "9900 SEK"), ("99 kr", "EUR", "text"), ("99 kr", nil, "9900 XXX"),
    ("99 kr SEK", nil, "9900 SEK"), ("5元", "CNY", "500 CNY"), ("NT 5元", "TWD", "500 TWD"),
    ("5元", "USD", "text"), ("￥500", "JPY", "500 JPY"), ("￥5.50", "CNY", "550 CNY"),
    ("$ 5", "CAD", "500 CAD"), ("1 299,00 $", "CAD", "129900 CAD"),
    ("$5 USD", "EUR", "500 USD"), ("Rs. 500", "PKR", "50000 PKR"), ("Fr 500", "XOF", "500 XOF"),
    ("R 199.90", "ZAR", "19990 ZAR"), ("R 199.90", "USD", "text"), ("50 lei", "RON", "5000 RON"),
  ]

  @Test("a sign of several currencies stands for the feed's", arguments: shared)
  func readsSharedSigns(text: String, currency: String?, value: String) {
    #expect(RewardReading.parse(text, currency: currency) == value)
  }

  static let marks: [(text: String, currency: String, value: String)] = [
    ("300.000 VND", "EUR", "300000 VND"), ("300,000 VND", "EUR", "300000 VND"),
    ("¥1.980", "JPY", "1980 JPY"), ("1.980円", "EUR", "1980 JPY"), ("1.500", "CLP", "1500 CLP"),
    ("¥1,980", "JPY", "1980 JPY"), ("1.98", "JPY", "text"), ("1,49,999", "INR", "14999900 INR"),
    ("1,49,999", "EUR", "text"), (",89 €", "EUR", "89 EUR"), (".5 EUR", "USD", "50 EUR"),
    ("only ,50 €", "EUR", "50 EUR"), ("$.99", "USD", "99 USD"), ("€,99", "EUR", "99 EUR"),
    (",899 €", "EUR", "text"), ("x,50 €", "EUR", "text"),
  ]

  @Test(
    "a mark before three digits separates thousands where there are no decimals; one may begin a number",
    arguments: marks)
  func readsMarks(text: String, currency: String, value: String) {
    #expect(RewardReading.parse(text, currency: currency) == value)
  }

  static let doubtful = [
    "2 pairs from $349", "From: 1 299 €", "à partir de 1 299 €", "ab 5 €", "dès 5 €",
    "Set of 5 299 €", "Sofa 1 299 €", "1 29 €", "1 2345 €", "0 299 €",
    "1 299 299,00,00 €", "12,-- 5 €", "1.299 Kč", "1,299 zł", "5 ft", "5 KRONE", "Krone 5", "5 krs",
    "€5 zł", "5 € CZK", "Rs. 1,299 - Rs. 1,499", "12 R", "5TOP", "-5 Kč", "5,50,- €",
  ]

  @Test("texts that resemble them stay text", arguments: doubtful)
  func guessesNothing(text: String) {
    #expect(RewardReading.parse(text, currency: nil) == "text")
  }

  static let unknown: [(text: String, value: String)] = [
    ("9.99", "999 XXX"), ("9,99", "999 XXX"), ("1299", "129900 XXX"), ("1 299,00", "129900 XXX"),
    ("$5", "500 XXX"), ("¥500", "50000 XXX"), ("99 kr", "9900 XXX"), ("1299,-", "129900 XXX"),
    ("1,299", "text"), ("1.299", "text"), ("5 points", "text"), ("9.999", "text"),
    ("€5", "500 EUR"), ("5%", "500 %"), ("up to $5", "up to 500 XXX"), ("A $5 gift", "500 XXX"),
  ]

  @Test("an amount in a feed without a currency is a number", arguments: unknown)
  func readsUnknownCurrency(text: String, value: String) {
    #expect(RewardReading.parse(text, currency: nil) == value)
  }

  @Test(
    "what people type is read like what feeds print",
    arguments: [
      ("30EUR", 3000, "EUR"), ("€4,50", 450, "EUR"), ("$20 CAD", 2000, "CAD"),
      ("1 299 Kč", 129_900, "CZK"),
      ("Rs. 500", 50_000, "INR"), ("12.90 chf", 1290, "CHF"), ("US$5", 500, "USD"),
    ])
  func readsTyped(text: String, units: Int64, currency: String) throws {
    #expect(
      try ValueBound(parsing: text, of: .price) == .amount(minorUnits: units, currency: currency))
    #expect(
      try ValueBound(parsing: text, of: .reward) == .amount(minorUnits: units, currency: currency))
  }

  @Test(
    "a typed amount without a sign is one in any currency", arguments: ["4,50", "4.50", " 4.50 "])
  func readsTypedNumbers(text: String) throws {
    guard case .anyAmount(450, _) = try ValueBound(parsing: text, of: .price) else {
      Issue.record("\(text) is not an amount in any currency")
      return
    }
  }

  @Test(
    "a typed sign that several currencies share is one of all of them",
    arguments: [
      ("$20", ["USD": 2000, "CAD": 2000, "MXN": 2000, "CLP": 20], ["EUR", "JPY"]),
      ("20 $", ["USD": 2000, "CAD": 2000], ["EUR"]),
      ("200kr", ["SEK": 20_000, "NOK": 20_000, "DKK": 20_000, "ISK": 200], ["USD", "EUR"]),
      ("9 元", ["CNY": 900, "TWD": 900, "HKD": 900], ["USD", "JPY"]),
      ("¥500", ["JPY": 500, "CNY": 50_000], ["USD", "EUR"]),
      ("¥1.50", ["JPY": 1, "CNY": 150], ["USD", "EUR"]),
    ])
  func readsSharedSigns(text: String, bounds: [String: Int64], others: [String]) throws {
    guard case .anyAmount(nil, let found) = try ValueBound(parsing: text, of: .price) else {
      Issue.record("\(text) has one currency, or all")
      return
    }
    for (code, units) in bounds { #expect(found[code] == units, "\(code)") }
    for code in others { #expect(found[code] == nil, "\(code)") }
    #expect(found["XXX"] != nil, "an amount of unknown currency counts")
  }

  @Test("the currency that a record states decides a sign that several currencies share")
  func usesTheRecordsCurrency() throws {
    let definition = try #require(
      try DefinitionFile.parse(
        """
        feeds:
          shop:
            id: id
            fields: {name: id, price: {from: p, currency: {from: c}}}
        """, name: "feeds.yaml"
      ).first)
    let document =
      #"[{"id":1,"p":"$11.99","c":"cad"},{"id":2,"p":"12,99 €","c":"CAD"},"#
      + #"{"id":3,"p":"¥2,139","c":"JPY"},{"id":4,"p":14.99,"c":"AUD"},{"id":5,"p":"$5"}]"#
    #expect(
      try FeedReading(document, as: definition).offers.map { $0[.reward] }
        == ["$11.99", "12,99 €", "¥2,139", "14.99 AUD", "$5"])
    let sink = MoneySink()
    let reader = FeedReader(definition: definition, sink: sink)
    try Array(document.utf8).withUnsafeBytes { try reader.consume($0) }
    try reader.finish()
    #expect(sink.rewards == ["1199 CAD", "1299 EUR", "2139 JPY", "1499 AUD", "500 XXX"])
  }
}

/// Parses the rewards of a feed as a sync does.
private final class MoneySink: OfferSink {
  private(set) var rewards: [String] = []
  private let parser = RewardParser(feedCurrency: nil)

  func accept(_ offer: OfferRecord, position: Int) {
    guard let text = offer[.reward] else { return }
    rewards.append(
      RewardReading.formatted(parser.parse(text, currency: offer.rewardCurrency)))
  }

  func skip(id: String?, position: Int, reason: String) {}
  func mend(position: Int, reason: String) {}
}
