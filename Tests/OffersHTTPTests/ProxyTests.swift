import OffersCore
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Proxy addresses")
struct ProxyTests {
  @Test(
    "a proxy's host and port are parsed",
    arguments: [
      ("http://proxy.example:3128", Proxy(host: "proxy.example", port: 3128)),
      ("http://proxy.example", Proxy(host: "proxy.example", port: 80)),
      ("HTTP://Proxy.Example:8080/", Proxy(host: "proxy.example", port: 8080)),
      ("http://proxy.example/path?query#part", Proxy(host: "proxy.example", port: 80)),
      ("proxy.example:8080", Proxy(host: "proxy.example", port: 8080)),
      ("proxy.example", Proxy(host: "proxy.example", port: 3128)),
      ("proxy.example/", Proxy(host: "proxy.example", port: 3128)),
      ("10.0.0.1", Proxy(host: "10.0.0.1", port: 3128)),
      ("http://[2001:DB8::1]:8080", Proxy(host: "2001:db8::1", port: 8080)),
      ("[::1]", Proxy(host: "::1", port: 3128)),
      ("http://localhost:65535", Proxy(host: "localhost", port: 65_535)),
    ])
  func readsProxies(text: String, expected: Proxy) throws {
    #expect(try Proxy(parsing: text, variable: "http_proxy") == expected)
  }

  @Test(
    "credentials are parsed and percent-decoded",
    arguments: [
      ("http://me:secret@p", "me", "secret"), ("me:secret@p", "me", "secret"),
      ("http://me@p", "me", nil), ("http://me:@p", "me", nil), ("http://:secret@p", nil, "secret"),
      ("http://@p", nil, nil), ("http://:@p", nil, nil), ("http://a%40b:c%3Ad%2F@p", "a@b", "c:d/"),
      ("http://me:a:b@p", "me", "a:b"), ("http://me:a@b@p", "me", "a@b"),
      ("http://me:a/b?c#d@p", "me", "a/b?c#d"), ("http://me:100%@p", "me", "100%"),
      ("http://me:%C3%A9@p", "me", "é"), ("http://me:é@p", "me", "é"), ("me:a%20b@p", "me", "a b"),
    ] as [(String, String?, String?)])
  func readsCredentials(text: String, user: String?, password: String?) throws {
    let proxy = try Proxy(parsing: text, variable: "http_proxy")
    #expect(proxy.host == "p")
    #expect(proxy.user == user)
    #expect(proxy.password == password)
  }

  @Test(
    "proxies over TLS and for SOCKS are parsed, with the ports of their kinds",
    arguments: [
      ("https://p", Proxy(.https, host: "p", port: 443)),
      ("SOCKS://p", Proxy(.socks4, host: "p", port: 1080)),
      ("socks4a://p:9", Proxy(.socks4a, host: "p", port: 9)),
      (
        "socks5://me:secret@p",
        Proxy(.socks5, host: "p", port: 1080, user: "me", password: "secret")
      ),
      ("socks5h://[::1]:1081", Proxy(.socks5h, host: "::1", port: 1081)),
    ])
  func readsKinds(text: String, expected: Proxy) throws {
    #expect(try Proxy(parsing: text, variable: "all_proxy") == expected)
  }

  @Test("the URL of a proxy has its kind and port, and neither user nor password")
  func urls() throws {
    #expect(
      try Proxy(parsing: "socks5h://me:secret@[::1]", variable: "x").url == "socks5h://[::1]:1080")
    #expect(try Proxy(parsing: "me:secret@p", variable: "x").url == "http://p:3128")
  }

  @Test(
    "an invalid proxy is refused with its variable, but without credentials",
    arguments: [
      "", "http://", "http://me:secret@", "http://me:secret@:3128", "http://me:secret@p:0",
      "http://me:secret@p:65536", "http://me:secret@p:x", "me:secret", "me:secret:3128",
      "http://me:secret@p q", "http://me:secret@[::1", "http://me:secret@::zz",
      "http://me:secret%0D%0A@p", "http://m%00e:secret@p", "http://secret%7F@p",
      "ftp://p", "://p", "me:secret://x@p", "secret://p",
    ])
  func refusesOthers(text: String) {
    let error = #expect(throws: OffersError.self) {
      try Proxy(parsing: text, variable: "https_proxy")
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message == "The variable https_proxy does not name a proxy for HTTP or SOCKS.")
    #expect(
      error?.hint
        == "Set it to an address such as http://proxy.example:3128, or unset it.")
    #expect(error?.cause == nil)
  }
}
