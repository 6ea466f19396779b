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
    "another kind of proxy is refused with its variable and kind, but without credentials",
    arguments: [
      ("socks5://me:secret@p:1080", "socks5 proxy"), ("SOCKS://me:secret@p", "socks proxy"),
      ("socks4://p", "socks4 proxy"), ("socks4a://p", "socks4a proxy"),
      ("socks5h://p", "socks5h proxy"), ("https://me:secret@p:443", "https proxy"),
      ("ftp://p", "proxy of another kind"), ("://p", "proxy of another kind"),
      ("me:secret://x@p", "proxy of another kind"), ("secret://p", "proxy of another kind"),
    ])
  func refusesKinds(text: String, kind: String) {
    let error = #expect(throws: OffersError.self) {
      try Proxy(parsing: text, variable: "all_proxy")
    }
    #expect(error?.code == .invalidRequest)
    #expect(
      error?.message == "The variable all_proxy names a \(kind); only HTTP proxies are supported.")
    #expect(
      error?.hint
        == "Set it to an address such as http://proxy.example:3128, or unset it.")
    #expect(error?.cause == nil)
  }

  @Test(
    "an invalid proxy is refused with its variable, but without credentials",
    arguments: [
      "", "http://", "http://me:secret@", "http://me:secret@:3128", "http://me:secret@p:0",
      "http://me:secret@p:65536", "http://me:secret@p:x", "me:secret", "me:secret:3128",
      "http://me:secret@p q", "http://me:secret@[::1", "http://me:secret@::zz",
      "http://me:secret%0D%0A@p", "http://m%00e:secret@p", "http://secret%7F@p",
    ])
  func refusesOthers(text: String) {
    let error = #expect(throws: OffersError.self) {
      try Proxy(parsing: text, variable: "https_proxy")
    }
    #expect(error?.code == .invalidRequest)
    #expect(
      error?.message
        == "The variable https_proxy does not name a proxy; only HTTP proxies are supported.")
    #expect(
      error?.hint
        == "Set it to an address such as http://proxy.example:3128, or unset it.")
    #expect(error?.cause == nil)
  }
}
