import Foundation
import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("The log of who did what")
struct RequestLogTests {
  @Test("logins, users, rights, feeds and syncs are told with the user, and no secret is")
  func tells() async throws {
    let home = try await ServedHome()
    let log = RecordedLog()
    try await home.addUser("Ada", .admin)
    let client = try home.client(home.server(log: log))
    let login = try await client.form(
      "/login", "name=ada&passphrase=\(PercentCode.encode(ServedHome.passphrase))")
    #expect(login.status == 303)
    let cookie = try #require(login.cookie)
    #expect(try await client.by(cookie).form("/users", "name=Ben").status == 303)
    let ben = try #require(try await home.database.findUser(named: "Ben"))
    for (path, body) in [
      ("/users/\(ben.id)", "role=viewer"), ("/users/\(ben.id)/log-out", ""),
      ("/offers/ibotta:900117/favorite", "favorite=1"), ("/tokens", "name=backup&scope=sync"),
      ("/feeds/ibotta", "subscribed=0"), ("/pairing", "user=Ben"),
      ("/sync?key=hidden", "feed=ibotta"), ("/logout", ""),
    ] {
      let answer = try await client.by(cookie).form(path, body)
      #expect(answer.status < 400, "\(path)")
      #expect(answer.headers[try #require(HTTPField.Name("X-Request-Id"))] != nil)
      if path == "/tokens" {
        let token = try #require(answer.text.firstMatch(of: #/offers_[A-Za-z0-9_-]{20,}/#)).output
        #expect(!log.lines.contains { $0.contains(token) })
      }
    }
    let end = " client=127.0.0.1"
    #expect(
      log.lines.map { $0.replacing(" request=none", with: "") } == [
        "notice logged in by=passphrase\(end) user=Ada",
        "notice user added account=Ben\(end) role=member user=Ada",
        "notice user changed account=Ben\(end) role=viewer user=Ada",
        "notice user logged out account=Ben\(end) user=Ada",
        "notice token added\(end) name=backup scope=sync user=Ada",
        "notice feed unsubscribed\(end) feed=ibotta user=Ada",
        "notice pairing code made account=Ben\(end) user=Ada",
        "notice sync started\(end) feed=ibotta user=Ada",
        "notice logged out\(end) user=Ada",
      ])
    let value = try #require(cookie.split(separator: "=").last)
    for secret in [String(value), ServedHome.passphrase, "hidden"] {
      #expect(!log.lines.contains { $0.contains(secret) })
    }
  }

  @Test("a request without the right leaves a line, and a wrong passphrase none but its refusal")
  func refusals() async throws {
    let home = try await ServedHome()
    let log = RecordedLog()
    let clock = SteppedClock()
    let cookie = try await home.cookie(ofNew: "Vera", .viewer, at: clock.now)
    let client = try home.client(home.server(clock: clock, log: log))
    #expect(try await client.by(cookie).form("/users", "name=Ben").status == 403)
    let wrong = try await client.form("/login", "name=Vera&passphrase=wrong")
    #expect(wrong.status == 401)
    #expect(try await client.form("/logout", "").status == 303)
    #expect(
      log.lines == [
        "warning not allowed action=user added client=127.0.0.1 request=none user=Vera",
        "warning login refused client=127.0.0.1 status=401",
      ])
  }

  @Test("every route that changes something is named, or its user's own")
  func names() async throws {
    let home = try await ServedHome(feeds: [])
    for name in try home.server().responder().routes.names where !name.hasPrefix("GET ") {
      let parts = name.split(separator: " ").map(String.init)
      let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
      let action = RequestLog.action(method, parts[1])
      #expect(action?.contains("/") != true, "\(name)")
    }
    #expect(RequestLog.action(.post, "/new") == "POST /new")
    #expect(RequestLog.action(.get, "/") == nil)
    #expect(RequestLog.action(.get, OpenIDProvider.callbackPath) == "logged in")
  }

  @Test("an access log has a line for each request, without its query")
  func accesses() async throws {
    let home = try await ServedHome()
    let log = RecordedLog()
    let client = try home.client(home.server(log: log, logsRequests: true))
    _ = try await client.get("offers?q=secret+wish")
    _ = try await client.get("/nowhere/at%0Aall?token=hidden")
    _ = try await client.send(.head, "health")
    #expect(log.lines.count == 3)
    for (line, text) in zip(
      log.lines,
      [
        "method=GET ms=", "path=/nowhere/at%0Aall request=none status=404 user=owner",
        "method=HEAD",
      ])
    {
      #expect(line.hasPrefix("notice request bytes="))
      #expect(line.contains(" client=127.0.0.1 "))
      #expect(line.contains(text), "\(line)")
      #expect(!line.contains("secret") && !line.contains("hidden") && !line.contains("?"))
    }
  }
}
