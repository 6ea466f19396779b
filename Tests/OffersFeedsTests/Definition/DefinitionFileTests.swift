import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Valid definition files")
struct DefinitionFileTests {
  private static func one(_ lines: String) throws -> FeedDefinition {
    let definitions = try DefinitionFile.parse(
      "feeds:\n  x:\n" + lines.split(separator: "\n").map { "    \($0)\n" }.joined(),
      name: "feeds.yaml")
    #expect(definitions.count == 1)
    return definitions[0]
  }

  private static func path(_ keys: String...) -> FieldPath { FieldPath(keys: keys) }
  private static func documentPath(_ keys: String...) -> FieldPath {
    FieldPath(isFromDocument: true, keys.map { .key($0) })
  }

  @Test("a feed needs an id and a name, and everything else has a default")
  func readsLeast() throws {
    let feed = try Self.one("id: id\nfields: {name: title}")
    #expect(
      feed
        == FeedDefinition(
          name: "x", title: TextRule(.constant("x")), items: [.root],
          id: .value(FieldRule(.path(Self.path("id")))),
          fields: [.name: FieldRule(.path(Self.path("title")))]))
    #expect(feed.pages == nil && feed.everySeconds == nil && feed.source == nil)
    #expect(!feed.isSelection)
  }

  @Test("every key is parsed")
  func readsMost() throws {
    let feed = try Self.one(
      """
      title: {from: [feed.title, title]}
      source: https://x.example/{page}?k={env:KEY}
      search: https://x.example/?q={query}
      every: 6h
      format: ndjson
      encoding: Windows-1252
      items: [products, .]
      id: {made-from: [name, location.address]}
      currency: USD
      fields:
        name: [title, {from: [a, b], as: html, limit: 80}]
        description: {from: body_html, as: html}
        reward: {from: price, currency: {from: price_currency}}
        image: https://img.example{path}
        starts: from
        expires: {from: until, as: text}
        categories: genres[*].name
        terms: {text: "See {shop}."}
      attributes:
        Phone: contact.phone
        Genre: {from: "genres[*].name", join: " / "}
        Shop: $.shop.name
      shared:
        Copyright: feed.copyright
      selection: true
      pages: {total: total_pages, first: 0, limit: 3}
      headers: {Authorization: "Bearer {env:TOKEN}", X-Page: "{page}"}
      error: [status_message, errors]
      """)
    #expect(
      feed.title.alternatives.map(\.value) == [
        .path(Self.documentPath("feed", "title")), .path(Self.documentPath("title")),
      ])
    #expect(feed.source?.parts.contains(.environment("KEY")) == true)
    #expect(feed.search?.hasQuery == true)
    #expect(feed.everySeconds == 21_600)
    #expect(feed.format == .ndjson)
    #expect(feed.encoding == "windows-1252")
    #expect(feed.items == [Self.documentPath("products"), .root])
    #expect(feed.id == .madeFrom([Self.path("name"), Self.path("location", "address")]))
    #expect(feed.currency == "USD")
    #expect(
      feed.fields[.name]?.alternatives == [
        FieldRule.Alternative(.path(Self.path("title"))),
        FieldRule.Alternative(.path(Self.path("a")), reading: .html, limitCharacters: 80),
        FieldRule.Alternative(.path(Self.path("b")), reading: .html, limitCharacters: 80),
      ])
    #expect(
      feed.fields[.reward]?.alternatives == [
        FieldRule.Alternative(
          .path(Self.path("price")), currency: .path(Self.path("price_currency")))
      ])
    #expect(
      feed.fields[.imageURL]
        == FieldRule(
          .template(Template([.literal("https://img.example"), .path(Self.path("path"))])),
          reading: .link))
    #expect(feed.fields[.startsAt] == FieldRule(.path(Self.path("from")), reading: .date))
    #expect(feed.fields[.expiresAt] == FieldRule(.path(Self.path("until"))))
    #expect(feed.fields[.terms] == FieldRule(.constant("See {shop}.")))
    #expect(feed.attributes.map(\.label) == ["Phone", "Genre", "Shop"])
    #expect(feed.attributes[1].rule.alternatives[0].join == " / ")
    #expect(
      feed.attributes[2].rule == FieldRule(.path(Self.documentPath("shop", "name"))))
    #expect(feed.shared[0].rule == FieldRule(.path(Self.documentPath("feed", "copyright"))))
    #expect(feed.isSelection)
    #expect(
      feed.pages
        == PageRule(total: .path(Self.documentPath("total_pages")), first: 0, limit: 3))
    #expect(feed.headers.map(\.name) == ["Authorization", "X-Page"])
    #expect(feed.error == [Self.documentPath("status_message"), Self.documentPath("errors")])
  }

  @Test("numbers and Booleans are kept as the text in the file")
  func keepsText() throws {
    let feed = try Self.one("title: 007\nid: 5\nfields: {name: yes, terms: 1.50, link: 2024-01-01}")
    #expect(feed.title == TextRule(.constant("007")))
    #expect(feed.id == .value(FieldRule(.path(Self.path("5")))))
    #expect(feed.fields[.name] == FieldRule(.path(Self.path("yes"))))
    #expect(feed.fields[.terms] == FieldRule(.path(Self.path("1", "50"))))
    #expect(feed.fields[.url] == FieldRule(.path(Self.path("2024-01-01")), reading: .link))
  }

  @Test("an item that is a plain text can be its own name")
  func readsPlainItems() throws {
    let feed = try Self.one("items: ''\nid: .\nfields: {name: ''}")
    #expect(feed.items == [.root])
    #expect(feed.id == .value(FieldRule(.path(.itself))))
    #expect(feed.fields[.name] == FieldRule(.path(.itself)))
  }

  @Test(
    "braces make a template, except in the quotes of a path",
    arguments: [
      ("'{a} {b}'", true), ("'\"{a}\" by {b}'", true), ("'\"a{b\"'", false),
      ("'x[\"{\"=1]'", false),
    ])
  func tellsTemplates(text: String, isTemplate: Bool) throws {
    let feed = try Self.one("id: id\nfields: {name: \(text)}")
    let value = feed.fields[.name]?.alternatives.first?.value
    if case .template = value { #expect(isTemplate) } else { #expect(!isTemplate) }
  }

  @Test("the next page's address can come from the Link header")
  func readsLinkHeader() throws {
    let feed = try Self.one("id: id\nfields: {name: n}\npages: {next: link-header}")
    #expect(feed.pages == PageRule(next: .linkHeader))
  }

  @Test("several feeds are returned in the order of the file")
  func keepsOrder() throws {
    let feed = "{id: id, fields: {name: n}}"
    let text = "feeds: {b: \(feed), a-1: \(feed), 9: \(feed)}"
    #expect(try DefinitionFile.parse(text, name: "f").map(\.name) == ["b", "a-1", "9"])
    #expect(try DefinitionFile.parse("feeds: {}", name: "f").isEmpty)
  }

  @Test(
    "a byte order mark, other line endings and document markers are accepted",
    arguments: [
      "\u{FEFF}feeds: {x: {id: id, fields: {name: n}}}",
      "feeds: {x: {id: id, fields: {name: n}}}\r\n",
      "feeds:\r\n  x:\r\n    id: id\r\n    fields:\r\n      name: n\r\n",
      "---\nfeeds: {x: {id: id, fields: {name: n}}}\n...\n",
    ])
  func toleratesForms(text: String) throws {
    let feeds = try DefinitionFile.parse(text, name: "f")
    #expect(feeds.map(\.name) == ["x"])
    #expect(feeds.first?.fields[.name] == FieldRule(.path(Self.path("n"))))
  }

  @Test("an alias has the value of its anchor")
  func followsAliases() throws {
    let feeds = try DefinitionFile.parse(
      """
      feeds:
        a:
          id: &id id
          fields: &common {name: title, link: url}
        b:
          id: *id
          fields: *common
      """, name: "f")
    #expect(feeds[0].fields == feeds[1].fields)
    #expect(feeds[0].id == feeds[1].id)
  }

  @Test(
    "an interval between syncs has a unit",
    arguments: [("1m", 60), ("30m", 1800), ("6h", 21_600), ("1d", 86_400), ("2w", 1_209_600)])
  func readsIntervals(text: String, seconds: Int) throws {
    #expect(try Self.one("id: id\nfields: {name: n}\nevery: \(text)").everySeconds == seconds)
  }
}
