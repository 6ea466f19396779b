import Foundation
import OffersTestSupport
import Testing

@Suite("Removed feeds and feeds without a definition")
struct RemovedFeedTests {
  @Test("a feed is removed with its offers, except favorites, and says what goes and what stays")
  func removesOffers() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    try await home.expect("sync", "restaurants", "--from", "sample")
    try await home.expect("favorite", "ibotta:2")
    let kept = try await home.call("feeds", "remove", "ibotta")
    #expect(
      kept.output
        == "ibotta: no longer synced. Its 2 offers stay, with 1 favorite, kept for good.\n")
    #expect(
      kept.errors == "To remove its offers as well: offers feeds remove ibotta --offers\n")
    let unasked = try await home.expect("feeds", "remove", "ibotta", "--offers", status: 64)
    #expect(
      unasked.errors
        == """
        offers: There is no terminal to ask whether to remove 2 offers.
                To remove them without being asked, add --yes

        """)
    let removed = try await home.call("feeds", "remove", "ibotta", "--offers", "--yes")
    #expect(
      removed.output
        == "ibotta: was not subscribed. 1 offer was removed. Its favorite stays, marked as gone.\n")
    #expect(
      try await home.call("show", "ibotta:2").output.contains("which is not subscribed any more"))
    let again = try await home.call("feeds", "remove", "restaurants", "--offers", "--yes")
    #expect(again.output.hasPrefix("restaurants: no longer synced. "))
    #expect(again.output.hasSuffix(" offers were removed.\n"))
    #expect(try await home.callDocument("list")["offers"] as? [String] == [])
    #expect(try await home.call("list", "--favorites").output.contains("gone: Jam"))
    try await home.expect("feeds", "remove", "nosuch", "--offers", status: 66)
  }

  @Test("a feed is not added if the database cannot be opened")
  func isNotHalfAdded() async throws {
    let home = try Home()
    let source = try home.feed([FeedItem("1", "Tea")], named: "other.json")
    try await home.expect(
      ["feeds", "add", "other", source, "--yes", "--database", home.folder.path], status: 1)
    try await home.expect("feeds", "show", "other", status: 66)
  }

  @Test("of two settings, none is stored if one is refused")
  func isNotHalfSet() async throws {
    let home = try Home()
    try await home.expect(
      "feeds", "set", "ibotta", "--every", "2h", "--currency", "euro", status: 64)
    let both = try await home.call(
      "feeds", "set", "ibotta", "--every", "3h", "--currency", "EUR")
    #expect(both.output == "ibotta: every 3h\nibotta: amounts in EUR\n")
    let again = try await home.call("feeds", "set", "ibotta", "--every", "3h")
    #expect(again.output == "ibotta: every 3h, as before\n")
  }

  @Test(
    "feeds without a definition are shown as such, with what to do, while anything of them is stored"
  )
  func showsUndefined() async throws {
    let home = try Home()
    let feed = try home.feed([FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    let config = try home.folder.write(
      "feeds: {shop: {source: \"\(feed)\", id: id, fields: {name: name}}}\n", to: "own.yaml")
    try await home.expect("sync", "shop", "--config", config)
    let subscribed = "shop: has no definition here, so it is not synced. If another file has its"
    for command in ["feeds", "status"] {
      let result = try await home.call(command)
      #expect((result.output + result.errors).contains(subscribed))
      #expect(result.output.contains(" no definition\n"))
      #expect(!(try await home.call(command, "--config", config)).errors.contains("no definition"))
    }
    try await home.expect("feeds", "remove", "shop")
    let former =
      "shop: is not subscribed and has no definition here, but 2 offers of it are stored."
    for command in ["feeds", "status"] {
      let result = try await home.call(command)
      #expect((result.output + result.errors).contains(former), "\(result.output + result.errors)")
      #expect((result.output + result.errors).contains("offers feeds remove shop --offers"))
    }
    let listed = try await home.objects("former_feeds", "status")
    #expect(listed.map { $0["name"] as? String } == ["shop"])
    #expect(listed.map { $0["defined"] as? Bool } == [false])
    try await home.expect("feeds", "remove", "shop", "--offers", "--yes")
    #expect(!(try await home.call("feeds").output).contains("shop"))
    #expect(!(try await home.call("status").output).contains("shop"))
  }
}
