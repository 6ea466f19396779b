import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Field names of well-known shops and services")
struct FieldVocabularyTests {
  private static func first(_ members: String, _ field: OfferField) throws -> String? {
    try GuessReading(#"[{"id":1,\#(members)}]"#).all(field)[0]
  }

  @Test(
    "the description is found by any of its names",
    arguments: ["descriptionHtml", "selftext", "body", "description_html", "bodyHtml"])
  func descriptions(key: String) throws {
    #expect(
      try Self.first(#""name":"A","\#(key)":"<p>Long words</p>""#, .description) == "Long words")
  }

  @Test("the end of a sale and the end of a validity period are found")
  func ends() throws {
    #expect(
      try Self.first(#""name":"A","date_on_sale_to":"2026-12-24T00:00:00""#, .expiresAt) != nil)
    #expect(try Self.first(#""name":"A","valid_until":"24.12.2026""#, .expiresAt) != nil)
    #expect(try Self.first(#""name":"A","date_on_sale_from":"2026-12-24""#, .startsAt) != nil)
  }

  @Test(
    "prices and discounts are found",
    arguments: [
      (#""UnitPrice":2.5,"currency":"USD""#, "2.5 USD"),
      (#""amount_off":3,"currency":"usd""#, "3 USD"),
      (
        #""pricing":{"list":{"value":9,"currency":"EUR"},"sale":{"value":7,"currency":"EUR"}}"#,
        "7 EUR"
      ),
      (#""prices":{"regular":{"amount":"9"},"special":{"amount":"7"}},"currency":"EUR""#, "7 EUR"),
      (#""pricing":{"list":{"value":9,"currency":"EUR"},"sale":null}"#, "9 EUR"),
    ])
  func prices(members: String, reward: String) throws {
    #expect(try Self.first(#""name":"A",\#(members)"#, .reward) == reward)
  }

  @Test("the address of a web page takes precedence over that of an API")
  func links() throws {
    let item = #""name":"A","itemHref":"https://api.example/1","itemWebUrl":"https://e.example/1""#
    #expect(try Self.first(item, .url) == "https://e.example/1")
    let release = #""name":"A","url":"https://api.example/1","html_url":"https://e.example/1""#
    #expect(try Self.first(release, .url) == "https://e.example/1")
  }

  @Test("the large image of a preview takes precedence over the thumbnail")
  func previews() throws {
    let item =
      #""name":"A","thumbnail":"https://e.example/t.jpg","#
      + #""preview":{"images":[{"source":{"url":"https://e.example/l.jpg?a=1&amp;b=2"}}]}"#
    #expect(try Self.first(item, .imageURL) == "https://e.example/l.jpg?a=1&b=2")
  }

  @Test("images are found even if some items have a placeholder word")
  func listings() throws {
    let guess = try GuessReading(
      """
      {"data":{"children":[
      {"kind":"t3","data":{"id":"a","title":"A","url":"https://e.example/a",
        "thumbnail":"https://e.example/t.jpg",
        "preview":{"images":[{"source":{"url":"https://e.example/l.jpg"}}]}}},
      {"kind":"t3","data":{"id":"b","title":"B","url":"https://e.example/b","thumbnail":"self"}},
      {"kind":"t3","data":{"id":"c","title":"C","url":"https://e.example/c",
        "thumbnail":"https://e.example/u.jpg"}}]}}
      """)
    #expect(guess.all(.imageURL) == ["https://e.example/l.jpg", nil, "https://e.example/u.jpg"])
  }

  @Test("a nickname is a name and not an id; numbers with a decimal zero are ids")
  func names() throws {
    #expect(try Self.first(#""object":"price","nickname":"Gold","unit_amount":5"#, .name) == "Gold")
    let guess = try GuessReading(#"[{"id":1.0,"name":"T"},{"id":2.0,"name":"T"}]"#)
    #expect(guess.ids == ["1", "2"])
  }
}
