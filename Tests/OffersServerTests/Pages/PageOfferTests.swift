import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("Page of an offer")
struct PageOfferTests {
  @Test("the heading is the reward or else the name, and all other fields follow")
  func shows() async throws {
    let home = try await ServedHome(feeds: ["ibotta", "albums"])
    let page = try await home.show("/offers/ibotta:900113")
    #expect(
      page.text.contains(
        #"<h1 dir="auto" class="is-amount"><span class="amount">$3.50</span> <span class="rest">Cash Back</span>"#
      ))
    // Where an offer comes from stands apart from what its feed says of it.
    let about = try #require(page.text.between(#"<details class="about"#, "</details>"))
    for text in ["About this offer", "Ibotta offers", "ibotta:900113", "First seen"] {
      #expect(about.contains(text), "\(text)")
    }
    #expect(page.text.contains("Café Lumière® Ground Coffee"))
    #expect(page.text.contains("Does not combine with"))
    #expect(!page.text.contains("open-bar"))
    let album = try await home.show("/offers/albums:8800001200")
    #expect(album.text.contains(#"<h1 dir="auto">Harbour Lights &amp; Other Songs</h1>"#))
    // The artist stands below the heading, and not among the facts again.
    #expect(album.text.contains(#"class="byline" dir="auto">Marlow Finch</p>"#))
    #expect(!album.text.contains(#"<dt dir="auto">Artist</dt>"#))
    #expect(
      album.text.contains(#"<div class="open-bar"><a class="button primary open" href="https://"#))
    #expect(
      album.text.contains(
        #"rel="noopener noreferrer"><span>Open music.example.com</span></a>"#))
  }

  @Test("an id may be any text, and an unknown id gets an error page")
  func findsAnyID() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", #"[{"id":"a/b?c=é %2F..","name":"Odd","current_value":"$1"}]"#)
    let list = try await home.show("/").text
    let path = try #require(list.between(#"card-link" href=""#, "\""))
    #expect(path == "/offers/ibotta:a%2Fb%3Fc%3D%C3%A9%20%252F..")
    #expect(try await home.show(path).text.contains("Odd"))
    for unknown in ["/offers/ibotta:none", "/offers/900113", "/offers/:1", "/offers/x:"] {
      let page = try await home.show(unknown)
      #expect(page.status == 404, "\(unknown)")
      #expect(page.text.contains("<h1>Not found</h1>"), "\(unknown)")
    }
  }

  @Test("the reward history is shown once the offer has changed")
  func drawsHistory() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$1.00 Cash Back"}]"#)
    #expect(!(try await home.show("/offers/ibotta:1").text.contains("Reward history")))
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$2.50 Cash Back"}]"#)
    let page = try await home.show("/offers/ibotta:1").text
    #expect(page.contains("Reward history"))
    #expect(page.count(of: "<tr><td>") == 2)
  }

  @Test(
    "a reward that goes to and fro is one row with its way, in the history and among the changes")
  func joinsMoves() async throws {
    let home = try await ServedHome(feeds: [])
    for amount in ["1.00", "2.50", "1.00", "2.50"] {
      try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$\#(amount) off"}]"#)
    }
    let page = try await home.show("/offers/ibotta:1").text
    #expect(page.count(of: "<tr><td>") == 2)
    #expect(page.contains("$1.00 off → $2.50 off → $1.00 off → $2.50 off"))
    let changes = try await home.show("/changes").text
    #expect(changes.count(of: #"<li class="card" data-ref="ibotta:1""#) == 1)
    #expect(
      changes.contains(
        "<del><bdi>$1.00 off → $2.50 off → $1.00 off</bdi></del> <ins><bdi>$2.50 off</bdi></ins>"))
    #expect(changes.contains(#"<span class="delta delta-up">+$1.50</span>"#))
    #expect(changes.contains(#"<span class="kind kind-up">Up</span> <span class="count">1<"#))
    #expect(!changes.contains("kind-down"))
    // Another value ends the way.
    try await home.sync("ibotta", #"[{"id":"1","name":"Tea","current_value":"$9.00 off"}]"#)
    #expect(try await home.show("/offers/ibotta:1").text.count(of: "<tr><td>") == 3)
  }

  @Test("the history of an offer and the changes have what a text was before")
  func showsTexts() async throws {
    let home = try await ServedHome(feeds: [])
    for name in ["Tea", "<Teas>"] {
      try await home.sync("ibotta", #"[{"id":"1","name":"\#(name)","terms":"All."}]"#)
    }
    let text = "name: <del><bdi>Tea</bdi></del> <ins><bdi>&lt;Teas&gt;</bdi></ins>"
    for path in ["/offers/ibotta:1", "/changes"] {
      #expect(try await home.show(path).text.contains(text), "\(path)")
    }
  }

  @Test("the chart is a step function of the reward, with a gap while the offer is gone")
  func drawsSteps() throws {
    func point(_ day: Double, _ event: OfferChange.Kind, _ units: Int64?) -> RewardPoint {
      RewardPoint(
        at: Date(timeIntervalSince1970: day * 86_400), event: event,
        reward: units.map {
          Reward(text: "$\($0)", value: .amount(minorUnits: $0, currency: "USD"))
        })
    }
    let points = [
      point(0, .new, 100), point(2, .changed, 300), point(4, .gone, 300), point(6, .back, 200),
    ]
    let chart = try #require(
      HistoryChart(points, .reward, until: Date(timeIntervalSince1970: 8 * 86_400)))
    let fields = try #require(chart.fields.child(named: "chart") as? PageFields)
    #expect(
      fields.child(named: "line") as? String
        == "M0.0 112.0H150.0V8.0H300.0M450.0 60.0H600.0")
    #expect(fields.child(named: "highest") as? String == "$300")
    #expect(fields.child(named: "lowest") as? String == "$100")
    #expect(HistoryChart([points[0]], .reward, until: .now) == nil)
    let words = HistoryChart([point(0, .new, nil), point(1, .changed, nil)], .reward, until: .now)
    #expect(words?.fields.child(named: "chart") == nil)
    #expect(words != nil)
  }

  @Test(
    "only absolute http and https URLs become links",
    arguments: [
      ("https://example.com/a?b=c", true), ("HTTP://example.com", true),
      (" https://x.example ", true),
      ("javascript:alert(1)", false), ("JaVaScRiPt:alert(1)", false), ("data:text/html,x", false),
      ("//example.com", false), ("/path", false), ("https:example.com", false), ("https://", false),
      ("https:///x", false), ("https://exa\nmple.com", false), ("https://example.com\\@x", false),
      ("ftp://example.com", false), ("", false), ("java\tscript:x", false),
    ])
  func refusesLinks(text: String, isGood: Bool) {
    #expect((PageLinks.outside(text) != nil) == isGood)
  }

  @Test(
    "the address of a link is encoded once",
    arguments: [
      ("https://x.example/käse/gouda mild", "https://x.example/k%C3%A4se/gouda%20mild"),
      ("https://x.example/k%C3%A4se|1", "https://x.example/k%C3%A4se%7C1"),
      ("https://x.example/100%/a?b=1#c", "https://x.example/100%25/a?b=1#c"),
    ])
  func encodesLinks(text: String, address: String) {
    #expect(PageLinks.outside(text) == address)
    #expect(PageLinks.outside(address) == address)
  }

  @Test("a host is displayed with its port, and without user name and www")
  func namesHosts() {
    #expect(PageLinks.host("https://www.example.com:8080/a") == "example.com:8080")
    #expect(PageLinks.host("http://user:pass@x.example?q#f") == "x.example")
    #expect(PageLinks.host("https://evil.example/\u{301}@bank.example") == "evil.example")
  }
}
