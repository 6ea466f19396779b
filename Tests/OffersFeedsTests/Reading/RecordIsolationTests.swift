import OffersCore
import Testing

@Suite("Isolation of records")
struct RecordIsolationTests {
  private static let yaml = """
    id: id
    fields:
      name: [name, title]
      description: {from: html, as: html}
      terms: more.terms
      reward: {from: price, currency: {from: money}}
      image: "https://i.example{pic}"
      categories: tags
      expires: until
    attributes: {A: "a[*]", B: more.b}
    """

  private static let members: [(name: String, json: String)] = [
    ("name", #""name":"N\u0061me \"é\"""#), ("title", #""title":"Title\n""#),
    ("html", #""html":"<p>One</p> &amp; \u003cb>two</b>""#),
    ("more", #""more":{"terms":"t\ttt","b":{"x":1}}"#), ("price", #""price":"1.50","money":"EUR""#),
    ("pic", #""pic":"/x.png""#), ("tags", #""tags":["x","\u0079"]"#), ("a", #""a":["p",["q"],7]"#),
    ("until", #""until":"2026-08-31""#), ("broken", #""more":{"terms":"bad\ud800","b":"ok"}"#),
    ("wrong", #""price":{},"html":[]"#), ("bad", #""until":"soon""#),
  ]

  /// Records with various combinations of members.
  private static func records() -> [String] {
    (0..<48).map { number in
      var chosen = number &* 2_654_435_761 >> 3
      var parts = ["\"id\":\(number)"]
      for (_, json) in members {
        if chosen & 1 == 1 { parts.append(json) }
        chosen >>= 1
      }
      return "{\(parts.joined(separator: ","))}"
    }
  }

  @Test("a record gives the same result among others as alone")
  func amongOthers() throws {
    let records = Self.records()
    let all = try YAMLReading(Self.yaml, "[\(records.joined(separator: ","))]")
    #expect(all.error == nil)
    #expect(all.offers.count > 20)
    var offers: [[OfferField: String]] = []
    var told: [String] = []
    for record in records {
      let one = try YAMLReading(Self.yaml, "[\(record)]")
      offers += one.offers
      told += (one.skips + one.mends).map { String($0.dropFirst()) }
    }
    #expect(all.offers == offers)
    let allTold = (all.skips + all.mends).map { String($0.drop { $0.isNumber }) }
    #expect(allTold.sorted() == told.sorted())
    #expect(told.contains { $0.contains("not valid Unicode") })
  }

  @Test("JSON lines and elements of a list give the same results")
  func asLines() throws {
    let records = Self.records()
    let list = try YAMLReading(Self.yaml, "[\(records.joined(separator: ",\n"))]")
    let lines = try YAMLReading(Self.yaml + "\nformat: ndjson", records.joined(separator: "\n"))
    #expect(list.events == lines.events)
  }

  @Test("elements of earlier records leave no traces")
  func sparseElements() throws {
    let yaml = """
      items: x.o
      id: "@id"
      fields: {name: n, description: d, reward: {from: p, currency: {from: p.@c}}, categories: c}
      attributes: {A: "a[*].@v"}
      """
    let parts = [
      "<n>N</n>", "<d>D<b>old</b></d>", "<p c='EUR'>1</p>", "<p>2</p>", "<c>x</c><c>y</c>",
      "<a v='1'/><a/><a v='2'/>", "<n> </n>", "<d/>", "<z><n>no</n></z>",
    ]
    let records = (0..<64).map { number in
      let chosen = parts.enumerated().filter { ((number &* 77) >> $0.offset) & 1 == 1 }
      return "<o id='\(number)'>\(chosen.map(\.element).joined())</o>"
    }
    let all = try YAMLReading(yaml, "<x>\(records.joined(separator: "\n"))</x>")
    let each = try records.map { try YAMLReading(yaml, "<x>\($0)</x>") }
    #expect(all.offers == each.flatMap(\.offers))
    #expect(all.offers.count > 10)
    #expect(all.skips.count == 64 - all.offers.count)
  }
}
