import Foundation
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("OpenAPI document")
struct OpenAPITests {
  private static func description(_ client: TestClient) async throws -> [String: Any] {
    try await client.get("openapi.json").object
  }

  private static func paths(
    _ document: [String: Any]
  ) throws -> [String: [String: [String: Any]]] {
    try #require(document["paths"] as? [String: [String: [String: Any]]])
  }

  @Test("the document describes every route of the API and no other")
  func routes() async throws {
    let home = try await ServedHome()
    let routes = try home.server().responder().routes.names.filter { $0.contains("/api/") }
    let client = try home.client()
    let described = try Self.paths(try await Self.description(client)).flatMap {
      path, operations in
      operations.keys.map { "\($0.uppercased()) \(path)" }
    }
    #expect(described.sorted() == routes)
  }

  /// The operations of a document by their `operationId`.
  private static func operations(
    _ document: [String: Any]
  ) throws -> [String: (method: String, operation: [String: Any])] {
    var operations: [String: (method: String, operation: [String: Any])] = [:]
    for methods in try paths(document).values {
      for (method, operation) in methods {
        operations[operation["operationId"] as? String ?? ""] = (method, operation)
      }
    }
    return operations
  }

  private static let subscribed = #"{"endpoint":"https://push.example.com/4f1c"}"#
  /// The subscription of the example of RFC 8291.
  private static let subscription =
    #"{"endpoint":"https://push.example.com/4f1c","p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}"#

  /// A request for each operation, with its `operationId`.
  private static let requests: [(operation: String, path: String, body: String?)] = [
    ("listOffers", "offers?limit=2&sort=reward", nil), ("getOffer", "offers/ibotta:900117", nil),
    ("getHistory", "offers/900117/history", nil), ("star", "offers/ibotta:900117/favorite", "{}"),
    ("share", "offers/ibotta:900117/share", "{}"), ("listHousehold", "household?limit=1", nil),
    ("unshare", "offers/ibotta:900117/share", "{}"),
    ("hide", "hidings?what=retailer:Target", "{}"), ("listHidings", "hidings", nil),
    ("unhide", "hidings?what=retailer:Target", "{}"),
    ("listFavorites", "favorites", nil), ("listOffline", "offline", nil),
    ("getOffline", "offline/offers?refs=ibotta:900117", nil),
    ("listChanges", "changes?limit=5&kind=new", nil),
    ("search", "search?q=pasta", nil), ("listSearches", "searches", nil),
    ("forgetSearch", "searches?words=pasta", nil), ("getNews", "news", nil),
    ("seeNews", "news/seen", #"{"latest":1}"#),
    ("seeNotices", "notices/seen", #"{"latest":0}"#),
    ("proposeFeed", "proposals", #"{"source":"https://tea.example/a"}"#),
    ("addFeed", "feeds", #"{"source":"https://tea.example/a","name":"facts-2"}"#),
    ("listFeeds", "feeds", nil), ("getFeed", "feeds/movies", nil),
    ("subscribe", "feeds/movies/subscription", nil),
    ("unsubscribe", "feeds/movies/subscription", nil),
    ("setInterval", "feeds/ibotta/interval", #"{"every_seconds":7200}"#),
    ("resetInterval", "feeds/ibotta/interval", nil), ("getSync", "sync", nil),
    ("startSync", "sync", #"{"feeds":["ibotta"]}"#), ("getHealth", "health", nil),
    ("getReadiness", "ready", nil),
    ("checkFraming", "framing", #"{"url":"https://example.com/"}"#), ("getPush", "push", nil),
    ("startPush", "push", subscription), ("testPush", "push/test", subscribed),
    ("stopPush", "push", subscribed),
    ("unstar", "offers/ibotta:900117/favorite", nil), ("getOpenAPI", "openapi.json", nil),
  ]

  @Test("every response conforms to its schema")
  func answers() async throws {
    let home = try await ServedHome(feeds: ["ibotta", "albums"])
    let client = try home.client()
    let document = try await Self.description(client)
    let schema = JSONSchema(document: document)
    let operations = try Self.operations(document)
    // Images require an image server, and the stream of `listen` does not end.
    let asked = Set(Self.requests.map(\.operation))
    #expect(
      Set(operations.keys).subtracting(asked) == ["getImage", "getProposalImage", "listen"])
    for request in Self.requests {
      let (method, operation) = try #require(operations[request.operation])
      let isRead = method == "get"
      let answer = try await client.send(
        HTTPRequest.Method(rawValue: method.uppercased()) ?? .get, request.path,
        headers: isRead ? [:] : [.contentType: "application/json"], body: request.body)
      let responses = operation["responses"] as? [String: [String: Any]]
      let response = try #require(
        responses?["\(answer.status)"], "\(request.operation) gave \(answer.status)")
      #expect(answer.status < 300, "\(request.operation): \(answer.text)")
      let content = response["content"] as? [String: [String: Any]]
      let body = try #require(content?["application/json"]?["schema"] as? [String: Any])
      #expect(schema.faults(of: try answer.object, body) == [], "\(request.operation)")
      if isRead {
        #expect(answer.headers[.eTag]?.hasPrefix("\"") == true, "\(request.operation)")
      }
    }
  }

  @Test("a route knows each member of a body that is described, and no other")
  func members() async throws {
    let home = try await ServedHome(feeds: ["ibotta"])
    let client = try home.client()
    let document = try await Self.description(client)
    let schema = JSONSchema(document: document)
    let operations = try Self.operations(document)
    for request in Self.requests {
      let (method, operation) = try #require(operations[request.operation])
      guard let described = operation["requestBody"] as? [String: Any] else { continue }
      let content = described["content"] as? [String: [String: Any]]
      var body = try #require(content?["application/json"]?["schema"] as? [String: Any])
      if let name = body["$ref"] as? String { body = try #require(schema.find(name)) }
      let members = (body["properties"] as? [String: Any] ?? [:]).keys
      for member in members + ["nonsense"] {
        // An object is no valid value of any member, so nothing is done.
        let answer = try await client.send(
          HTTPRequest.Method(rawValue: method.uppercased()) ?? .get, request.path,
          headers: [.contentType: "application/json"], body: #"{"\#(member)":{}}"#)
        #expect(answer.status == 400, "\(request.operation) \(member)")
        #expect(
          answer.text.contains("unknown member") == (member == "nonsense"),
          "\(request.operation) \(member)")
      }
    }
  }

  @Test("each filter is described where it can be used, and its example is accepted")
  func filters() async throws {
    let home = try await ServedHome(feeds: ["ibotta"])
    let client = try home.client()
    let paths = try Self.paths(try await Self.description(client))
    for (path, filters) in [
      ("offers?limit=1", OfferFilter.allCases), ("search?q=pasta", OfferFilter.allCases),
      ("changes?limit=1", OfferFilter.ofChanges),
    ] {
      let route = path.prefix { $0 != "?" }
      let described = paths["/api/v1/\(route)"]?["get"]?["parameters"] as? [[String: Any]] ?? []
      let examples = described.map { ($0["name"] as? String, $0["example"] as? String) }
      for filter in filters.map(\.words) {
        let example = examples.first { $0.0 == filter.parameter }
        #expect(example?.1 == filter.example, "\(path) \(filter.parameter)")
        let answer = try await client.get(
          "\(path)&\(filter.parameter)=\(filter.example ?? "true")")
        #expect(answer.status == 200, "\(path) \(filter.parameter)")
      }
    }
  }

  @Test("every example conforms to its schema")
  func examples() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client()
    let document = try await Self.description(client)
    let schema = JSONSchema(document: document)
    for (path, operations) in try Self.paths(document) {
      for (method, operation) in operations {
        let responses = operation["responses"] as? [String: [String: Any]] ?? [:]
        for response in responses.values {
          let response = (response["$ref"] as? String).flatMap(schema.find) ?? response
          let contents = response["content"] as? [String: [String: Any]] ?? [:]
          for content in contents.values {
            guard let example = content["example"], !(example is String) else { continue }
            let body = try #require(content["schema"] as? [String: Any])
            #expect(schema.faults(of: example, body) == [], "\(method) \(path)")
          }
        }
      }
    }
  }

  @Test("every error response conforms to the schema of problems")
  func problems() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let schema = JSONSchema(document: try await Self.description(client))
    let problem = try #require(schema.find("#/components/schemas/Problem"))
    for (path, status) in [
      ("offers?limit=0", 400), ("offers/nothing", 404), ("nothing", 404), ("search", 400),
      ("offers?feed=nothing", 404), ("offers/%ff", 400),
      ("offers/ibotta:900117%00", 400), ("offers?feed=ibotta%00", 400), ("images/ibotta:1", 404),
    ] {
      let answer = try await client.get(path)
      #expect(answer.status == status, "\(path)")
      #expect(answer.headers[.contentType] == "application/problem+json")
      #expect(answer.headers[.cacheControl] == "no-store")
      #expect(schema.faults(of: try answer.object, problem) == [], "\(path)")
      #expect(try answer.object["status"] as? Int == status)
    }
  }
}
