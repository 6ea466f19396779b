import Foundation
import HTTPTypes
import Hummingbird
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Adding feeds over the API")
struct ProposalRoutesTests {
  private static let tea = #"{"source":"https://tea.example/a"}"#

  @Test("a proposal tells what was found, and stores nothing")
  func proposes() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    let answer = try await client.write(.post, "proposals", Self.tea)
    #expect(answer.status == 200)
    #expect(answer.headers[.cacheControl] == "no-store")
    let found = try answer.object
    #expect(found["name"] as? String == "tea-shop")
    #expect(found["title"] as? String == "Tea Shop")
    #expect(found["records"] as? Int == 13)
    #expect(found["offers"] as? Int == 12)
    #expect(try answer.objects("fields").last?["from"] as? String == "price.amount")
    #expect(try answer.objects("first").first?["reward"] as? String == "$1.00")
    let named = try await client.write(
      .post, "proposals", #"{"source":"https://tea.example/a","name":"leaves"}"#)
    #expect(try named.object["name"] as? String == "leaves")
    #expect(adder.added.withLock { $0 }.isEmpty)
    #expect(try await home.database.fetchFeeds().map(\.name) == [Feed.initialName])
  }

  @Test("an added feed is as it was proposed, subscribed, and synced at once")
  func adds() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    _ = try await client.write(.post, "proposals", Self.tea)
    let answer = try await client.write(
      .post, "feeds", #"{"source":"https://tea.example/a","name":"leaves","title":"Leaves"}"#)
    #expect(answer.status == 201)
    #expect(answer.headers[.location] == "/api/v1/feeds/leaves")
    let feed = try #require(try answer.object["feed"] as? [String: Any])
    #expect(feed["subscribed"] as? Bool == true)
    let sync = try #require(try answer.object["sync"] as? [String: Any])
    #expect((sync["feeds"] as? [[String: Any]])?.first?["feed"] as? String == "leaves")
    // The source is read once more only for a feed without a proposal.
    #expect(adder.proposedSources.withLock { $0 }.count == 1)
    let direct = try await client.write(.post, "feeds", #"{"source":"https://tea.example/b"}"#)
    #expect(direct.status == 201)
    #expect(adder.proposedSources.withLock { $0 }.last == "https://tea.example/b")
    #expect(
      adder.added.withLock { $0 }
        == [
          ScriptedAdder.Added(name: "leaves", title: "Leaves"),
          ScriptedAdder.Added(name: "tea-shop", title: nil),
        ])
    #expect(try await home.database.fetchFeeds().map(\.name) == ["leaves", "tea-shop"])
  }

  @Test(
    "only the address of a server may be named",
    arguments: [
      "/etc/passwd", "feed.json", "-", "sample", "file:///etc/passwd", "ftp://tea.example/",
      "https://tea.example/?key={env:HOME}", "http:///", "",
    ])
  func refusesSources(source: String) async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    for path in ["proposals", "feeds"] {
      let answer = try await client.write(.post, path, #"{"source":"\#(source)"}"#)
      #expect(answer.status == 400, "\(path)")
      #expect(answer.headers[.contentType] == "application/problem+json")
    }
    #expect(adder.proposedSources.withLock { $0 }.isEmpty)
  }

  @Test("a web page, a name that is taken, and a malformed body are refused")
  func refuses() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    for (path, body, status, text) in [
      ("proposals", #"{"source":"https://tea.example/refused"}"#, 502, "a web page"),
      ("feeds", #"{"source":"https://tea.example/refused"}"#, 502, "a web page"),
      ("proposals", #"{"source":"https://tea.example/","name":"ibotta"}"#, 409, "already a feed"),
      ("feeds", #"{"source":"https://tea.example/","name":"ibotta"}"#, 409, "already a feed"),
      ("proposals", "{}", 400, "“source” is missing"),
      ("proposals", #"{"source":1}"#, 400, "must be a string"),
      ("proposals", #"{"source":"https://tea.example/","title":"x"}"#, 400, "unknown member"),
      ("feeds", #"{"source":"https://tea.example/","title":[]}"#, 400, "must be a string"),
    ] {
      let answer = try await client.write(.post, path, body)
      #expect(answer.status == status, "\(path) \(body)")
      #expect(answer.detail.contains(text), "\(answer.detail)")
    }
    #expect(adder.added.withLock { $0 }.isEmpty)
  }

  @Test("an error of the file of definitions adds no feed and subscribes to none")
  func failsWhole() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder(addError: OffersError(.storageFailed, "The file is read-only."))
    let client = try home.client(home.server(adder: adder))
    let answer = try await client.write(.post, "feeds", Self.tea)
    #expect(answer.status == 503)
    #expect(answer.detail == "The file is read-only.")
    #expect(try await client.get("sync").object["state"] as? String == "idle")
    #expect(try await home.database.fetchFeeds().map(\.name) == [Feed.initialName])
  }

  @Test("one feed is looked at at a time")
  func oneAtATime() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    async let first = client.write(.post, "proposals", #"{"source":"https://tea.example/held"}"#)
    while adder.proposedSources.withLock({ $0.isEmpty }) { await Task.yield() }
    for path in ["proposals", "feeds"] {
      let second = try await client.write(.post, path, Self.tea)
      #expect(second.status == 409)
      #expect(second.headers[.retryAfter] == "5")
    }
    adder.letGo()
    let answer = try await first
    #expect(answer.status == 200)
    #expect(try await client.write(.post, "proposals", Self.tea).status == 200)
  }

  @Test("a client that goes away cancels its proposal, and others can ask")
  func cancels() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    try await LiveServer.run(try home.server(adder: adder, port: 0)) { server in
      func request(_ body: String) -> String {
        "POST /api/v1/proposals HTTP/1.1\r\n\(server.host)Connection: close\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      }
      do {
        let connection = try RawConnection(port: server.port)
        connection.send(request(#"{"source":"https://tea.example/held"}"#))
        while adder.proposedSources.withLock({ $0.isEmpty }) { await Task.yield() }
      }
      while !adder.wasCancelled.withLock({ $0 }) { await Task.yield() }
      var answer = ""
      repeat {
        answer = try await server.exchange(request(Self.tea))
      } while answer.contains(" 409 ")
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }
  }

  @Test("while a document is guessed at, others are answered, and the server can end")
  func staysAlive() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let connection = try await LiveServer.run(try home.server(adder: adder, port: 0)) { server in
      let body = #"{"source":"https://tea.example/busy"}"#
      let connection = try RawConnection(port: server.port)
      connection.send(
        "POST /api/v1/proposals HTTP/1.1\r\n\(server.host)Content-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      while adder.proposedSources.withLock({ $0.isEmpty }) { await Task.yield() }
      let answer = try await server.exchange(
        "GET /api/v1/offers HTTP/1.1\r\n\(server.host)Connection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200"))
      return connection
    }
    withExtendedLifetime(connection) {}
    #expect(adder.wasCancelled.withLock { $0 })
  }

  @Test("the images of a proposal are served and stored nowhere, of others none are")
  func images() async throws {
    let home = try await ServedHome(feeds: [])
    let bytes = TinyImage.png()
    let images = CountedImages(
      .success(
        CachedImage(
          url: "https://tea.example/green.png", bytes: bytes,
          header: try ImageHeader(reading: bytes), fetchedAt: .now, freshUntil: .now + 3600)))
    let client = try home.client(home.server(images: images))
    let answer = try await client.write(.post, "proposals", Self.tea)
    let number = try #require(try answer.object["number"] as? Int)
    let image = try await client.get("proposals/\(number)/images/0")
    #expect(image.status == 200)
    #expect(image.headers[.contentType] == "image/png")
    #expect(image.headers[.cacheControl] == "no-store")
    #expect(images.previewCount.withLock { $0 } == 1 && images.count.withLock { $0 } == 0)
    for path in ["\(number)/images/1", "\(number)/images/9", "9/images/0", "x/images/0"] {
      #expect(try await client.get("proposals/\(path)").status == 404, "\(path)")
    }
  }

  @Test("a stranger and a page of another site can neither look at a feed nor add one")
  func guards() async throws {
    let home = try await ServedHome(feeds: [])
    let adder = ScriptedAdder()
    let client = try home.client(home.server(token: ServedHome.token, adder: adder))
    let known = client.bearing(ServedHome.token)
    for path in ["proposals", "feeds"] {
      #expect(try await client.write(.post, path, Self.tea).status == 401)
      let foreign = known.with(.origin, "https://evil.example")
      #expect(try await foreign.write(.post, path, Self.tea).status == 403)
      let text: HTTPFields = [.contentType: "text/plain"]
      #expect(try await known.write(.post, path, Self.tea, headers: text).status == 415)
    }
    #expect(adder.proposedSources.withLock { $0 }.isEmpty)
    #expect(try await known.write(.post, "proposals", Self.tea).status == 200)
  }
}
