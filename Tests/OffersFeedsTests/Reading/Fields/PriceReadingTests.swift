import OffersCore
import Testing

@Suite("Rewards and prices in a record")
struct PriceReadingTests {
  private static let yaml = """
    id: id
    fields:
      name: {text: N}
      reward:
        - {from: price, currency: {from: money.code}}
        - {from: cost, currency: EUR}
        - points
    """

  /// The reward of a record with these members: the text and its exact value.
  private func reward(_ members: String) throws -> [String?] {
    let reading = try YAMLReading(Self.yaml, "[{\"id\":1,\(members)}]")
    #expect(reading.isClean)
    let text = try #require(reading.all(.reward).first)
    return [text, text.map { RewardReading.parse($0, currency: nil) }]
  }

  @Test("a bare number gets its currency from another member")
  func currencyElsewhere() throws {
    #expect(try reward(#""price":"9.99","money":{"code":"USD"}"#) == ["9.99 USD", "999 USD"])
    #expect(try reward(#""money":{"code":"CHF"},"price":12"#) == ["12 CHF", "1200 CHF"])
    #expect(try reward(#""price":9.90,"money":{"code":"EUR"}"#) == ["9.90 EUR", "990 EUR"])
    #expect(try reward(#""price":"1,5","money":{"code":"EUR"}"#) == ["1,5 EUR", "150 EUR"])
    #expect(
      try reward(#""price":"1.234,50","money":{"code":"EUR"}"#) == ["1.234,50 EUR", "123450 EUR"])
    #expect(try reward(#""price":500,"money":{"code":"JPY"}"#) == ["500 JPY", "500 JPY"])
  }

  @Test("an amount with more decimals than its currency stays text, without rounding")
  func decimals() throws {
    #expect(try reward(#""price":"9.99000","money":{"code":"USD"}"#) == ["9.99000 USD", "999 USD"])
    #expect(try reward(#""price":"9.995","money":{"code":"USD"}"#) == ["9.995 USD", "text"])
    #expect(try reward(#""price":"5.5","money":{"code":"JPY"}"#) == ["5.5 JPY", "text"])
  }

  @Test("a price with its own currency keeps it")
  func ownCurrency() throws {
    #expect(try reward(#""price":"€1,50","money":{"code":"USD"}"#) == ["€1,50", "150 EUR"])
    #expect(try reward(#""price":"$9.99","money":{"code":"EUR"}"#)[0] == "$9.99")
    #expect(try reward(#""price":"5% back","money":{"code":"EUR"}"#) == ["5% back", "500 %"])
    #expect(try reward(#""price":"9.99 USD","money":{"code":"EUR"}"#) == ["9.99 USD", "999 USD"])
    #expect(try reward(#""price":"free","money":{"code":"EUR"}"#) == ["free", "text"])
  }

  @Test("a bare number without a currency is an amount without one")
  func noCurrency() throws {
    for money in ["null", "{}", #"{"code":""}"#, #"{"code":null}"#, #"{"code":{"x":1}}"#, "7"] {
      #expect(
        try reward("\"price\":\"9.99\",\"money\":\(money)") == ["9.99", "999 XXX"], "\(money)")
    }
  }

  @Test("a constant currency applies to its own price only, and points are not money")
  func constant() throws {
    #expect(try reward(#""cost":"3.20","money":{"code":"USD"}"#) == ["3.20 EUR", "320 EUR"])
    #expect(try reward(#""points":1200"#) == ["1200", "120000 XXX"])
    #expect(try reward(#""points":"1,200 points""#) == ["1,200 points", "text"])
    #expect(try reward(#""points":"Earn 5 points per $1""#) == ["Earn 5 points per $1", "text"])
  }

  @Test("the currency of an XML element can be its attribute")
  func elements() throws {
    let reading = try YAMLReading(
      shipped: "albums",
      """
      <feed xmlns:im="http://itunes.apple.com/rss" xmlns="http://www.w3.org/2005/Atom">
      <title>Top Albums</title><rights>Copyright 2026</rights>
      <entry><id im:id="1">u</id><im:name>A</im:name>
      <im:price amount="9.99000" currency="USD">$9.99</im:price></entry>
      <entry><id im:id="2">u</id><im:name>B</im:name>
      <im:price currency="EUR">9.99</im:price></entry>
      </feed>
      """)
    #expect(reading.isClean)
    #expect(reading.ids == ["1", "2"])
    #expect(reading.all(.reward) == ["$9.99", "9.99 EUR"])
  }
}
