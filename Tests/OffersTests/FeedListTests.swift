import Foundation
import Offers
import OffersTestSupport
import Testing

@Suite("Known feeds and labels with one import")
struct FeedListTests {
  private static let url = "https://shop.example/teas.json"
  private static let definition = """
    feeds:
      teas:
        title: Teas
        layout: rows
        source: \(url)
        every: 6h
        format: json
        id: id
        fields:
          name: name
          retailer: shop
          categories: kinds[*]
    """
  private static let feed = """
    [{"id":"1","name":"Assam","shop":"Mart","kinds":["Black","Strong"]},
    {"id":"2","name":"Sencha","shop":"Mart","kinds":["Green"]},
    {"id":"3","name":"Ceylon","shop":"Deli","kinds":["Black"]}]
    """

  private let database: OffersDatabase
  private let configuration: FeedConfiguration

  init() async throws {
    database = try await OffersDatabase.inMemory()
    configuration = try FeedConfiguration(yaml: Self.definition, name: "feeds.yaml")
  }

  private func sync(at time: Date) async throws {
    let web = CannedTransport([Self.url: .response(200, [], Self.feed)])
    let run = try await SyncEngine(
      store: database, transport: web, configuration: configuration, now: { time }
    ).sync("teas", options: SyncOptions())
    #expect(run.counts.new == 3)
  }

  @Test("the known feeds have a title, an interval and a layout, and a due time once subscribed")
  func feeds() async throws {
    let names = ["albums", "facts", "ibotta", "movies", "restaurants"]
    #expect(try FeedConfiguration.shipped.knownFeeds().map(\.name) == names)
    #expect(try await FeedConfiguration.shipped.fetchSummaries(in: nil).map(\.name) == names)
    let time = Date(timeIntervalSince1970: 1_750_000_000)
    let before = try await configuration.fetchSummaries(in: database)
    #expect(before.map(\.name) == names + ["teas"])
    let teas = try #require(before.last)
    #expect(teas.title == "Teas" && teas.feed == nil && teas.nextDueAt(now: time) == nil)
    #expect(teas.known?.everySeconds == 6 * 3600 && teas.known?.layout == .rows)
    #expect(teas.known?.source == Self.url)
    try await sync(at: time)
    let after = try #require(try await configuration.fetchSummaries(in: database).last)
    #expect(after.feed?.currentCount == 3)
    let due = try #require(after.nextDueAt(now: time))
    #expect(due > time && due <= time.addingTimeInterval(1.5 * 6 * 3600))
    // A subscribed feed that has no definition any more is listed, and is never due.
    let left = try #require(try await FeedConfiguration.shipped.fetchSummaries(in: database).last)
    #expect(left.name == "teas" && left.known == nil && left.nextDueAt(now: time) == nil)
  }

  @Test("the retailers and categories are those of one feed or of all, the most frequent first")
  func labels() async throws {
    try await sync(at: Date(timeIntervalSince1970: 1_750_000_000))
    for feed in ["teas", nil] {
      #expect(try await database.fetchRetailers(of: feed) == ["Mart", "Deli"])
      #expect(try await database.fetchCategories(of: feed) == ["Black", "Green", "Strong"])
    }
    #expect(try await database.fetchRetailers(of: "ibotta").isEmpty)
    #expect(try await database.fetchCategories(of: "nothing").isEmpty)
  }
}
