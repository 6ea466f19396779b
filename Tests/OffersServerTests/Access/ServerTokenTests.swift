import Foundation
import HTTPTypes
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Access token")
struct ServerTokenTests {
  private static let token = ServedHome.token

  @Test("only the login page, the assets, health and readiness can be read without the token")
  func refusals() async throws {
    let home = try await ServedHome()
    let client = try home.client(home.server(token: Self.token))
    #expect(try await client.get("health").status == 200)
    #expect(try await client.get("ready").status == 200)
    // Browsers request some of these without cookies.
    for path in ["/login", "/manifest.webmanifest", "/favicon.ico", "/assets/icon-192.png"] {
      #expect(try await client.get(path).status == 200, "\(path)")
    }
    for path in ["/", "/sw.js", "/settings", "/manifest.webmanifest/", "/offline"] {
      #expect(try await client.get(path).status == 401, "\(path)")
    }
    for path in ["offers", "offers/ibotta:900117", "events", "openapi.json", "nothing"] {
      let answer = try await client.get(path)
      #expect(answer.status == 401, "\(path)")
      #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
    }
    for field in [
      "Bearer", "Bearer ", "Bearer wrong", "Basic \(Self.token)", Self.token,
      "Bearer \(Self.token)x", "Bearer \(Self.token.uppercased())",
    ] {
      let status = try await client.with(.authorization, field).get("offers").status
      #expect([401, 429].contains(status), "\(field)")
    }
    for field in ["Bearer \(Self.token)", "bearer  \(Self.token) "] {
      #expect(try await client.with(.authorization, field).get("offers").status == 200)
    }
    // The cached response to an authorized request is not sent to an unauthorized one.
    #expect(try await client.get("offers").status == 401)
  }

  @Test("a browser is redirected to the login page, and then to the page that it requested")
  func login() async throws {
    let home = try await ServedHome()
    let client = try home.client(home.server(token: Self.token))
    let page = try await client.page("/changes?kind=a%20b")
    #expect(page.status == 303)
    #expect(page.headers[.location] == "/login?next=%2Fchanges%3Fkind%3Da%2520b")
    let form = try await client.get("/login?next=%2Fchanges%3Fkind%3Da%2520b")
    #expect(form.text.contains(#"value="/changes?kind=a%20b""#))
    // Another site may have linked to these, whose queries have an effect.
    for (next, path) in [
      ("/web?url=http://10.0.0.1/", "/web"), ("/search?q=a", "/search"),
      ("/web/?url=http://10.0.0.1/", "/web"),
    ] {
      let linked = try await client.get("/login?next=" + PercentCode.encode(next))
      #expect(linked.text.contains("value=\"\(path)\""))
    }
    let wrong = try await client.form("/login", "token=wrong")
    #expect(wrong.status == 401)
    #expect(wrong.headers[.setCookie] == nil)
    let right = try await client.form("/login", "token=\(Self.token)&next=/changes")
    #expect(right.status == 303)
    #expect(right.headers[.location] == "/changes")
    let cookie = try #require(right.headers[values: .setCookie].first)
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000"))
    #expect(!cookie.contains(Self.token))
    let pair = try #require(right.cookie)
    for (value, status) in [("\(pair)", 200), ("a=b; \(pair)", 200), ("\(pair)0", 401)] {
      #expect(try await client.by(value).get("offers").status == status)
    }
  }

  @Test("a logout deletes the cookie and clears the browser's cache and storage")
  func logout() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: Self.token))
    let login = try await client.form("/login", "token=\(Self.token)")
    #expect(login.headers[.setCookie]?.contains("Max-Age=2592000") == true)
    let answer = try await client.form("/logout")
    #expect(answer.status == 303)
    #expect(answer.headers[.location] == "/login")
    let cookie = try #require(answer.headers[.setCookie])
    #expect(cookie.hasPrefix("offers-session=; Path=/; "))
    #expect(cookie.hasSuffix("Max-Age=0"))
    let name = try #require(HTTPField.Name("Clear-Site-Data"))
    #expect(answer.headers[name] == #""cache""#)
    // Another site cannot log a person out.
    #expect(try await client.form("/logout", origin: "http://evil.example").status == 403)
    #expect(!(try await home.show("/settings/devices").text.contains("/logout")))
  }

  @Test(
    "the login redirects to this server only, and escapes the path",
    arguments: [
      "https://evil.example", "//evil.example", "/\\evil.example", "/a\r\nSet-Cookie: x=y",
      "javascript:alert(1)", "", "/./web?url=http://10.0.0.1/", "/x/../web?url=http://10.0.0.1/",
      "/%2E/web?url=http://10.0.0.1/", "/offers/x\\..\\..\\web?url=http://10.0.0.1/",
      "/offers//x", "/nowhere", "/api/v1/offers", "/login", "web",
    ])
  func wayBack(next: String) async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client(home.server(token: Self.token))
    let answer = try await client.form(
      "/login", "token=\(Self.token)&next=\(PercentCode.encode(next))")
    #expect(answer.headers[.location] == "/")
    let form = try await client.get("/login?next=/%22%3E%3Cscript%3E")
    #expect(!form.text.contains("<script>"))
  }

  @Test("a server on another address than loopback requires that somebody can log in")
  func needed() async throws {
    let home = try await ServedHome(feeds: [])
    for host in ["0.0.0.0", "::", "192.168.1.5", "offers.example", "127.evil.example"] {
      await #expect(throws: OffersError.self, "\(host)") {
        try await home.server(host: host).checkLogins()
      }
      try await home.server(token: Self.token, host: host).checkLogins()
    }
    for host in ["127.0.0.1", "::1", "localhost", "localhost.", "127.9.9.9"] {
      try await home.server(host: host).checkLogins()
    }
  }

  @Test(
    "a name beyond loopback, by which a proxy lets others ask, needs a login",
    arguments: [
      ("localhost", true), ("LOCALHOST:9000", true), ("LOCALHOST.:80", true),
      ("[0:0:0:0:0:0:0:1]", true), ("0:0:0:0:0:0:0:1", true), ("localhost.example", false),
      ("[::2]", false), ("128.0.0.1", false), ("127.0.0.1:9000", true), ("127.8.7.6", true),
      ("::1", true), ("[::1]", true), ("[::1]:8443", true),
      ("offers.local", false), ("offers.local:8443", false), ("localhost.evil.example", false),
      ("127.0.0.1.nip.io", false), ("192.168.1.5", false), ("0.0.0.0", false), ("[::]", false),
      ("localhost.", true), ("127.0.0", false), ("[::1].evil.example", false),
      ("+127.0.0.1", false), ("0127.0.0.1", false), ("127.0.0.01", false), ("127.0.0.256", false),
      ("localhost:80.evil.example", false), ("[fe80::1]:80", false), ("::1:evil.example", false),
    ])
  func neededForNames(name: String, isLoopback: Bool) async throws {
    let home = try await ServedHome(feeds: [])
    func start(_ token: String?) async throws {
      try await home.server(token: token, allowedHosts: ["localhost", name]).checkLogins()
    }
    try await start(Self.token)
    if isLoopback { return try await start(nil) }
    let error = await #expect(throws: OffersError.self) { try await start(nil) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("Other machines can reach \(name)") == true)
    #expect(error?.hint?.text.contains("offers user passphrase owner") == true)
  }

  @Test("a token file must be a regular file, private, and hold a generated token")
  func file() throws {
    let folder = try TemporaryFolder()
    func refusal(_ text: String, mode: Int = 0o600) throws -> String? {
      let path = try folder.write(text, to: "token")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      do {
        _ = try TokenFile(path)
        return nil
      } catch let error as OffersError {
        #expect(error.hint != nil)
        return error.message
      }
    }
    let good = ServedHome.token
    #expect(try refusal(good + "\n") == nil)
    #expect(try refusal(good + "\r\n") == nil)
    for text in [
      "", "correct-horse-battery-staple", String(good.dropLast()), good + " ghi", good + "\nghi",
      good + "\u{E9}", good.replacing("-", with: "+"), String(repeating: good, count: 300),
    ] {
      #expect(try refusal(text)?.contains("no token that was made by: offers token new") == true)
    }
    #expect(try refusal(good, mode: 0o640)?.contains("Others") == true)
    #expect(try refusal(good, mode: 0o604)?.contains("Others") == true)
    #expect(throws: OffersError.self) { try TokenFile(folder.path) }
    #expect(throws: OffersError.self) { try TokenFile(folder.file("nothing")) }
  }
}
