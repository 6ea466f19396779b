import Foundation
import OffersCore
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Proxy settings")
struct ProxySettingsTests {
  /// The host of the proxy for a URL.
  private static func host(for url: String, _ variables: [String: String]) throws -> String? {
    try ProxySettings { variables[$0] }.proxy(for: try #require(URL(string: url)))?.host
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
      (["https_proxy": " http://a:1/\n"], "a", nil),
    ] as [([String: String], String?, String?)])
  func findsProxies(variables: [String: String], https: String?, http: String?) throws {
    #expect(try Self.host(for: "https://example.com/feed", variables) == https)
    #expect(try Self.host(for: "http://example.com/feed", variables) == http)
    #expect(try Self.host(for: "HTTPS://example.com/feed", variables) == https)
    #expect(try Self.host(for: "ftp://example.com/feed", variables) == nil)
    #expect(try Self.host(for: "/feed", variables) == nil)
  }

  @Test("a proxy has the port and credentials of its variable")
  func keepsProxies() throws {
    let settings = try ProxySettings { $0 == "https_proxy" ? "http://me:a%40b@p:8080" : nil }
    let url = try #require(URL(string: "https://example.com"))
    #expect(
      settings.proxy(for: url) == Proxy(host: "p", port: 8080, user: "me", password: "a@b"))
  }

  @Test(
    "exceptions are reached without a proxy",
    arguments: [
      ("example.com", "https://example.com/", false),
      ("example.com", "https://www.Example.com/", false),
      ("example.com", "https://example.com./", false),
      (".example.com", "https://a.example.com/", false),
      ("example.com", "https://example.org/", true),
      ("example.com:443", "https://example.com/", false),
      ("example.com:80", "https://example.com/", true),
      ("example.com:80", "http://example.com/", false),
      ("example.com:8080", "https://example.com:8080/", false),
      ("10.0.0.0/8", "https://10.1.2.3/", false),
      ("10.0.0.0/8", "https://[::ffff:10.1.2.3]/", false),
      ("10.0.0.0/8", "https://0x0a010203/", false),
      ("10.0.0.0/8", "https://11.1.2.3/", true), ("2001:db8::/32", "https://[2001:db8::1]/", false),
      ("2001:db8::1", "https://[2001:DB8:0::1]:8443/", false),
      ("[2001:db8::1]:443", "https://[2001:db8::1]/", false),
      ("2001:db8::2", "https://[2001:db8::1]/", true), ("*", "https://example.com/", false),
      ("", "https://example.com/", true),
    ])
  func obeysExceptions(list: String, url: String, isProxied: Bool) throws {
    for name in ["no_proxy", "NO_PROXY"] {
      let host = try Self.host(for: url, [name: list, "all_proxy": "p"])
      #expect((host != nil) == isProxied)
    }
  }

  @Test("the lower-case list of exceptions takes precedence")
  func prefersSmallLetters() throws {
    let lists = ["no_proxy": "a.example", "NO_PROXY": "b.example", "all_proxy": "p"]
    #expect(try Self.host(for: "https://a.example", lists) == nil)
    #expect(try Self.host(for: "https://b.example", lists) == "p")
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
    #expect((try Self.host(for: url, ["all_proxy": "p"]) != nil) == isProxied)
  }

  @Test(
    "an effective variable that names no proxy is reported by its name",
    arguments: [
      ("https_proxy", "ftp://me:secret@p"), ("HTTPS_PROXY", "https://me:secret@"),
      ("http_proxy", "http://me:secret@"), ("all_proxy", "quic://me:secret@p"),
      ("ALL_PROXY", "socks6://me:secret@p"),
    ])
  func refusesOthers(variable: String, text: String) {
    let error = #expect(throws: OffersError.self) {
      try ProxySettings { $0 == variable ? text : nil }
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("The variable \(variable) ") == true)
    #expect(error?.advice?.step == .program(.unsetVariable(name: variable)))
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
    #expect(try Self.host(for: "https://example.com", variables) == "a")
    #expect(try Self.host(for: "http://example.com", variables) == "a")
  }

  @Test("with an exception for all hosts, no proxy is parsed")
  func readsNoneForNobody() throws {
    let variables = ["all_proxy": "ftp://p", "no_proxy": "*"]
    #expect(try Self.host(for: "https://example.com", variables) == nil)
  }
}
