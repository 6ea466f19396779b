import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("The sources that offers feeds shows")
struct FeedSourceTests {
  @Test("after a sync of the sample, a feed is shown with the source that its next sync reads")
  func showsNextSource() async throws {
    let home = try Home()
    try await home.call("sync", "facts", "--from", "sample")
    for command in ["status", "feeds"] {
      let feeds = try await home.objects("feeds", command)
      func source(_ name: String) -> String? {
        feeds.first { $0["name"] as? String == name }?["source"] as? String
      }
      #expect(source("facts")?.hasPrefix("https://") == true)
    }
    let feeds = try await home.objects("feeds", "feeds")
    let ibotta = try #require(feeds.first { $0["name"] as? String == "ibotta" })
    #expect(ibotta["source"] as? String == "sample")
  }

  @Test("a first sync of another feed does not add the sample feed, unless that sync fails")
  func beginsWithAnother() async throws {
    let home = try Home()
    try await home.expect("sync", "restaurants", "--from", "nowhere.json", status: 66)
    #expect(
      try await home.callDocument("status")["feeds"].map { "\($0)" }?.contains("ibotta") == true)
    try await home.call("sync", "restaurants", "--from", "sample")
    let again = try await home.call("sync", "--due")
    #expect(again.output == "")
    let feeds = try await home.objects("feeds", "status")
    #expect(feeds.map { $0["name"] as? String } == ["restaurants"])
    try await home.call("sync", "ibotta")
    #expect((try await home.callDocument("status")["feeds"] as? [Any])?.count == 2)
    // A feed that was subscribed explicitly stays.
    let third = try Home()
    let database = try await third.store.open()
    for _ in 0..<2 {
      #expect(try await database.subscribe(to: "ibotta", source: "sample") == false)
    }
    #expect(try await database.subscribe(to: "mine", source: "sample"))
    try await third.call("sync", "restaurants", "--from", "sample")
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta", "mine", "restaurants"])
    let fourthHome = try Home()
    let fourth = try await fourthHome.store.open()
    #expect(try await fourth.subscribe(to: "facts", source: "https://example.com/"))
    #expect(try await fourth.fetchFeeds().map(\.name) == ["facts"])
    // A feed that was synced stays, too.
    let other = try Home()
    try await other.call("sync")
    try await other.call("sync", "restaurants", "--from", "sample")
    #expect((try await other.callDocument("status")["feeds"] as? [Any])?.count == 2)
    withExtendedLifetime(fourthHome) {}
  }

  @Test("a user's definition without a source is shown as having none")
  func hasNoSource() async throws {
    let home = try Home()
    let config = try home.folder.write(
      "feeds: {mine: {id: id, fields: {name: name}}}\n", to: "feeds.yaml")
    let list = try await home.call("feeds", "--config", config).output
    #expect(list.contains(/\nmine .* none yet: offers sync mine --from SOURCE\n/))
    #expect(list.contains(/\nibotta .* sample\n/))
  }

  @Test("a feed that is subscribed again keeps its source, unless its definition was removed, too")
  func remembersSource() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    func source(_ name: String) async throws -> String? {
      let feeds = try await home.objects("feeds", "feeds")
      return feeds.first { $0["name"] as? String == name }?["source"] as? String
    }
    let path = home.folder.file("feed.json")
    try await home.call("feeds", "remove", "ibotta")
    #expect(try await source("ibotta") == path)
    #expect(
      try await home.call("sync", "ibotta").output.hasPrefix("ibotta: 0 new, 0 changed, 0 gone"))
    #expect(try await source("ibotta") == path)
    let (first, second) = (
      try home.feed([FeedItem("1", "Jam")], named: "first.json"),
      try home.feed([FeedItem("2", "Bun")], named: "second.json")
    )
    try await home.call("feeds", "add", "mine", first)
    try await home.call("sync", "mine", "--from", path)
    #expect(try await source("mine") == path)
    try await home.call("feeds", "remove", "mine")
    try await home.call("feeds", "add", "mine", second)
    #expect(try await source("mine") == second)
  }

  @Test("removing the copy of a shipped definition keeps the feed's remembered source")
  func keepsSourceOfACopy() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let shipped = try home.folder.write(
      try await home.call("feeds", "show", "ibotta").output + "# Mine\n", to: "ibotta.yaml")
    try await home.expect("feeds", "edit", "ibotta", "--from", shipped)
    try await home.call("feeds", "remove", "ibotta")
    #expect(
      try await home.call("sync", "ibotta").output.hasPrefix("ibotta: 0 new, 0 changed, 0 gone"))
  }

  @Test("feeds add loads the document once, for the guess, its trial and the first sync")
  func loadsOnce() async throws {
    let home = try Home()
    let server = try ScriptedServer([.answer("200 OK", [], #"[{"id":"1","name":"Tea"}]"#)])
    let added = try await home.expect(
      "feeds", "add", "tea", server.url("/tea.json"), "--config", home.folder.file("feeds.yaml"))
    #expect(added.output.contains("1 new"))
    #expect(server.requests.count == 1)
  }
}
