import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("The question for a currency")
struct MissingCurrencyTests {
  private static let question =
    "The amounts of shop have no currency. Which one is it? Set it: offers feeds set shop --currency USD"

  private static func home(_ items: String, currency: String = "") throws -> Home {
    let home = try Home()
    let feed = try home.folder.write(items, to: "shop.json")
    try home.folder.write(
      "feeds:\n  shop:\n    source: \"\(feed)\"\n    id: id\n\(currency)"
        + "    fields: {name: name, price: price}\n", to: ".config/offers/feeds.yaml")
    return home
  }

  private static let priced =
    #"[{"id":1,"name":"Tea","price":"4.50"},{"id":2,"name":"Jam","price":"9.90"}]"#

  @Test("is asked in one line by the sync that first finds amounts without one")
  func asks() async throws {
    let home = try Self.home(#"[{"id":9,"name":"Oil"}]"#)
    #expect(!(try await home.call("sync", "shop")).errors.contains("currency"))
    try home.folder.write(
      Self.priced.dropLast() + #",{"id":9,"name":"Oil"}]"#, to: "shop.json")
    let asked = try await home.expect("sync", "shop")
    #expect(asked.errors == Self.question + "\n")
  }

  @Test("is not asked again by a later sync with new offers")
  func asksOnce() async throws {
    let home = try Self.home(Self.priced)
    #expect(try await home.call("sync", "shop").errors == Self.question + "\n")
    let store = try await home.store.open()
    let offer = try #require(try await store.fetchOffers(OfferQuery(feed: "shop", limit: 1)).first)
    for (seconds, isAsked) in [(-5.0, true), (5.0, false)] {
      var counts = SyncCounts()
      counts.new = 1
      let run = SyncRun(
        feed: "shop", source: "x", outcome: .updated, counts: counts, bytes: 1,
        startedAt: offer.firstSeenAt + seconds, durationSeconds: 0)
      #expect(try await CurrencyQuestion.isNew(in: run, store) == isAsked)
    }
  }

  @Test("is not asked where the feed or an amount says it, and not when nobody reads the answer")
  func isSilent() async throws {
    let known = try Self.home(Self.priced, currency: "    currency: EUR\n")
    #expect(try await known.call("sync", "shop").errors == "")
    let printed = try Self.home(#"[{"id":1,"name":"Tea","price":"4.50 EUR"}]"#)
    #expect(try await printed.call("sync", "shop").errors == "")
    for option in ["--quiet", "--json", "--news", "--dry-run"] {
      let home = try Self.home(Self.priced)
      #expect(try await home.call("sync", "shop", option).errors == "", "\(option)")
    }
  }
}
