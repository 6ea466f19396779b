import OffersPlatform
import Testing

@testable import OffersServer

@Suite("The URLs for other devices")
struct ReachableURLsTests {
  private static func urls(
    host: String, names: [String] = [], localName: String? = nil, usesTLS: Bool = false,
    isBehindTLS: Bool = false, port: Int = 8080
  ) -> [String] {
    let address = ServerAddress(
      host: host, port: port, allowedHosts: names, localName: localName)
    let interfaces = ["192.168.1.5", "10.0.0.2", "2001:db8::5"].compactMap { NetworkAddress($0) }
    return ReachableURLs(address: address, usesTLS: usesTLS, isBehindTLS: isBehindTLS)
      .all(port: port, interfaces: interfaces)
  }

  @Test("a server on all addresses has the URLs of those, and of the local name")
  func everywhere() {
    #expect(
      Self.urls(host: "0.0.0.0", localName: "kitchen.local") == [
        "http://192.168.1.5:8080", "http://10.0.0.2:8080", "http://kitchen.local:8080",
      ])
    #expect(Self.urls(host: "::").last == "http://[2001:db8::5]:8080")
  }

  @Test("a server on one address has its URL only, and one on loopback none")
  func one() {
    #expect(Self.urls(host: "192.0.2.9") == ["http://192.0.2.9:8080"])
    #expect(Self.urls(host: "2001:db8::9") == ["http://[2001:db8::9]:8080"])
    for host in ["127.0.0.1", "localhost", "::1"] {
      #expect(Self.urls(host: host, names: ["localhost:9000"], localName: "a.local").isEmpty)
    }
  }

  @Test("a name that the operator gives comes first, with the port of the server unless it has one")
  func names() {
    #expect(
      Self.urls(host: "192.0.2.9", names: ["offers.example", "b.example:9000"]) == [
        "http://offers.example:8080", "http://b.example:9000", "http://192.0.2.9:8080",
      ])
  }

  @Test("with TLS they begin with https, and leave out the usual port only")
  func tls() {
    #expect(Self.urls(host: "192.0.2.9", usesTLS: true) == ["https://192.0.2.9:8080"])
    #expect(Self.urls(host: "192.0.2.9", usesTLS: true, port: 443) == ["https://192.0.2.9"])
    #expect(Self.urls(host: "192.0.2.9", usesTLS: true, port: 80) == ["https://192.0.2.9:80"])
    #expect(Self.urls(host: "192.0.2.9", port: 80) == ["http://192.0.2.9"])
  }

  @Test("behind a proxy with TLS only the proxy's names count, as they are given")
  func behindTLS() {
    let names = ["offers.example", "b.example:8443", "2001:db8::7"]
    #expect(
      Self.urls(host: "0.0.0.0", names: names, localName: "a.local", isBehindTLS: true) == [
        "https://offers.example", "https://b.example:8443", "https://[2001:db8::7]",
      ])
    #expect(Self.urls(host: "0.0.0.0", isBehindTLS: true).isEmpty)
  }
}
