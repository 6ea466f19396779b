import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("Links from other sites")
struct ForeignLinkTests {
  /// The fields of a request, and whether it may come from a page of another site.
  struct Sender: Sendable, CustomTestStringConvertible {
    let fields: [String: String]
    let isForeign: Bool

    var testDescription: String { "\(fields)" }

    var headers: HTTPFields {
      var headers: HTTPFields = [:]
      for (name, value) in fields { if let name = HTTPField.Name(name) { headers[name] = value } }
      return headers
    }
  }

  private static let browser = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"

  /// Browsers send Sec-Fetch-Site over TLS and to loopback only. Elsewhere a foreign page can have
  /// them send no Referer, but not one of this server.
  private static let senders = [
    Sender(fields: ["Sec-Fetch-Site": "cross-site", "User-Agent": browser], isForeign: true),
    Sender(fields: ["Sec-Fetch-Site": "same-site", "User-Agent": browser], isForeign: true),
    Sender(
      fields: ["Sec-Fetch-Site": "cross-site", "Referer": "http://localhost/"], isForeign: true),
    // Navigations that a service worker passes on, in WebKit.
    Sender(
      fields: ["Sec-Fetch-Site": "same-origin", "Referer": "http://evil.example/"], isForeign: true),
    Sender(
      fields: ["Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/sw.js"],
      isForeign: true),
    Sender(fields: ["Referer": "http://localhost/sw.js", "User-Agent": browser], isForeign: true),
    Sender(
      fields: ["Referer": "http://localhost/offers/sw.js?x", "User-Agent": browser],
      isForeign: true),
    Sender(
      fields: ["Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/settings"],
      isForeign: false),
    Sender(fields: ["User-Agent": browser], isForeign: true),
    Sender(fields: ["Authorization": "Basic dTpw", "User-Agent": browser], isForeign: true),
    Sender(fields: ["Referer": "http://evil.example/"], isForeign: true),
    Sender(fields: ["Referer": "http://evil.example/http://localhost/"], isForeign: true),
    Sender(fields: ["Referer": "http://localhost.evil.example/"], isForeign: true),
    Sender(fields: ["Referer": "http://localhost@evil.example/"], isForeign: true),
    Sender(fields: ["Sec-Fetch-Site": "same-origin", "User-Agent": browser], isForeign: false),
    Sender(fields: ["Sec-Fetch-Site": "none", "User-Agent": browser], isForeign: false),
    Sender(
      fields: ["Referer": "http://localhost/search", "User-Agent": browser], isForeign: false),
    Sender(fields: ["Referer": "http://localhost", "User-Agent": browser], isForeign: false),
    Sender(fields: ["Authorization": "Bearer x", "User-Agent": browser], isForeign: false),
    Sender(fields: ["User-Agent": "curl/7.88.1"], isForeign: false),
    Sender(fields: [:], isForeign: false),
  ]

  @Test("do not have a site shown in the frame before the person confirms it", arguments: senders)
  func frames(sender: Sender) async throws {
    let home = try await ServedHome(feeds: [])
    let path = "/web?url=http://192.168.0.1/reboot"
    let client = try home.client()
    // A response that was made for a page of this server is not reused for others.
    for headers in [sender.headers, [:], sender.headers] {
      let isForeign = sender.isForeign && headers == sender.headers
      let page = try await client.get(path, headers: headers)
      #expect(page.status == 200)
      #expect(page.text.contains("<iframe") == !isForeign)
      #expect(page.text.contains("data-offered") == isForeign)
      #expect(page.text.contains(#"name="url" value="http://192.168.0.1/reboot""#))
    }
  }

  @Test("do not add to the recent searches", arguments: senders)
  func searches(sender: Sender) async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for path in ["/search?q=pasta", "/api/v1/search?q=sauce"] {
      let answer = try await client.get(path, headers: sender.headers)
      #expect(answer.status == 200)
    }
    let searches = try await home.database.fetchRecentSearches().map(\.words)
    #expect(Set(searches) == (sender.isForeign ? [] : ["pasta", "sauce"]))
  }
}
