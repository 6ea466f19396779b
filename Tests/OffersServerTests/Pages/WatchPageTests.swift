import Foundation
import OffersCore
import OffersFeeds
import Testing

@testable import OffersServer

@Suite("The pages of watches and notices")
struct WatchPageTests {
  private static let reader = FilterTextParser()

  private static func document(_ offers: [(id: String, name: String, reward: String)]) -> String {
    let items = offers.map {
      #"{"id":"\#($0.id)","name":"\#($0.name)","current_value":"\#($0.reward) Cash Back"}"#
    }
    return "[\(items.joined(separator: ","))]"
  }

  private static let offers = [
    (id: "1", name: "Alpha Coffee", reward: "$3.00"), (id: "2", name: "Green Tea", reward: "$3.00"),
  ]

  private static func home() async throws -> ServedHome {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", document(offers))
    return home
  }

  /// Syncs a further coffee, of which a watch of coffee tells.
  private static func tell(_ home: ServedHome) async throws {
    try await home.sync("ibotta", document(offers + [("4", "Iced Coffee", "$4.00")]))
  }

  private static func encoded(_ fields: [(String, String?)]) -> String {
    String(PageLinks.path("", fields).dropFirst())
  }

  @Test("without a watch, the page has examples that a press adds")
  func examples() async throws {
    let home = try await Self.home()
    let page = try await home.show("/watches")
    #expect(page.status == 200)
    #expect(page.text.count(of: #"aria-label="Add: "#) == 3)
    // As the form of the last example sends it.
    let added = try await home.send(
      "/watches",
      Self.encoded([
        ("q", "is:favorite"), ("kind", "ending"), ("time", "6h"), ("urgent", "1"),
      ]))
    #expect(added.status == 303)
    #expect(added.headers[.location] == "/watches?done=added#watch-1")
    let watch = try #require(try await home.database.fetchWatches(Self.reader).first)
    #expect(watch.rule == .ending(seconds: 6 * 3600) && watch.isUrgent)
    let next = try await home.show("/watches?done=added").text
    #expect(next.contains("The watch is added.") && !next.contains(#"aria-label="Add: "#))
    #expect(next.contains("when an offer ends within 6 hours"))
  }

  @Test("the form says what a watch selects before it is added, and adds nothing")
  func preview() async throws {
    let home = try await Self.home()
    let page = try await home.show(
      "/watches?" + Self.encoded([("q", "coffee"), ("kind", "at-least"), ("amount", "$2")])
    ).text
    #expect(page.contains("Tells when an offer is at least $2."))
    #expect(page.contains("Selects 1 offer now: Alpha Coffee"))
    // The history of less than a day says nothing.
    #expect(!page.contains("Judging by"))
    #expect(page.contains(#"<option value="at-least" selected>"#))
    #expect(page.contains("Add the watch"))
    #expect(try await home.database.fetchWatches(Self.reader).isEmpty)
    // A link of a list has a selection only.
    #expect(try await home.show("/watches?q=tea").text.contains("Selects 1 offer now: Green Tea"))
  }

  @Test(
    "a mistake is shown with the form as it was sent",
    arguments: [
      ([("q", "reward:2"), ("kind", "match")], "needs"),
      ([("q", "tea"), ("kind", "at-lest"), ("amount", "2")], "Did you mean at-least?"),
      ([("q", ""), ("kind", "match")], "each new offer"),
      ([("q", "tea"), ("kind", "ending"), ("time", "48")], "is not a duration"),
      ([("q", "tea"), ("kind", "ending"), ("time", "")], "The field “Time” is empty."),
      ([("q", "tea"), ("kind", "at-most")], "Fill it in, such as $2 or 10%."),
      ([("q", "tea"), ("kind", "ending"), ("time", "soon")], "is not a duration"),
      ([("q", "tea"), ("kind", "match"), ("repeat", "dayly")], "daily"),
      ([("q", "feed:nowhere"), ("kind", "match")], "nowhere"),
      ([("q", "is:gone"), ("kind", "match")], "would tell nothing"),
    ] as [([(String, String?)], String)])
  func mistakes(fields: [(String, String?)], text: String) async throws {
    let home = try await Self.home()
    let page = try await home.show("/watches?" + Self.encoded(fields))
    #expect(page.status == 200 && page.text.contains(text), "\(page.text)")
    #expect(!page.text.contains("Add the watch"))
    let sent = try await home.send("/watches", Self.encoded(fields))
    #expect(sent.status == 303)
    let address = try #require(sent.headers[.location])
    #expect(address.hasPrefix("/watches?q=") && address.hasSuffix("#form"))
    #expect(try await home.database.fetchWatches(Self.reader).isEmpty)
  }

  @Test("a watch is changed, paused, resumed and removed by forms")
  func changes() async throws {
    let home = try await Self.home()
    _ = try await home.send(
      "/watches",
      Self.encoded([("q", "coffee"), ("kind", "near-best"), ("amount", "5%"), ("time", "30")]))
    func watch() async throws -> Watch? {
      try await home.database.fetchWatches(Self.reader).first
    }
    #expect(try await watch()?.rule.text == "near-best 5% 30d")
    let form = try await home.show("/watches?watch=1").text
    for field in [
      #"name="watch" value="1""#, #"name="amount" value="5%""#, #"name="time" value="30d""#,
      #"<option value="near-best" selected>"#, ">Save<",
    ] {
      #expect(form.contains(field), "\(field)")
    }
    let changed = try await home.send(
      "/watches",
      Self.encoded([
        ("watch", "1"), ("q", "tea"), ("kind", "up"), ("repeat", "daily"), ("name", "Tea"),
      ]))
    #expect(changed.headers[.location] == "/watches?done=changed#watch-1")
    let tea = try #require(try await watch())
    #expect(tea.selection == "tea" && tea.rule == .up(by: nil) && tea.repeats == .daily)
    _ = try await home.send("/watches/1/pause", "paused=1")
    #expect(try await watch()?.pausedAt != nil)
    #expect(try await home.show("/watches").text.contains(#"<span class="failed">paused</span>"#))
    _ = try await home.send("/watches/1/pause", "paused=0")
    #expect(try await watch()?.pausedAt == nil)
    #expect(
      try await home.send("/watches/1/remove", "").headers[.location] == "/watches?done=removed")
    #expect(try await watch() == nil)
    for path in ["/watches/1/remove", "/watches/1/pause", "/watches/x/remove"] {
      #expect(try await home.send(path, "paused=1").status == 404, "\(path)")
    }
    #expect(try await home.send("/watches", "watch=1&q=tea").status == 404)
  }

  @Test("a form of another site adds no watch, and nobody sees the watches of others")
  func isOwn() async throws {
    let now = Date()
    let home = try await Self.home()
    for origin in ["http://evil.example", nil] {
      #expect(try await home.send("/watches", "q=tea", origin: origin).status == 403)
    }
    let cookies = [
      try await home.cookie(ofNew: "Max", .viewer, at: now),
      try await home.cookie(ofNew: "Vera", .viewer, at: now),
    ]
    let client = try home.client(home.server())
    #expect(try await client.by(cookies[0]).form("/watches", "q=coffee").status == 303)
    #expect(try await client.by(cookies[0]).page("/watches").text.contains("1 watch<"))
    #expect(try await client.by(cookies[1]).page("/watches").text.contains("0 watches"))
    #expect(try await client.by(cookies[1]).form("/watches/1/remove").status == 404)
    try await Self.tell(home)
    #expect(try await client.by(cookies[0]).page("/notices").text.contains("Iced Coffee"))
    #expect(try await !client.by(cookies[1]).page("/notices").text.contains("Iced Coffee"))
  }

  @Test("notices are shown with their offers and deliveries, and count until they were seen")
  func notices() async throws {
    let home = try await Self.home()
    #expect(try await home.show("/notices").text.contains("You were told nothing yet"))
    _ = try await home.send("/watches", "q=coffee")
    _ = try await home.database.addChannel(
      named: "my desk",
      settings: #"{"kind":"command","words":["true"],"options":{},"private":false}"#,
      quietHours: try QuietHours(parsing: "22-7"))
    try await Self.tell(home)
    let client = try home.client()
    func count() async throws -> (count: Int, latest: Int) {
      let news = try #require(try await client.get("news").object["notices"] as? [String: Any])
      return (try #require(news["count"] as? Int), try #require(news["latest"] as? Int))
    }
    let (new, latest) = try await count()
    #expect(new == 1)
    let page = try await client.get("/notices").text
    for text in [
      #"data-latest="\#(latest)""#, #"href="/offers/ibotta:4""#, "is a new match: $4.00",
      "my desk: waiting", "22:00-7:00", "1 notice waiting", "offers channel add ntfy",
    ] {
      #expect(page.contains(text), "\(text)")
    }
    #expect(!page.contains("You have no channel"))
    for wrong in ["\(latest + 1)", "-1", "true"] {
      let refused = try await client.write(.put, "notices/seen", #"{"latest":\#(wrong)}"#)
      #expect(refused.status == 400, "\(wrong)")
    }
    #expect(
      try await client.write(.put, "notices/seen", #"{"latest":\#(latest)}"#).status == 200)
    #expect(try await count().count == 0)
    #expect(try await client.get("/watches").text.count(of: "nothing in the last 30 days") == 0)
    // What is seen of notices is nothing seen of changes.
    #expect(try await client.get("news").object["count"] as? Int == 1)
  }

  @Test("a channel that is paused says why, and a lost delivery is marked")
  func pausedChannel() async throws {
    let home = try await Self.home()
    let now = Date()
    _ = try await home.send("/watches", "q=coffee")
    let channel = try await home.database.addChannel(
      named: "my desk",
      settings: #"{"kind":"command","words":["true"],"options":{},"private":false}"#,
      quietHours: nil)
    try await Self.tell(home)
    let message = try #require(try await home.database.claimMessage(of: channel.id, at: now))
    try await home.database.finish(message, .ended(reason: "The token is <revoked>."), at: now)
    let page = try await home.show("/notices").text
    #expect(page.contains("The token is &lt;revoked&gt;."))
    #expect(page.contains("offers channel edit &#39;my desk&#39;") || page.contains("'my desk'"))
    #expect(page.contains(#"<span class="failed">paused</span>"#))
  }

  @Test(
    "a list with words or filters, and a search in vain, lead to a watch of the same selection",
    arguments: [
      ("/?q=coffee&minimum=2", "coffee reward:>=2"), ("/feeds/ibotta?q=tea", "tea feed:ibotta"),
      ("/favorites?q=tea", "tea is:favorite"), ("/search?q=coffee%20sort:reward", "coffee"),
      ("/search?q=durian", "durian"),
    ])
  func links(path: String, selection: String) async throws {
    let home = try await Self.home()
    try await home.database.setFavorites(named: ["2"], to: true)
    let link = PageLinks.path("/watches", [("q", selection)]) + "#form"
    let page = try await home.show(path).text
    #expect(page.count(of: #"href="\#(link)""#) == 1)
    #expect(page.contains("Watch this search") == path.contains("durian"))
  }

  @Test(
    "a list without words and filters, or of a mistake, has no watch",
    arguments: ["/", "/favorites", "/feeds/ibotta", "/search", "/search?q=reward:2"])
  func noLinks(path: String) async throws {
    let home = try await Self.home()
    #expect(try await !home.show(path).text.contains("/watches?"))
  }

  @Test("the favorites have the sum of their values in their head")
  func total() async throws {
    let home = try await Self.home()
    #expect(try await !home.show("/favorites").text.contains("data-total"))
    try await home.database.setFavorites(named: ["1", "2"], to: true)
    #expect(
      try await home.show("/favorites").text.contains(
        #"<p class="quiet" data-total>$6.00 in rewards</p>"#))
    #expect(try await home.show("/favorites?q=tea").text.contains("data-total>$3.00 in rewards"))
    #expect(try await !home.show("/").text.contains("data-total"))
  }

  @Test("the chart of an offer has the bounds of the user's watches that select it")
  func bounds() async throws {
    let home = try await Self.home()
    try await home.sync("ibotta", Self.document([("1", "Alpha Coffee", "$4.00")]))
    for form in [
      "q=coffee%20reward:%3E%3D5", "q=coffee&kind=at-most&amount=3.50", "q=tea%20reward:%3E%3D2",
    ] {
      _ = try await home.send("/watches", form)
    }
    _ = try await home.send("/watches", "q=alpha%20reward:%3E%3D9")
    _ = try await home.send("/watches/4/pause", "paused=1")
    let page = try await home.show("/offers/ibotta:1").text
    #expect(page.count(of: "<line ") == 2)
    #expect(page.contains(">at least $5.00</text>") && page.contains(">at most $3.50</text>"))
    #expect(page.contains("watched: at least $5.00"))
    // The bound is the top of the chart.
    #expect(page.contains(#"<span class="chart-high"><bdi>$5.00</bdi></span>"#))
  }
}
