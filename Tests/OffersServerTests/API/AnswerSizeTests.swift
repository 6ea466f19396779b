import Foundation
import OffersCore
import OffersStore
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The size of answers")
struct AnswerSizeTests {
  /// So many offers have 12 MB.
  private static let count = 30
  private static let largest = 8 << 20

  /// A home whose offers have descriptions and terms of 200 KiB, signs that HTML and JSON escape
  /// among them.
  private static func home() async throws -> ServedHome {
    try await ServedHome(copyOf: "long texts", prepare: fill)
  }

  private static func fill(_ database: OffersDatabase) async throws {
    let folder = try TemporaryFolder()
    let sentence = "tea & what people have with it on a long afternoon at home, "
    let long = String(repeating: sentence, count: (200 << 10) / sentence.utf8.count)
    let records = (1...count).map {
      """
      {"id":"\($0)","name":"Tea \($0)","description":"\(long)","terms":"\(long)",
       "current_value":"$\($0).00 Cash Back"}
      """
    }
    // The first sync is one change; all offers but one are new in the second.
    for records in [Array(records.prefix(1)), records] {
      let file = try folder.write("[\(records.joined(separator: ","))]", to: "feed.json")
      _ = try await SyncEngine(store: database).sync(
        "ibotta", options: SyncOptions(source: .file(file)))
    }
  }

  private struct Records: ExportRecordSource {
    let records: [ExportRecord]

    func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
      for record in records { try body(record) }
    }
  }

  /// Puts records of a feed, which one sync saw, into a home.
  private static func take(_ records: [ExportRecord], into home: ServedHome) async throws {
    var feed = ExportedFeed()
    feed.name = "ibotta"
    feed.source = "sample"
    var run = ExportedRun()
    run.feed = feed.name
    run.source = feed.source
    run.startedAt = 1000
    run.counts = ExportedRun.countNames.map { _ in 0 }
    _ = try await home.database.importRecords(
      from: Records(records: [.feed(feed), .run(run)] + records), feeds: [feed.name])
  }

  @Test(
    "pages of the list end at their size, and together have each offer once",
    arguments: OfferQuery.Sort.allCases)
  func list(sort: OfferQuery.Sort) async throws {
    let home = try await Self.home()
    let client = try home.client()
    for reverse in ["", "&reverse=true"] {
      var ids: [String] = []
      for page in try await client.pages("offers?sort=\(sort.rawValue)&limit=50\(reverse)") {
        #expect(page.text.utf8.count < Self.largest)
        let offers = try page.objects("offers")
        // Each of them whole.
        #expect(offers.allSatisfy { ($0["terms"] as? String)?.utf8.count ?? 0 > 200_000 })
        #expect(!offers.isEmpty)
        ids += offers.compactMap { $0["id"] as? String }
      }
      #expect(ids.count == Self.count)
      #expect(Set(ids).count == Self.count)
    }
  }

  @Test("a search has all it found, the later offers cut and told to be")
  func search() async throws {
    let home = try await Self.home()
    let client = try home.client()
    let answer = try await client.get("search?q=tea&limit=\(Self.count)")
    #expect(answer.text.utf8.count < Self.largest)
    let offers = try answer.objects("offers")
    #expect(offers.count == Self.count)
    let cut = offers.filter { $0["abridged"] as? Bool == true }
    #expect(!cut.isEmpty && cut.count < Self.count)
    for offer in cut {
      let terms = try #require(offer["terms"] as? String)
      #expect(terms.utf8.count <= 2048 && terms.hasSuffix("…"))
      let matches = try #require(offer["matches"] as? [[String: Any]])
      #expect(matches.map { $0["field"] as? String } == ["name"])
    }
  }

  @Test("changes and favorites carry no more of an offer than they print")
  func changes() async throws {
    let home = try await Self.home()
    _ = try await home.database.setFavorites(named: (1...Self.count).map { "\($0)" }, to: true)
    let client = try home.client()
    for path in ["changes?limit=500", "favorites"] {
      let answer = try await client.get(path)
      #expect(answer.status == 200)
      #expect(answer.text.utf8.count < 65_536)
    }
  }

  @Test(
    "pages for people show the first of long texts",
    arguments: ["/", "/feeds/ibotta", "/favorites", "/changes", "/search?q=tea"])
  func pages(path: String) async throws {
    let home = try await Self.home()
    _ = try await home.database.setFavorites(named: (1...Self.count).map { "\($0)" }, to: true)
    let client = try home.client()
    let page = try await client.get(path)
    #expect(page.status == 200)
    #expect(page.text.contains("Tea"))
    #expect(page.text.utf8.count < 1 << 20, "\(page.text.utf8.count)")
  }

  @Test("a long history comes in pages, the latest first, and none of its points is lost")
  func history() async throws {
    let home = try await ServedHome(feeds: [])
    // Two thousand changes of a reward, each nearly as long as one may be.
    let text = String(repeating: "x", count: 4000)
    var offer = ExportedOffer()
    offer.ref = OfferRef(feed: "ibotta", offerID: "1")
    offer.name = "Tea"
    var change = ExportedChange()
    change.ref = offer.ref
    change.run = 1
    var records: [ExportRecord] = [.change(change)]
    change.kind = .changed
    let reward = "{\"text\":\"\(text)\",\"up_to\":false}"
    change.fields = "{\"reward\":{\"from\":\(reward),\"to\":\(reward)}}"
    records += Array(repeating: .change(change), count: 2000)
    try await Self.take([.offer(offer)] + records, into: home)
    let client = try home.client()
    var events: [String] = []
    for page in try await client.pages("offers/1/history") {
      #expect(page.text.utf8.count < Self.largest)
      events = try page.objects("points").compactMap { $0["event"] as? String } + events
    }
    #expect(events.count == 2001)
    #expect(events.first == "new")
    #expect(events.dropFirst().allSatisfy { ["up", "down", "changed"].contains($0) })
    let page = try await client.get("/offers/ibotta:1")
    #expect(page.status == 200)
    #expect(page.text.utf8.count < 1_000_000)
  }

  @Test("what expires comes in pages, too, each offer once")
  func expiring() async throws {
    let home = try await ServedHome(feeds: [])
    let records = (1...25).map { number -> ExportRecord in
      var offer = ExportedOffer()
      offer.ref = OfferRef(feed: "ibotta", offerID: "\(number)")
      offer.name = "Tea"
      // All at once, but for a few.
      offer.expiresAt = Int64(Date().timeIntervalSince1970) + (number < 4 ? 1800 : 3600)
      return .offer(offer)
    }
    try await Self.take(records, into: home)
    let client = try home.client()
    let pages = try await client.pages("changes?kind=expiring&limit=10") {
      $0["has_more"] as? Bool == true
    }
    let changes = try pages.map { try $0.objects("changes") }
    #expect(changes.allSatisfy { $0.count <= 10 })
    let told = changes.joined().compactMap { $0["ref"] as? String }
    #expect(told.count == 25)
    #expect(Set(told).count == 25)
    let last = try #require(try pages.last?.object["next_cursor"] as? String)
    let behind = try await client.get("changes?kind=expiring&cursor=\(last)")
    #expect(try behind.objects("changes").isEmpty)
  }
}
