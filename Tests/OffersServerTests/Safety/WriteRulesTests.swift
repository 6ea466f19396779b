import HTTPTypes
import Hummingbird
import Testing

@testable import OffersServer

@Suite("Accepted hosts and origins")
struct WriteRulesTests {
  private static let star = "/api/v1/offers/ibotta:900117/favorite"

  private static func headers(
    origin: String?, site: String?, type: String? = "application/json"
  ) -> HTTPFields {
    var headers: HTTPFields = [:]
    headers[.origin] = origin
    headers[.contentType] = type
    if let site, let name = HTTPField.Name("Sec-Fetch-Site") { headers[name] = site }
    return headers
  }

  @Test(
    "a write is accepted from a page of this server or from a client that is no browser",
    arguments: [
      (nil, nil, 200), ("http://localhost", nil, 200), ("http://localhost", "same-origin", 200),
      (nil, "none", 200), (nil, "same-origin", 200), ("null", "same-origin", 200),
      ("HTTP://LOCALHOST", "same-origin", 200),
      ("null", nil, 403), ("null", "none", 403), ("null", "cross-site", 403),
      ("http://evil.example", nil, 403), ("http://evil.example", "same-origin", 403),
      ("http://localhost:81", nil, 403), ("http://127.0.0.1", nil, 403),
      ("http://localhost.evil.example", nil, 403),
      ("http://evil.example/http://localhost", nil, 403),
      ("http://localhost", "cross-site", 403), ("http://localhost", "same-site", 403),
      (nil, "cross-site", 403), (nil, "same-site", 403), (nil, "strange", 403), ("", nil, 403),
      ("http://localhost, http://evil.example", nil, 403),
    ] as [(String?, String?, Int)])
  func origins(origin: String?, site: String?, status: Int) async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let headers = Self.headers(origin: origin, site: site)
    let answer = try await client.write(.put, Self.star, headers: headers)
    #expect(answer.status == status)
    let offer = try await client.get("offers/ibotta:900117").object
    #expect(offer["favorite"] as? Bool == (status == 200))
  }

  @Test(
    "a write to the API must be JSON, which a form of another site cannot send",
    arguments: [
      nil, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
      "application/jsonp", "text/plain; application/json",
    ])
  func types(type: String?) async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let headers = Self.headers(origin: nil, site: nil, type: type)
    let refused = try await client.write(.put, Self.star, headers: headers)
    #expect(refused.status == 415)
    for good in ["application/json; charset=utf-8", "Application/JSON ;x=y"] {
      let headers = Self.headers(origin: nil, site: nil, type: good)
      #expect(try await client.write(.put, Self.star, headers: headers).status == 200)
    }
  }

  @Test("a form must have the origin of this server")
  func forms() async throws {
    let home = try await ServedHome()
    let client = try home.client(home.server(token: ServedHome.token, clock: SteppedClock()))
    let type = "application/x-www-form-urlencoded"
    for (origin, site, status) in [
      (nil, nil, 403), (nil, "same-origin", 403), ("http://evil.example", nil, 403),
      ("null", nil, 403), ("http://localhost", nil, 401), ("null", "same-origin", 429),
    ] as [(String?, String?, Int)] {
      let headers = Self.headers(origin: origin, site: site, type: type)
      let answer = try await client.send(.post, "/login", headers: headers, body: "token=x")
      #expect(answer.status == status, "\(origin ?? "-") \(site ?? "-")")
    }
    let json = Self.headers(origin: "http://localhost", site: nil)
    #expect(try await client.send(.post, "/login", headers: json, body: "{}").status == 415)
  }

  @Test(
    "only requests to a known host name are accepted",
    arguments: [
      ("localhost", true), ("LocalHost", true), ("127.0.0.1", true), ("[::1]", true),
      ("localhost:80", true), ("offers.local", true), ("offers.local:8443", true),
      ("shop.local:8443", true), ("shop.local", false), ("shop.local:8444", false),
      ("SHOP.local.:8443", true), ("offers.local.", true), ("evil.example", false),
      ("localhost.evil.example", false), ("127.0.0.1.nip.io", false), ("localhost:8080", true),
      ("localhost.", true), ("localhost..", false), (".localhost", false), ("127.9.9.9", true),
      ("[0:0:0:0:0:0:0:1]", true), ("[0:0:0:0:0:0:0:1]:9000", true),
      ("[::ffff:127.0.0.1]", true), ("[::ffff:192.0.2.1]", false), ("[::2]", false),
      ("", false), (".", false), ("[::1]:8080", true), ("::1", false), ("[127.0.0.1]", false),
      ("[::1", false), ("[::1]8080", false), ("localhost:", false), ("localhost:x", false),
      ("localhost:65536", false), ("localhost:80:80", false), ("localhost/x", false),
      ("evil.example:8443", false), ("user@localhost", false),
    ])
  func hosts(name: String, isKnown: Bool) {
    let hosts = AllowedHosts(
      ServerAddress(port: 80, allowedHosts: ["Offers.local", "shop.local:8443"]))
    #expect(hosts.contains(name) == isKnown)
  }

  @Test(
    "an IPv6 address is accepted in brackets, given with or without them",
    arguments: ["2001:db8::5", "[2001:db8::5]", "2001:DB8::5"])
  func bareAddresses(name: String) {
    let hosts = AllowedHosts(ServerAddress(port: 8080, allowedHosts: [name]))
    #expect(hosts.contains("[2001:db8::5]") && hosts.contains("[2001:db8::5]:9090"))
    #expect(hosts.contains("[2001:db8:0:0:0:0:0:5]") && !hosts.contains("[2001:db8::6]"))
    let own = AllowedHosts(ServerAddress(host: name, port: 80))
    #expect(own.contains("[2001:db8::5]") && own.contains("[2001:db8::5]:80"))
  }

  @Test(
    "a server on all addresses accepts any IP address as host, and no unknown name",
    arguments: [
      ("192.0.2.2:9000", true), ("[2001:db8::1]:9000", true), ("10.0.0.1", true),
      ("evil.example:9000", false), ("1.2.3.4.evil.example", false), ("1.2.3", false),
      ("1.2.3.256", false), ("[evil]:9000", false), ("", false), (":9000", false),
    ])
  func everywhere(name: String, isKnown: Bool) {
    for host in ["0.0.0.0", "::"] {
      let address = ServerAddress(host: host, port: 9000, localName: "kitchen.local")
      #expect(AllowedHosts(address).contains(name) == isKnown)
      #expect(AllowedHosts(address).contains("kitchen.local:9000"))
    }
    let address = ServerAddress(host: "192.0.2.9", port: 9000, localName: "kitchen.local")
    #expect(!AllowedHosts(address).contains(name))
    #expect(!AllowedHosts(address).contains("kitchen.local:9000"))
  }

  @Test(
    "the usual port counts as none, whichever side of a proxy names it",
    arguments: [
      ("offers.local:443", "https://offers.local", 200),
      ("offers.local", "https://offers.local:443", 200),
      ("offers.local:80", "http://offers.local", 200),
      ("offers.local:8443", "https://offers.local:8443", 200),
      ("offers.local:80", "https://offers.local", 403),
      ("offers.local", "https://offers.local:8443", 403),
      ("offers.local", "https://offers.local.evil.example", 403),
    ])
  func usualPorts(host: String, origin: String, status: Int) async throws {
    let home = try await ServedHome()
    var client = try home.client(
      home.server(token: ServedHome.token, allowedHosts: ["offers.local"]))
    client.host = host
    let answer = try await client.bearing(ServedHome.token).with(.origin, origin).write(
      .put, Self.star)
    #expect(answer.status == status)
  }

  @Test("behind a proxy that asks for another host, the hint names the line to add")
  func proxyHints() async throws {
    let home = try await ServedHome()
    let field = try #require(HTTPField.Name("X-Forwarded-Host"))
    let client = try home.client()
    // nginx as it comes asks for the address behind it, and names no other.
    let form = try await client.form("/sync", origin: "https://offers.example")
    #expect(form.status == 403)
    // An upstream has a name of its own; Apache tells the name that it was asked for.
    var other = client
    other.host = "offers_upstream"
    let upstream = try await other.get("offers")
    let apache = try await client.get("offers", headers: [field: "offers.example"])
    #expect(try await client.get("offers", headers: [field: "localhost:8443"]).status == 200)
    #expect(upstream.status == 421 && apache.status == 421)
    for answer in [form, upstream, apache] {
      let hint = try #require(try answer.object["hint"] as? String)
      #expect(hint.contains("proxy_set_header Host $http_host;"))
      #expect(hint.contains("ProxyPreserveHost On"))
    }
  }

  @Test("a path with an empty segment is refused")
  func emptyParts() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for path in ["//api/v1/sync", "/api//v1/sync", "/api/v1/sync//"] {
      let answer = try await client.write(.post, path, headers: [:])
      #expect(answer.status == 400, "\(path)")
    }
  }

  @Test("every response has the security headers")
  func securityHeaders() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for (method, path) in [
      (HTTPRequest.Method.get, "/"), (.get, "/api/v1/health"), (.get, "/api/v1/nothing"),
      (.get, "/nothing"), (.post, "/api/v1/sync"), (.get, "/assets/../x"), (.trace, "/"),
      (.head, "/api/v1/health"), (.put, Self.star), (.get, "/api/v1/offers/%00"),
    ] {
      let answer = try await client.send(method, path)
      let policy = answer.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"), "\(path)")
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      for (name, value) in [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
      ] {
        let name = try #require(HTTPField.Name(name))
        #expect(answer.headers[values: name] == [value], "\(path) \(name)")
      }
    }
  }
}
