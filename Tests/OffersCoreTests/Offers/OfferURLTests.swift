import Foundation
import OffersCore
import Testing

@Suite("Addresses of offers")
struct OfferURLTests {
  private static func offer(_ text: String?) -> Offer {
    var offer = Offer(
      ref: OfferRef(feed: "f", offerID: "1"), name: "Tea",
      firstSeenAt: Date(timeIntervalSince1970: 0), changedAt: Date(timeIntervalSince1970: 0))
    offer.imageURLText = text
    offer.urlText = text
    return offer
  }

  @Test(
    "an http or https address is a URL, in which characters that no URL contains are encoded",
    arguments: [
      ("https://x.example/a?b=c#d", "https://x.example/a?b=c#d"),
      ("HTTP://X.example:80/%7e", "HTTP://X.example:80/%7e"),
      ("https://[::1]/a", "https://[::1]/a"),
      (" https://x.example/a\n", "https://x.example/a"),
      ("https://x.example/a b.png", "https://x.example/a%20b.png"),
      ("https://x.example/Café.png", "https://x.example/Caf%C3%A9.png"),
      ("https://bücher.example/", "https://xn--bcher-kva.example/"),
      ("https://x.example/\u{202E}gpj", "https://x.example/%E2%80%AEgpj"),
    ])
  func reads(text: String, url: String) {
    let offer = Self.offer(text)
    #expect(offer.url?.absoluteString == url)
    #expect(offer.imageURL == offer.url)
    #expect(offer.urlText == text)
  }

  @Test(
    "any other text is no URL, and the text stays as it is",
    arguments: [
      "", "self", "/a.png", "//x.example/a", "a b", "https:", "https://", "https:///a",
      "https:x.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "file:///etc/passwd",
      "data:text/html,x", "ftp://x.example/", "mailto:a@x.example", "https://x.example/\u{0}",
      "https://x.example/a\nb", "https://x.example/\u{7F}", "https:\\\\x.example",
      "https://good.example\\@evil.example/", "https://x y.example/", "https://x.example:abc/",
    ])
  func refuses(text: String) {
    let offer = Self.offer(text)
    #expect(offer.url == nil)
    #expect(offer.imageURL == nil)
    #expect(offer.urlText == text && offer.imageURLText == text)
    var json = JSONWriter()
    json.value(UserOffer(offer), at: .now)
    var printed = JSONWriter()
    printed.object { $0.member("url", text) }
    #expect(json.text.contains(printed.text.dropFirst().dropLast()))
  }

  @Test("an offer that an app makes has the URLs that it was given")
  func takesURLs() throws {
    let url = try #require(URL(string: "https://x.example/a?b"))
    let file = URL(fileURLWithPath: "/tmp/a.png")
    let offer = Offer(
      ref: OfferRef(feed: "f", offerID: "1"), name: "Tea", imageURL: file, url: url,
      firstSeenAt: Date(), changedAt: Date())
    #expect(offer.url == url)
    #expect(offer.imageURL == nil)
    #expect(Self.offer(nil).url == nil)
  }
}
