import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("The exact value of a printed reward")
struct RewardParserTests {
  static let exact: [(text: String, value: String)] = [
    ("$0.75 Cash Back", "75 USD"), ("$12", "1200 USD"), ("$12.", "1200 USD"), ("$0", "0 USD"),
    ("$1.5", "150 USD"), ("$10.00 Cash Back", "1000 USD"), ("$1,000.00", "100000 USD"),
    ("$1,234,567.89", "123456789 USD"), ("$999,999", "99999900 USD"), ("Get $1,000", "100000 USD"),
    ("$1000 back", "100000 USD"), ("$5, today", "500 USD"), ("($5.25)", "525 USD"),
    ("$5!", "500 USD"), ("$5*", "500 USD"), ("$5\u{A0}Cash Back", "500 USD"),
    ("$5 back™", "500 USD"), ("$5 USD", "500 USD"), ("$5 OFF", "500 USD"), ("$5\nback", "500 USD"),
    ("Up to $3.00 Cash Back", "up to 300 USD"), ("up to $3", "up to 300 USD"),
    ("Get UP TO $3", "up to 300 USD"), ("Up to  $3", "up to 300 USD"),
    ("5%", "500 %"), ("5% back", "500 %"), ("2.5%", "250 %"), ("2.55% back", "255 %"),
    ("100%", "10000 %"), ("0.5%", "50 %"), ("1,000%", "100000 %"), ("Get (5%) back", "500 %"),
    ("UP TO 5% back", "up to 500 %"), ("Earn up to 8% Cash Back", "up to 800 %"),
    ("Group to $5", "500 USD"), ("Up today $5", "500 USD"),
    ("$9999999999999", "999999999999900 USD"), ("$ 5", "500 USD"), ("5$", "500 USD"),
    ("5 $", "500 USD"), ("$5USD", "500 USD"), ("$٥", "500 USD"), ("$５", "500 USD"),
    ("５０％", "5000 %"), ("$١٬٢٣٤٫٥٠", "123450 USD"), ("५%", "500 %"), ("20%OFF", "2000 %"),
    ("20%割引", "2000 %"), ("$1 off one", "100 USD"), ("Save 2 dollars", "200 USD"),
    ("50 cents", "50 USD"), ("up to -5%", "up to 500 %"), ("5 €-Rabatt", "500 EUR"),
    ("Buono da 5 €", "500 EUR"), ("What to do: $5 off", "500 USD"), ("20 Percent off", "2000 %"),
    ("20 per cent", "2000 %"),
  ]

  @Test("a single amount or percentage is parsed exactly", arguments: exact)
  func readsExactValue(text: String, value: String) {
    #expect(RewardReading.parse(text) == value)
  }

  static let doubtful = [
    "", " ", "Free", "Free after offer", "Up to", "$", "%", "Save 2",
    "$1 off $5", "Buy 2, get $1", "$1-$5", "$1 - $5", "5% or $5", "2 for $1", "$5 in 10 days",
    "$0.755", "$0.7555", "5.125%", "$1,50", "$12,34", "$1,0000", "$1,00,000", "$1000,000",
    "$1,000,00", "$,100", "$1,,000", "$0,125", "$00,125", "$1.2.3", "1.2.3%", "$1.000.000", "$.755",
    ".5%", ",5%", "-$5", "$-5", "-5%", "+5%", "\u{2212}$5", "\u{2212}5%",
    "$$5", "$5%", "$5k", "$5M", "$5x", "$5 CAD", "$5 AUD back",
    "$5\u{A0}HKD", "$1 million", "$1 Billion", "$2 hundred", "$5+", "5%+", "$5/lb", "5%/year",
    "$5½",
    "$5¢", "5‰", "$5-off", "$5'", "¥500", "5 points", "$1 off per lb", "$5 back a month",
    "50% off the third",
    "5pc", "x5%", "$5_", "#5", "5th", "99999999999999999999", "$99999999999999999999",
    "99999999999999999999%", "$0.99999999999999999999", "$1e3", "1e3%", "$0x10",
    "Up to 3x", "from $3", "Starting at $5", "$1 off 2", "$1 off any two", "BOGO 50% off",
    "Buy one get one 50% off", "Second one 50% off", "Sign up to get $5", "Up to an extra 5%",
    "Up to: $5", "Do 5%", "under 5%", "About $5", "$5 or more", "$5 off or more", "$5 & up",
    "Get -5%",
    "Tweede artikel 50%", "-5-Euro",
  ]

  @Test("an ambiguous text stays text", arguments: doubtful)
  func guessesNothing(text: String) {
    #expect(RewardReading.parse(text) == "text")
  }

  @Test(
    "a price is no percentage and no saving",
    arguments: [
      ("$3", "300 USD"), ("now $3", "300 USD"), ("save $3", "text"), ("$3 off", "text"),
      ("20%", "text"), ("20% off", "text"), ("£3 Rabatt", "text"), ("from $3", "text"),
      ("3.00 USD", "300 USD"), ("99¢", "99 USD"), ("$5.00 ea", "500 USD"),
      ("$5 and up", "text"), ("under $5", "text"), ("approx. $5", "text"),
      ("per kg 4,99 €", "text"),
      ("kg 4,99 €", "text"), ("per order $5", "500 USD"), ("Max $5", "500 USD"),
    ])
  func readsPrices(text: String, value: String) {
    #expect(RewardReading.parse(text, role: .price) == value)
  }

  @Test("a dollar sign is the dollar of the feed's definition")
  func usesTheFeedsDollar() {
    #expect(RewardReading.parse("$5", currency: "CAD") == "500 CAD")
    #expect(RewardReading.parse("$5 CAD", currency: "CAD") == "500 CAD")
    #expect(RewardReading.parse("$5 USD", currency: "CAD") == "text")
    #expect(RewardReading.parse("5%", currency: "CAD") == "500 %")
  }

  @Test("no text crashes the parser")
  func survivesAnyText() {
    var random = SeededGenerator(number: 7)
    let parts = [
      "$", "%", "1", "0", "9", ",", ".", " ", "up to", "-", "é", "\u{A0}", "000", "CAD", "(", "x",
    ]
    for _ in 0..<TestSize.scaled(20_000) {
      let count = Int.random(in: 0...8, using: &random)
      let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      let value = RewardReading.parse(text)
      // A value has its sign beside it, or is all of the text: `1.-` is a whole amount.
      let isBare = text.allSatisfy {
        $0.isNumber || $0 == " " || $0 == "\u{A0}" || ",.-".contains($0)
      }
      if value.hasSuffix("USD") { #expect(isBare || text.contains("$"), "\(text)") }
      if value.hasSuffix("%") { #expect(text.contains("%"), "\(text)") }
    }
  }

  @Test("invalid UTF-8 has no value and does not crash")
  func survivesInvalidBytes() {
    for bytes: [UInt8] in [[0x24, 0x35, 0xC2], [0xFF, 0x35, 0x25], [0x24, 0x35, 0xFF]] {
      let reward = bytes.withUnsafeBytes { RewardParser(feedCurrency: "USD").parse($0) }
      #expect(reward.kind == 0)
    }
  }
}
