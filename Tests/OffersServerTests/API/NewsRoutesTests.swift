import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("What a user has not seen yet")
struct NewsRoutesTests {
  private static func document(_ reward: String) -> String {
    #"[{"id":"1","name":"Tea","current_value":"\#(reward) Cash Back"}]"#
  }

  private static func count(
    _ client: TestClient
  ) async throws -> (count: Int, latest: Int) {
    let news = try await client.get("news").object
    return (
      try #require(news["count"] as? Int), try #require(news["latest"] as? Int)
    )
  }

  @Test("changes count until they were seen; a first sync does not")
  func counts() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", Self.document("$1.00"))
    let client = try home.client()
    #expect(try await Self.count(client).count == 0)
    try await home.sync("ibotta", Self.document("$2.00"))
    try await home.sync("ibotta", Self.document("$3.00"))
    let news = try await Self.count(client)
    #expect(news.count == 2)
    let page = try await client.get("/changes").text
    #expect(page.contains(#"data-latest="\#(news.latest)""#))
    #expect(!(try await client.get("/changes?kind=up").text.contains("data-latest")))
    let told = try await client.write(.put, "news/seen", #"{"latest":\#(news.latest)}"#)
    #expect(told.status == 200)
    #expect(try await Self.count(client).count == 0)
    try await home.sync("ibotta", Self.document("$4.00"))
    #expect(try await Self.count(client).count == 1)
    // An older page that is still open does not take it back.
    _ = try await client.write(.put, "news/seen", #"{"latest":0}"#)
    #expect(try await Self.count(client).count == 1)
  }

  @Test(
    "a number that no change has is refused",
    arguments: [
      #"{"latest":99}"#, #"{"latest":-1}"#, #"{"latest":1.5}"#, #"{"latest":true}"#, "{}",
    ])
  func refuses(body: String) async throws {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", Self.document("$1.00"))
    let client = try home.client()
    let answer = try await client.write(.put, "news/seen", body)
    #expect(answer.status == 400)
  }

  @Test("what one user has seen is news to another")
  func isOwn() async throws {
    let now = Date()
    let home = try await ServedHome(feeds: [])
    let (max, vera) = (
      try await home.addUser("Max", .viewer), try await home.addUser("Vera", .viewer)
    )
    let (his, hers) = (
      try await home.cookie(of: max, at: now), try await home.cookie(of: vera, at: now)
    )
    try await home.sync("ibotta", Self.document("$1.00"))
    try await home.sync("ibotta", Self.document("$2.00"))
    let client = try home.client(home.server())
    let latest = try await Self.count(client.by(his)).latest
    let told = try await client.by(his).write(.put, "news/seen", #"{"latest":\#(latest)}"#)
    #expect(told.status == 200)
    #expect(try await Self.count(client.by(his)).count == 0)
    #expect(try await Self.count(client.by(hers)).count == 1)
  }
}
