import Foundation
import OffersCore
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Proxy settings")
struct ProxySettingsTests {
  /// The proxy for a URL.
  private static func proxy(for url: String, _ variables: [String: String]) throws -> String? {
    try ProxySettings { variables[$0] }.proxy(for: try #require(URL(string: url)))?.text
  }

  @Test(
    "each scheme has its variable, and the lower-case one takes precedence",
    arguments: [
      (["https_proxy": "a"], "a", nil), (["HTTPS_PROXY": "a"], "a", nil),
      (["https_proxy": "a", "HTTPS_PROXY": "b"], "a", nil),
      (["https_proxy": "", "HTTPS_PROXY": "b"], "b", nil),
      (["https_proxy": " ", "HTTPS_PROXY": "b"], "b", nil), (["http_proxy": "a"], nil, "a"),
      (["HTTP_PROXY": "a"], nil, nil), (["HTTP_PROXY": "a", "all_proxy": "b"], "b", "b"),
      (["all_proxy": "a"], "a", "a"), (["ALL_PROXY": "a"], "a", "a"),
      (["all_proxy": "a", "ALL_PROXY": "b"], "a", "a"),
      (["all_proxy": "a", "https_proxy": "b"], "b", "a"),
      (["all_proxy": "a", "http_proxy": "b"], "a", "b"),
      (["ALL_PROXY": "a", "HTTPS_PROXY": "b", "http_proxy": "c"], "b", "c"),
      ([:], nil, nil), (["https_proxy": "", "http_proxy": "", "all_proxy": ""], nil, nil),
      (["https_proxy": " http://a:1/\n"], "http://a:1/", nil),
    ] as [([String: String], String?, String?)])
  func findsProxies(variables: [String: String], https: String?, http: String?) throws {
    #expect(try Self.proxy(for: "https://example.com/feed", variables) == https)
    #expect(try Self.proxy(for: "http://example.com/feed", variables) == http)
    #expect(try Self.proxy(for: "HTTPS://example.com/feed", variables) == https)
    #expect(try Self.proxy(for: "ftp://example.com/feed", variables) == nil)
    #expect(try Self.proxy(for: "/feed", variables) == nil)
  }

  @Test("SOCKS proxies of the older kinds leave names to the program, others resolve them")
  func resolvesNames() throws {
    for (text, isResolved) in [
      ("p", true), ("http://p", true), ("HTTPS://p", true), ("socks5h://p", true),
      ("socks4a://p", true), ("socks5://p", false), ("SOCKS4://p", false), ("socks://p", false),
    ] {
      #expect(try Proxy(text, variable: "x").resolvesNames == isResolved, "\(text)")
    }
    #expect(try Proxy("HTTPS://p", variable: "x").isEncrypted)
  }

  @Test(
    "exceptions are reached without a proxy",
    arguments: [
      ("example.com", "https://example.com/", false),
      ("example.com", "https://www.Example.com/", false),
      ("example.com", "https://example.com./", false),
      (".example.com", "https://a.example.com/", false),
      ("example.com", "https://example.org/", true),
      ("10.0.0.0/8", "https://10.1.2.3/", false),
      ("10.0.0.0/8", "https://[::ffff:10.1.2.3]/", false),
      ("10.0.0.0/8", "https://0x0a010203/", false),
      ("10.0.0.0/8", "https://11.1.2.3/", true), ("2001:db8::/32", "https://[2001:db8::1]/", false),
      ("2001:db8::1", "https://[2001:DB8:0::1]:8443/", false),
      ("2001:db8::2", "https://[2001:db8::1]/", true), ("*", "https://example.com/", false),
      ("", "https://example.com/", true), ("EXAMPLE.com", "https://example.com/", false),
      ("a.example,example.com", "https://example.com/", false),
      (" a.example\texample.com\n", "https://example.com/", false),
      ("*.example.com", "https://a.example.com/", false),
      ("example.com", "https://badexample.com/", true), ("0.0.1", "https://10.0.0.1/", true),
      ("www.example.com", "https://example.com/", true), (".", "https://example.com/", true),
      ("**", "https://example.com/", true), ("10.0.0.0/33", "https://10.0.0.0/", true),
    ])
  func obeysExceptions(list: String, url: String, isProxied: Bool) throws {
    for name in ["no_proxy", "NO_PROXY"] {
      let host = try Self.proxy(for: url, [name: list, "all_proxy": "p"])
      #expect((host != nil) == isProxied)
    }
  }

  @Test("the lower-case list of exceptions takes precedence")
  func prefersSmallLetters() throws {
    let lists = ["no_proxy": "a.example", "NO_PROXY": "b.example", "all_proxy": "p"]
    #expect(try Self.proxy(for: "https://a.example", lists) == nil)
    #expect(try Self.proxy(for: "https://b.example", lists) == "p")
  }

  @Test(
    "loopback hosts are reached without a proxy",
    arguments: [
      ("http://localhost/", false), ("http://LOCALHOST.:8080/", false),
      ("http://a.localhost/", false),
      ("http://127.0.0.1/", false), ("http://127.9.9.9:8080/", false), ("http://[::1]/", false),
      ("http://[::ffff:127.0.0.1]/", false), ("http://2130706433/", false),
      ("http://127.1/", false),
      ("http://localhost.example.com/", true), ("http://notlocalhost/", true),
      ("http://128.0.0.1/", true), ("http://[::2]/", true), ("http://192.168.0.1/", true),
    ])
  func sparesTheOwnMachine(url: String, isProxied: Bool) throws {
    #expect((try Self.proxy(for: url, ["all_proxy": "p"]) != nil) == isProxied)
  }

  @Test(
    "an effective variable that names no proxy is reported by its name",
    arguments: [
      ("https_proxy", "ftp://me:secret@p"), ("HTTPS_PROXY", "://me:secret@p"),
      ("http_proxy", "http://me:secret@p q"), ("all_proxy", "quic://me:secret@p"),
      ("ALL_PROXY", "socks6://me:secret@p"), ("https_proxy", "http://me:secret@p\u{7F}"),
    ])
  func refusesOthers(variable: String, text: String) {
    let error = #expect(throws: OffersError.self) {
      try ProxySettings { $0 == variable ? text : nil }
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("The variable \(variable) ") == true)
    #expect(error?.hint?.command == "unset \(variable)")
    #expect("\(String(describing: error))".contains("secret") == false)
  }

  @Test(
    "an ineffective variable may have any value",
    arguments: [
      ["all_proxy": "ftp://p", "http_proxy": "a", "https_proxy": "a"],
      ["HTTPS_PROXY": "ftp://p", "https_proxy": "a", "http_proxy": "a"],
      ["HTTP_PROXY": "ftp://p", "all_proxy": "a"],
    ])
  func ignoresWhatDoesNotCount(variables: [String: String]) throws {
    #expect(try Self.proxy(for: "https://example.com", variables) == "a")
    #expect(try Self.proxy(for: "http://example.com", variables) == "a")
  }

  @Test("with an exception for all hosts, no proxy is parsed")
  func readsNoneForNobody() throws {
    let variables = ["all_proxy": "ftp://p", "no_proxy": "*"]
    #expect(try Self.proxy(for: "https://example.com", variables) == nil)
  }
}
