import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Values in untidy documents")
struct UntidyValueTests {
  private static func prices(_ numbers: [String]) throws -> [String?] {
    let records = numbers.map { #"{"id":"a","name":"x","price":\#($0)}"# }
    return try YAMLReading(
      "id: id\ncurrency: EUR\nfields: {name: name, price: price}",
      "[\(records.joined(separator: ","))]"
    ).all(.reward)
  }

  @Test(
    "in a JSON number the point is the decimal mark, and its zeros and noise are left out",
    arguments: [
      ("5.000", "5"), ("19.990", "19.99"), ("1e2", "100"), ("1.5E1", "15"), ("12.0000", "12"),
      ("29.989999999999998", "29.99"), ("0.30000000000000004", "0.3"), ("9.90", "9.90"),
      ("1.299", "1.299"), ("7", "7"), ("-1e1", "-10"), ("1e-9", "1e-9"),
      ("123456789012345678901234567890", "123456789012345678901234567890"),
      (#""5.000""#, "5.000"),
    ])
  func numbers(number: String, text: String) throws {
    #expect(try Self.prices([number]) == [text])
  }

  @Test(
    "a JSON number with three decimals is never thousands",
    arguments: [
      ("JPY", "123.456", nil), ("JPY", "123.000", 123), ("EUR", "1.299", nil),
      ("KWD", "1.299", 1299), ("USD", "1.5", 150), ("VND", "\"300.000\"", 300_000),
    ])
  func thousands(currency: String, number: String, units: Int64?) throws {
    let yaml = "feeds:\n  shop: {id: id, currency: \(currency), fields: {name: id, price: p}}"
    let definition = try #require(try DefinitionFile.parse(yaml, name: "x.yaml").first)
    let sink = ParsedRewards(currency)
    let reader = FeedReader(definition: definition, sink: sink)
    let document = #"[{"id":1,"p":\#(number)}]"#
    try Array(document.utf8).withUnsafeBytes { try reader.consume($0) }
    try reader.finish()
    #expect(sink.units == [units])
  }

  /// Parses the reward of each offer as a sync does.
  private final class ParsedRewards: OfferSink {
    private let rewards: RewardParser
    var units: [Int64?] = []

    init(_ currency: String) { rewards = RewardParser(feedCurrency: currency) }

    func accept(_ offer: OfferRecord, position: Int) {
      guard let text = offer[.reward] else { return units.append(nil) }
      let reward = rewards.parse(
        text, currency: offer.rewardCurrency, isNumber: offer.isRewardNumber)
      units.append(reward.kind == ExactReward.amount ? reward.number : nil)
    }

    func skip(id: String?, position: Int, reason: String) {}
    func mend(position: Int, reason: String) {}
  }

  @Test("a list of very many categories is written in linear time")
  func manyCategories() throws {
    let many = Array(repeating: "a", count: 60_000) + Array(repeating: "b", count: 60_000)
    let list = many.map { "\"\($0)\"" }.joined(separator: ",")
    let definition = try #require(
      try DefinitionFile.parse(
        "feeds:\n  shop: {id: id, fields: {name: id, categories: c}}", name: "x.yaml"
      ).first)
    let time = try ContinuousClock().measure {
      let reading = try FeedReading(Array(#"[{"id":1,"c":[\#(list)]}]"#.utf8), as: definition)
      #expect(reading.offers.first?[.categories] == #"["a","b"]"#)
    }
    #expect(time < .seconds(20))
  }

  @Test("white space around and between words is no part of a value of one line")
  func space() throws {
    let reading = try YAMLReading(
      """
      id: id
      fields: {name: n, retailer: r, categories: c, description: d, price: p, latitude: x, longitude: y}
      attributes: {Brand: b}
      """,
      """
      [{"id":" a ","n":"  Big \\n  tea ","r":" Corner ","c":[" Tea ","Tea","  "],"d":" One\\n  two ",
      "p":" 5 EUR ","x":" 48.137 ","y":"11.5 ","b":" Acme "},{"id":"b","n":"x","r":"  ","b":" "}]
      """)
    let first = try #require(reading.offers.first)
    #expect(first[.id] == " a ")
    #expect(first[.name] == "Big tea")
    #expect(first[.retailer] == "Corner")
    #expect(first[.categories] == #"["Tea"]"#)
    #expect(first[.description] == " One\n  two ")
    #expect(first[.reward] == "5 EUR")
    #expect(first[.latitude] == "48.137")
    #expect(first[.longitude] == "11.5")
    #expect(first[.attributes] == #"[["Brand","Acme"]]"#)
    #expect(reading.offers[1] == [.id: "b", .name: "x"])
    #expect(reading.isClean)
  }

  @Test("a link with spaces in some items is still the link, and a list of one at a path is a list")
  func guesses() throws {
    let items = (1...5).map {
      #"{"id":"\#($0)","name":"Tea \#($0)","link":"https://x.example/tea \#($0)"}"#
    }
    let reading = try GuessReading("[\(items.joined(separator: ","))]")
    #expect(reading.all(.url) == (1...5).map { "https://x.example/tea \($0)" })
    let one = try GuessReading(
      #"{"feed":{"entry":{"id":"1","name":"Tea"}}}"#, items: FieldPath(keys: ["feed", "entry"]))
    #expect(one.all(.name) == ["Tea"])
  }

  @Test("half a place is none")
  func places() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: id, latitude: lat, longitude: lng}",
      #"[{"id":"a","lat":"91","lng":"0"},{"id":"b","lat":"48"},{"id":"c","lat":0,"lng":0}]"#)
    #expect(reading.all(.latitude) == [nil, nil, "0"])
    #expect(reading.all(.longitude) == [nil, nil, "0"])
  }

  @Test("each element of a list has its text at the first of the places that has one")
  func elements() throws {
    let atom = try YAMLReading(
      shipped: "atom",
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id><title>A</title>
      <category term="tea" label="Tea &amp; more"/><category term="green-tea"/>
      <category term="tea" label="Tea &amp; more"/><category label=""/></entry></feed>
      """)
    #expect(atom.all(.categories) == [#"["Tea & more","green-tea"]"#])
    let json = try YAMLReading(
      "id: id\nfields: {name: id, categories: [\"tags[*].name\", \"tags[*]\", other]}",
      #"[{"id":"a","tags":[{"name":"Tea"},"Jam",{"x":1}]},{"id":"b","other":["Oil"]}]"#)
    #expect(json.all(.categories) == [#"["Tea","Jam"]"#, #"["Oil"]"#])
  }

  @Test("a link that is broken over lines is one link")
  func links() throws {
    let reading = try YAMLReading(
      "id: id\nfields: {name: id, link: link}",
      #"[{"id":"a","link":"https://x.example/a\n/b\t?c=1"},{"id":"b","link":"/d\r\n/e"}]"#,
      address: "https://x.example/feed")
    #expect(reading.all(.url) == ["https://x.example/a/b?c=1", "https://x.example/d/e"])
  }

  @Test(
    "several byte order marks are passed over",
    arguments: ["\u{FEFF}\u{FEFF}", "\u{FEFF}\u{FEFF}\u{FEFF}"])
  func marks(start: String) throws {
    let document =
      start + "<?xml version='1.0'?><rss><channel><item><title>Tea</title></item></channel></rss>"
    #expect(try YAMLReading(shipped: "rss", document).names == ["Tea"])
    let guess = try GuessReading(document)
    #expect(guess.proposal.kind == .rss)
  }

  @Test(
    "a picture within a script, a style or a text field is none",
    arguments: ["script", "STYLE", "textarea", "template"])
  func pictures(element: String) {
    let html = "<\(element) a='1'><img src='no.jpg'> </\(element.lowercased())><img src=yes.jpg>"
    let found = Array(html.utf8).withUnsafeBytes { HTMLPicture.find(in: $0) }
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == "yes.jpg")
    let open = Array("<\(element)><img src='no.jpg'>".utf8).withUnsafeBytes {
      HTMLPicture.find(in: $0)
    }
    #expect(open == nil)
  }
}
