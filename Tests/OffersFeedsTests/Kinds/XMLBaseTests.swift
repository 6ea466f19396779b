import OffersCore
import Testing

@Suite("Bases of links in XML")
struct XMLBaseTests {
  private static func entry(_ base: String, _ members: String, id: Int) -> String {
    "<entry\(base)><id>\(id)</id><title>T</title>\(members)</entry>"
  }

  @Test("xml:base applies within its element, relative to the base around it")
  func nests() throws {
    let entries = [
      Self.entry(#" xml:base="2026/""#, #"<link href="a"/>"#, id: 1),
      Self.entry("", #"<link href="a"/>"#, id: 2),
      Self.entry(#" xml:base="/x/""#, #"<link xml:base="y/" href="a"/>"#, id: 3),
      Self.entry(#" xml:base="/x/""#, #"<link href="https://other.example/a"/>"#, id: 4),
      Self.entry(#" xml:base="../b c/é""#, #"<link href="?a"/>"#, id: 5),
      Self.entry(#" xml:base=" ""#, #"<link href="a"/>"#, id: 6),
      Self.entry("", #"<link href="/a"/>"#, id: 7),
    ]
    let feed =
      #"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://s.example/n/">"#
      + #"<link xml:base="https://wrong.example/" rel="self" href="f"/>"#
      + entries.joined() + "</feed>"
    let expected = [
      "https://s.example/n/2026/a", "https://s.example/n/a", "https://s.example/x/y/a",
      "https://other.example/a", "https://s.example/b%20c/%C3%A9?a", "https://s.example/n/a",
      "https://s.example/a",
    ]
    for address in [nil, "https://feeds.example/f/atom.xml"] {
      let reading = try YAMLReading(shipped: "atom", feed, address: address)
      #expect(reading.isClean)
      #expect(reading.all(.url) == expected)
    }
  }

  @Test("a relative xml:base is relative to the document, and has no effect without its address")
  func needsAnAddress() throws {
    let rss = """
      <rss xml:base="shop/"><channel><item xml:base="may/"><guid isPermaLink="false">1</guid>
      <title>A</title><link>tea</link><description>&lt;img src="tea.jpg"&gt;</description></item>
      </channel></rss>
      """
    let found = try YAMLReading(shipped: "rss", rss, address: "https://x.example/feeds/rss")
    #expect(found.all(.url) == ["https://x.example/feeds/shop/may/tea"])
    #expect(found.all(.imageURL) == ["https://x.example/feeds/shop/may/tea.jpg"])
    #expect(try YAMLReading(shipped: "rss", rss).all(.imageURL) == ["tea.jpg"])
  }

  @Test("many nested bases are bounded")
  func isBounded() throws {
    let depth = 100
    let text =
      String(repeating: #"<a xml:base="x/">"#, count: depth)
      + String(repeating: "</a>", count: depth)
    let items = (1...3).map {
      #"<item xml:base="i\#($0)/"><id>\#($0)</id>\#(text)<link>p</link></item>"#
    }
    let reading = try YAMLReading(
      "items: list.item\nid: id\nfields: {name: id, link: link, description: \(Self.path(depth))}",
      #"<list xml:base="https://x.example/">\#(items.joined())</list>"#)
    #expect(reading.all(.url) == (1...3).map { "https://x.example/i\($0)/p" })
  }

  private static func path(_ depth: Int) -> String {
    Array(repeating: "a", count: depth).joined(separator: ".")
  }
}
