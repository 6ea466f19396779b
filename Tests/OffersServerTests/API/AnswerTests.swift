import HTTPTypes
import Hummingbird
import OffersCore
import OffersSync
import TestStores
import Testing

@testable import OffersServer

@Suite("Cached responses", .timeLimit(.minutes(10)))
struct AnswerTests {
  private static let ref = "ibotta:900117"

  @Test("If-None-Match with the current tag, in any notation, gets 304, and with another tag 200")
  func tags() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let first = try await client.get("offers/\(Self.ref)")
    let tag = try #require(first.headers[.eTag])
    for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*", " * ", "\"x\",W/\(tag) "] {
      let answer = try await client.get("offers/\(Self.ref)", headers: [.ifNoneMatch: field])
      #expect(answer.status == 304, "\(field)")
      #expect(answer.text.isEmpty)
      #expect(answer.headers[.eTag] == tag)
      #expect(answer.headers[.cacheControl] == first.headers[.cacheControl])
    }
    for field in ["\"x\"", tag.dropLast().description, "", "x, y"] {
      let answer = try await client.get("offers/\(Self.ref)", headers: [.ifNoneMatch: field])
      #expect(answer.status == 200, "\(field)")
      #expect(answer.text == first.text)
    }
  }

  @Test("no stale response is sent after a write by this server or by another process")
  func fresh() async throws {
    let home = try await ServedHome()
    let other = try await home.store.open()
    let client = try home.client()
    func isFavorite() async throws -> Bool? {
      // The second response could come from the cache.
      _ = try await client.get("offers/\(Self.ref)")
      return try await client.get("offers/\(Self.ref)").object["favorite"] as? Bool
    }
    #expect(try await isFavorite() == false)
    for _ in 1...3 {
      _ = try await client.write(.put, "offers/\(Self.ref)/favorite")
      #expect(try await isFavorite() == true)
      _ = try await other.setFavorites(named: [Self.ref], to: false)
      // On PostgreSQL a server knows of another program's commit within two seconds.
      while !TestStore.isFile,
        try await home.database.fetchDataVersion() != other.fetchDataVersion()
      {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try await isFavorite() == false)
    }
  }

  @Test("a response during whose making the database was written is not reused")
  func overtaken() async throws {
    let home = try await ServedHome()
    let cache = ResponseCache()
    let answers = Answers(cache: cache, store: home.database)
    let request = Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/x"),
      body: RequestBody(buffer: ByteBuffer()))
    _ = try await answers.answer(request, for: nil) {
      _ = try await home.database.setFavorites(named: [Self.ref], to: true)
      return .page("old")
    }
    #expect(await answers.findAnswer(to: request, for: nil) == nil)
    _ = try await answers.answer(request, for: nil) { .page("new") }
    #expect(await answers.findAnswer(to: request, for: nil) != nil)
  }

  @Test("errors are not cached")
  func errors() async throws {
    let home = try await ServedHome(feeds: [])
    let client = try home.client()
    #expect(try await client.get("offers/\(Self.ref)").status == 404)
    try await home.sync(from: "sample")
    #expect(try await client.get("offers/\(Self.ref)").status == 200)
  }

  @Test("a response to HEAD has no body, but its length and tag")
  func head() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for _ in 1...2 {
      let head = try await client.send(.head, "offers/\(Self.ref)")
      let whole = try await client.get("offers/\(Self.ref)")
      #expect(head.status == 200)
      #expect(head.text.isEmpty)
      for name in [HTTPField.Name.eTag, .contentLength, .contentType] {
        #expect(head.headers[name] == whole.headers[name])
      }
    }
  }

  @Test("the size of the cache is limited: a full one is emptied, as is one of another version")
  func bound() {
    let cache = ResponseCache(limitBytes: 200_000)
    func entry(_ bytes: Int) -> ResponseCache.Entry {
      ResponseCache.Entry(
        content: TaggedContent(
          "image/png", ByteBuffer(repeating: 0x61, count: bytes), cacheControl: ""), until: nil)
    }
    for number in 0..<1000 {
      cache.put(entry(10_000), at: "/\(number)", version: 1)
      #expect(cache.find("/\(number)", version: 1) != nil)
      #expect(cache.contents.bytes <= 200_000)
    }
    #expect(cache.find("/1", version: 1) == nil)
    cache.put(entry(50_000), at: "/large", version: 1)
    #expect(cache.find("/large", version: 1) == nil, "an entry may take an eighth of the limit")
    #expect(cache.find("/999", version: 1) != nil)
    #expect(cache.find("/999", version: 2) == nil)
    cache.put(entry(10), at: "/new", version: 2)
    #expect(cache.contents.count == 1)
    cache.put(entry(10), at: "/new", version: 2)
    #expect(cache.contents.bytes < 2000)
  }
}
