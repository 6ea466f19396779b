import OffersCore
import Testing

@testable import OffersSync

@Suite("Requests that a transport gets")
struct TransportRequestTests {
  @Test(
    "a text that is not an http or https URL with one host makes no request",
    arguments: [
      "", "feed.json", "/etc/passwd", "file:///etc/passwd", "ftp://shop.example/feed.json",
      "https://", "https:///feed.json", "https://shop.example:65536/", "https://shop%2eexample/",
      "https://[fe80::1%25lo]/", "http://10.0.0.1../", "http://shop..example/",
      "http://.shop.example/", "http://nas.local../", "http://a b.example/",
    ])
  func refusesOtherTexts(url: String) {
    for mayBePrivate in [false, true] {
      let error = #expect(throws: OffersError.self) {
        try TransportRequest(url: url, mayBePrivate: mayBePrivate)
      }
      #expect(error?.code == .sourceFailed)
      #expect(error?.message == "\(url) is not a URL.")
    }
  }

  @Test("scheme and host are in lower case, and the rest is as it was written")
  func normalizes() throws {
    let request = try TransportRequest(url: "HTTPS://Shop.Example.:8443/Feed?A=%2f#B")
    #expect(request.url.absoluteString == "https://shop.example.:8443/Feed?A=%2f#B")
    #expect(request.address.host == "shop.example.")
  }

  @Test(
    "a private host is refused by its text alone, unless the request may be private",
    arguments: [
      "127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "192.168.1.1.",
      "169.254.169.254", "localhost", "LOCALHOST.", "nas", "nas.local", "a.b.internal",
      "router.home.arpa",
    ])
  func refusesPrivateHosts(host: String) throws {
    let error = #expect(throws: OffersError.self) {
      try TransportRequest(url: "http://\(host)/")
    }
    #expect(error?.message.contains("which is not on the public internet") == true)
    #expect(try TransportRequest(url: "http://\(host)/", mayBePrivate: true).mayBePrivate)
  }

  @Test(
    "an address that a public name resolves to is checked",
    arguments: [
      ("127.0.0.1", false), ("10.1.2.3", false), ("::1", false), ("fd00::1", false),
      ("::ffff:192.168.0.1", false), ("shop.example", false), ("", false),
      ("1.1.1.1", true), ("2606:4700:4700::1111", true),
    ])
  func checksAddresses(address: String, isAllowed: Bool) throws {
    let request = try TransportRequest(url: "https://shop.example/")
    if isAllowed {
      try request.check(address: address)
    } else {
      let error = #expect(throws: OffersError.self) { try request.check(address: address) }
      #expect(error?.message.contains("leads to a private network, which is not") == true)
      // Clients of a server see the message, and must not learn about the network that it is in.
      #expect(
        [error?.message, error?.hint?.text].allSatisfy { text in
          ["", "shop.example"].contains(address) || text?.contains(address) != true
        })
      #expect(error?.cause == address)
    }
    try TransportRequest(url: "https://shop.example/", mayBePrivate: true).check(address: address)
  }
}
