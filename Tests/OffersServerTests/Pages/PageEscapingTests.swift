import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("Escaping in pages")
struct PageEscapingTests {
  @Test("every template is valid and escapes bytes and not characters")
  func readsTemplates() throws {
    let templates = PageTemplates.shared
    #expect(templates.unreadable.isEmpty)
    // A quote with a combining accent is one character, which Mustache's own escaping misses.
    let attack = "\"\u{301} onfocus=\"x'\u{301}<\u{301}b>\u{301}&\u{301}"
    var card = PageFields()
    for name in [
      "ref", "href", "name", "spokenName", "headline", "image", "initial", "hue", "back",
    ] {
      card.set(name, attack)
    }
    for name in ["card", "star", "picture", "poster"] {
      let html = try templates.render(name, card)
      // Bytes are compared, because a browser parses code points and not characters.
      #expect(html.utf8.firstRange(of: attack.utf8) == nil)
      let escaped = "&quot;\u{301} onfocus=&quot;x&#39;\u{301}&lt;\u{301}b&gt;\u{301}&amp;"
      #expect(html.utf8.firstRange(of: escaped.utf8) != nil)
    }
  }

  @Test("control characters that HTML forbids become U+FFFD")
  func replacesControls() {
    let escaped = PageEscaping().escapeText("a\u{0}b\u{1B}c\u{7F}d\te\nf")
    #expect(escaped == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\te\nf")
    #expect(PageEscaping().escapeText("plain é 漢字 👩‍👩‍👧") == "plain é 漢字 👩‍👩‍👧")
  }

  private static let attack = #"<script>x()</script>"' onclick=x {{name}} {{{main}}}"#

  private func attacked() async throws -> ServedHome {
    let home = try await ServedHome(feeds: [])
    var record: [String: String] = ["id": "1", "url": "javascript:x", "name": Self.attack]
    for name in ["description", "terms", "current_value"] { record[name] = Self.attack }
    let data = try JSONSerialization.data(withJSONObject: [record])
    try await home.sync("ibotta", String(decoding: data, as: UTF8.self))
    return home
  }

  @Test(
    "texts of feeds and requests are never markup",
    arguments: [
      "/", "/feeds/ibotta", "/offers/ibotta:1", "/changes", "/search?q=onclick", "/favorites",
      "/search?q=%3Cscript%3Ex()%3C/script%3E%22'", "/?category=%22%3E%3Cscript%3Ex()%3C/script%3E",
      "/web?url=https://example.com/%22%3E%3Cscript%3Ex()%3C/script%3E",
      "/feeds/%3Cscript%3Ex()%3C%2Fscript%3E", "/offers/%3Cscript%3Ex()%3C%2Fscript%3E:1",
    ])
  func escapesPages(path: String) async throws {
    let home = try await attacked()
    _ = try await home.database.setFavorites(named: ["ibotta:1"], to: true)
    let page = try await home.show(path)
    #expect(!page.text.contains("<script>"))
    #expect(!page.text.contains(#"' onclick"#))
    #expect(!page.text.contains("href=\"javascript:"))
    #expect(page.text.contains("</html>"))
  }

  @Test("no page has an inline script, style or event handler")
  func obeysThePolicy() async throws {
    let home = try await ServedHome(feeds: FeedCatalogNames.all)
    for path in [
      "/", "/feeds/restaurants", "/feeds/facts", "/feeds/albums", "/feeds/movies", "/changes",
      "/feeds/restaurants?view=map", "/web?url=https://example.com", "/settings/feeds", "/offline",
      "/search?q=coffee", "/offers/ibotta:900113",
    ] {
      let page = try await home.show(path)
      #expect(page.status == 200, "\(path)")
      // The theme is set before the first paint; all else is a module.
      #expect(page.text.count(of: "<script") == 2, "\(path)")
      #expect(page.text.count(of: #"<script src="/assets/theme.js?"#) == 1, "\(path)")
      #expect(page.text.firstMatch(of: /<[^>]* on[a-z]+=/) == nil, "\(path)")
      #expect(page.text.firstMatch(of: /<[^>]* style=/) == nil, "\(path)")
      #expect(!page.text.contains("<style"), "\(path)")
      #expect(page.headers[.contentSecurityPolicy]?.contains("script-src 'self'") == true)
    }
  }
}

enum FeedCatalogNames {
  static let all = ["ibotta", "restaurants", "facts", "albums", "movies"]
}
