import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Amounts in minor units")
struct DecimalShiftTests {
  private static func amount(_ text: String, _ places: Int) -> String? {
    var text = text
    return text.withUTF8 { DecimalShift.amount(UnsafeRawBufferPointer($0), places: places) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "the decimal point moves, and no digit is lost",
    arguments: [
      ("1599", 2, "15.99"), ("1500", 2, "15.00"), ("5", 2, "0.05"), ("50", 2, "0.50"),
      ("0", 2, "0.00"), ("500", 0, "500"), ("0", 0, "0"), ("1250", 3, "1.250"),
      ("10001", 4, "1.0001"), ("007", 2, "0.07"), ("1599.00", 2, "15.99"),
      ("1599.5", 2, "15.995"), ("-250", 2, "-2.50"), (" 7 ", 2, "0.07"),
      ("99999999999999999999", 2, "999999999999999999.99"),
    ])
  func moves(text: String, places: Int, amount: String) {
    #expect(Self.amount(text, places) == amount)
  }

  @Test(
    "other texts than plain numbers, and impossible units, are refused",
    arguments: [
      ("", 2), ("free", 2), ("1,599", 2), ("1e3", 2), ("$5", 2), (".5", 2), ("5.", 2), ("-", 2),
      ("1.5.0", 2), ("٥", 2), ("5", -1), ("5", 13), (String(repeating: "9", count: 41), 2),
    ])
  func refuses(text: String, places: Int) {
    #expect(Self.amount(text, places) == nil)
  }

  private static let yaml = """
    id: id
    fields:
      name: {text: N}
      reward: {from: price.amount, currency: {from: price.code}, minor-units: true}
    """

  @Test(
    "the number of decimals is that of the currency",
    arguments: [
      (#"{"amount":"1599","code":"GBP"}"#, "15.99 GBP", "1599 GBP"),
      (#"{"amount":250,"code":"usd"}"#, "2.50 USD", "250 USD"),
      (#"{"amount":500,"code":"JPY"}"#, "500 JPY", "500 JPY"),
      (#"{"amount":"free","code":"GBP"}"#, "free", "text"),
    ])
  func readsByCurrency(price: String, text: String, exact: String) throws {
    let reading = try YAMLReading(Self.yaml, #"[{"id":1,"price":\#(price)}]"#)
    #expect(reading.isClean)
    #expect(reading.all(.reward) == [text])
    #expect(RewardReading.parse(text, currency: nil) == exact)
  }

  @Test("without a known currency there is no reward, and a note says why")
  func tellsMissingCurrency() throws {
    for price in [#"{"amount":250}"#, #"{"amount":250,"code":"coins"}"#] {
      let reading = try YAMLReading(Self.yaml, #"[{"id":1,"price":\#(price)}]"#)
      #expect(reading.all(.reward) == [nil])
      #expect(reading.mends.first?.contains("minor units") == true)
    }
    let known = try YAMLReading(
      "currency: EUR\n" + Self.yaml, #"[{"id":1,"price":{"amount":250}}]"#)
    #expect(known.all(.reward) == ["2.50 EUR"])
  }

  @Test("the number of decimals can come from the document")
  func readsPlaces() throws {
    let yaml = """
      id: id
      fields:
        name: {text: N}
        reward:
          from: p.price
          currency: {from: p.currency_code}
          minor-units: {from: p.currency_minor_unit}
      """
    func reward(_ members: String) throws -> [String?] {
      try YAMLReading(yaml, #"[{"id":1,"p":{"price":"1599",\#(members)}}]"#).all(.reward)
    }
    #expect(try reward(#""currency_code":"GBP","currency_minor_unit":2"#) == ["15.99 GBP"])
    #expect(try reward(#""currency_code":"GBP","currency_minor_unit":0"#) == ["1599 GBP"])
    #expect(try reward(#""currency_minor_unit":"3""#) == ["1.599"])
    #expect(try reward(#""currency_code":"GBP""#) == ["15.99 GBP"])
    #expect(try reward(#""currency_code":"GBP","currency_minor_unit":"two""#) == [nil])
    #expect(try reward(#""currency_code":"GBP","currency_minor_unit":99"#) == [nil])
  }

  @Test(
    "the option survives writing and parsing, and is allowed for rewards only",
    arguments: ["true", "{from: prices.currency_minor_unit}", "{from: $.places}"])
  func keepsTheKey(value: String) throws {
    let yaml = "feeds:\n  x:\n    id: id\n    fields:\n      name: title\n"
    let text = yaml + "      reward: {from: p, minor-units: \(value)}\n"
    let definition = try DefinitionFile.parse(text, name: "f")[0]
    #expect(DefinitionText.yaml(for: definition) == text)
    let plain = try DefinitionFile.parse(
      yaml + "      reward: {from: p, minor-units: false}\n", name: "f")[0]
    #expect(plain.fields[.reward] == FieldRule(.path(FieldPath(keys: ["p"]))))
    #expect(plain.derivationSeed != definition.derivationSeed)
    for wrong in [
      "reward: {from: p, minor-units: 2}", "reward: {from: p, minor-units: [a]}",
      "terms: {from: p, minor-units: true}",
    ] {
      #expect(throws: OffersError.self) {
        try DefinitionFile.parse(yaml + "      \(wrong)\n", name: "f")
      }
    }
  }

  static let guessed: [(item: String, reward: String)] = [
    (
      #""prices":{"currency_code":"GBP","currency_minor_unit":2,"price":"1599"}"#, "15.99 GBP"
    ),
    (#""price":{"centAmount":1099,"currencyCode":"EUR","fractionDigits":2}"#, "10.99 EUR"),
    (#""currency":"usd","unit_amount":1999,"unit_amount_decimal":"1999""#, "19.99 USD"),
    (#""currency":"jpy","unit_amount":500"#, "500 JPY"),
    (#""price_money":{"amount":250,"currency":"USD"}"#, "2.50 USD"),
    (#""price":{"value_cents":1099,"currency":"USD"}"#, "10.99 USD"),
    (#""price_cents":1099,"currency":"USD""#, "10.99 USD"),
    (#""amountCents":"1099","currency":"USD""#, "10.99 USD"),
    (#""price_in_cents":1099,"currency":"USD""#, "10.99 USD"),
    (#""price_cents":"10.99","currency":"USD""#, "10.99 USD"),
    (#""money":{"amount":250,"currency":"USD"}"#, "250 USD"),
    (#""price":250,"currency":"USD""#, "250 USD"),
  ]

  @Test("other amounts in minor units are not proposed as attributes")
  func leavesOutOthers() throws {
    let prices =
      #""prices":{"currency_code":"GBP","currency_minor_unit":2,"price":"1599","regular_price":"1799"}"#
    let guess = try GuessReading(
      #"[{"id":1,"name":"A","unit_amount_decimal":"1599","stock":5,\#(prices)}]"#)
    #expect(guess.labels == ["Stock"])
  }

  @Test("the minor units of well-known shops are detected", arguments: guessed)
  func guesses(item: String, reward: String) throws {
    let guess = try GuessReading(#"[{"id":1,"name":"A",\#(item)},{"id":2,"name":"B",\#(item)}]"#)
    #expect(guess.all(.reward) == [reward, reward], "\(guess.yaml)")
  }
}
