import Foundation
import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@testable import OffersSync

/// A feed that shows the newest entries of a list, synced day by day.
private struct NewsFeed {
  let home: SyncedFolder
  var isWindow = true
  var isDated = false

  init() async throws { home = try await SyncedFolder() }

  @discardableResult
  func sync(_ ids: some Sequence<Int>, day: Double) async throws -> SyncRun {
    let entries = ids.map {
      let date = isDated ? #","at":\#(1_767_225_600 + $0 * 86_400)"# : ""
      return #"{"id":"\#($0)","name":"Deal \#($0)","link":"https://shop.example/\#($0)"\#(date)}"#
    }
    let path = try home.folder.write("[\(entries.joined(separator: ","))]", to: "feed.json")
    let yaml = """
      feeds:
        deals:
          source: "\(path)"
          window: \(isWindow)
          items: ""
          id: id
          fields: {name: name, link: link}
          attributes: {Published: {from: at, as: date}}
      """
    let engine = SyncEngine(
      store: home.database, configuration: try .init(yaml: yaml, name: "feeds.yaml"),
      now: { Date(timeIntervalSince1970: 1_767_225_600 + day * 86_400) })
    return try await engine.run("deals")
  }

  /// The ids of the offers in a state, in order.
  func ids(_ state: String) async throws -> [Int] {
    let query = OfferQuery(goneOnly: state == "gone")
    return try await home.database.fetchOffers(query).filter { $0.offer.state == state }
      .compactMap { Int($0.ref.offerID) }.sorted()
  }

  func kinds() async throws -> [OfferChange.Kind] {
    try await home.database.fetchChanges(ChangeQuery(now: Date())).changes.map(\.kind)
  }
}

@Suite("A window on a longer list")
struct WindowTests {
  @Test("an entry that slides out is older, without news, even if all do, or if it comes back")
  func slides() async throws {
    let feed = try await NewsFeed()
    try await feed.sync((1...5).reversed(), day: 0)
    _ = try await feed.home.database.setFavorites(named: ["deals:1"], to: true)
    // All at the same time, too.
    for day in [1.0, 1.0, 2.0] {
      let top = try await feed.ids("current").max() ?? 0
      let run = try await feed.sync((top - 1...top + 3).reversed(), day: day)
      #expect(run.counts.all == [3, 0, 0, 0, 2, 0] && run.held == nil)
    }
    #expect(try await feed.ids("older") == Array(1...9))
    let run = try await feed.sync([24, 23, 22, 21, 20], day: 3)
    #expect(run.counts.all == [5, 0, 0, 0, 0, 0] && run.held == nil)
    #expect(try await Set(feed.kinds()) == [.new, .first])
    // The entry 20 was deleted.
    #expect(
      try await feed.sync([24, 23, 22, 21, 14], day: 4).counts.all == [0, 0, 1, 0, 5, 0])
    #expect(try await feed.ids("current") == [14, 21, 22, 23, 24])
    #expect(try await feed.home.database.fetchOffer(named: "deals:1").isFavorite)
    #expect(try await feed.home.feed().currentCount == 18)
  }

  @Test("an entry that is missing before the last one is gone, and so are those of a shorter list")
  func removes() async throws {
    let feed = try await NewsFeed()
    try await feed.sync((1...10).reversed(), day: 0)
    let run = try await feed.sync([12, 11, 10, 9, 8, 6, 5, 4, 3, 2], day: 1)
    #expect(run.counts.all == [2, 0, 1, 0, 8, 0])
    #expect(try await feed.ids("older") == [1])
    #expect(try await feed.sync([12, 11, 10, 9, 8, 6], day: 2).counts.gone == 4)
    #expect(try await feed.ids("older") == [1])
    // A document that would remove many is held back.
    try await feed.sync((20...60).reversed(), day: 9)
    let held = try await feed.sync([60, 59], day: 10)
    #expect(held.held?.missingCount == 39 && held.counts.gone == 6)
    #expect(try await feed.ids("older") == [1])
  }

  @Test("an entry that was first seen late is ordered by its day of publication")
  func knowsTheDay() async throws {
    var feed = try await NewsFeed()
    feed.isDated = true
    try await feed.sync([9, 8, 7, 6], day: 0)
    // The entry 5 takes the place of 7, which was deleted, and slides out later.
    #expect(try await feed.sync([9, 8, 6, 5], day: 1).counts.gone == 1)
    #expect(try await feed.sync([10, 9, 8, 6], day: 2).counts.gone == 0)
    #expect(try await feed.ids("older") == [5])
  }

  @Test("a repeated entry counts once")
  func repeats() async throws {
    let feed = try await NewsFeed()
    try await feed.sync([3, 3, 2, 1], day: 0)
    #expect(try await feed.sync([4, 3, 3, 2], day: 1).counts.gone == 0)
    #expect(try await feed.ids("older") == [1])
    #expect(try await feed.sync([5, 5, 4, 3], day: 2).counts.gone == 0)
    #expect(try await feed.ids("older") == [1, 2])
  }

  @Test("an old copy of the document removes nothing at once")
  func isOutdated() async throws {
    var feed = try await NewsFeed()
    feed.isDated = true
    try await feed.sync([8, 7, 6, 5, 4], day: 0)
    let run = try await feed.sync([5, 4, 3, 2, 1], day: 1)
    #expect(run.counts.gone == 0 && run.held?.missingCount == 3)
    let next = try await feed.sync([9, 8, 7, 6, 5], day: 1.1)
    #expect(next.counts.gone == 0 && next.held == nil)
    #expect(try await feed.ids("current") == [5, 6, 7, 8, 9])
    #expect(try await feed.ids("older") == [1, 2, 3, 4])
    // Nothing but older entries.
    #expect(try await feed.sync([4, 3, 2, 1], day: 1.2).counts.gone == 0)
  }

  @Test(
    "the newest entry is gone once it is missing for a while; below one on top others go at once")
  func losesTheNewest() async throws {
    var feed = try await NewsFeed()
    feed.isDated = true
    try await feed.sync([6, 5, 4, 3], day: 0)
    let run = try await feed.sync([5, 4, 3, 2], day: 1)
    #expect(run.counts.gone == 0 && run.held?.missingCount == 1)
    #expect(try await feed.sync([5, 4, 3, 2], day: 2).counts.gone == 1)
    #expect(try await feed.ids("gone") == [6])
    try await feed.sync([1, 9, 8, 7], day: 3)
    #expect(try await feed.sync([1, 9, 7, 5], day: 4).counts.gone == 1)
    #expect(try await feed.ids("gone") == [6, 8])
  }

  @Test("a whole list loses what its document lacks, and older ones, too, once it is no window")
  func isSwitched() async throws {
    var feed = try await NewsFeed()
    try await feed.sync([5, 4, 3, 2, 1], day: 0)
    try await feed.sync([6, 5, 4, 3, 2], day: 1)
    feed.isWindow = false
    #expect(try await feed.sync([7, 6, 5, 4, 3], day: 2).counts.gone == 2)
    #expect(try await feed.ids("older") == [])
    #expect(try await feed.ids("gone") == [1, 2])
  }

  @Test("older offers are removed after 30 days, except for favorites")
  func ends() async throws {
    let feed = try await NewsFeed()
    let database = feed.home.database
    try await feed.sync([2, 1], day: 0)
    _ = try await database.setFavorites(named: ["deals:1"], to: true)
    try await feed.sync([4, 3], day: 1)
    // Ages count from the clock once two runs on other days agree with it.
    for day in [28.0, 30.0, 31.5] {
      try await feed.sync([4, 3], day: day)
      try await database.clearAway(at: Date(timeIntervalSince1970: 1_767_225_600 + day * 86_400))
      #expect(try await feed.ids("older") == (day < 31 ? [1, 2] : [1]))
    }
    #expect(try await feed.home.feed().currentCount == 3)
    #expect(try await Set(feed.kinds()) == [.new, .first])
  }

  @Test("random windows agree with a model", arguments: 1...20)
  func agrees(number: Int) async throws {
    var random = SeededGenerator(number: number)
    var feed = try await NewsFeed()
    feed.isDated = true
    let count = Int.random(in: 2...12, using: &random)
    var list = Array((1...count).reversed())
    var shown = list
    var (older, gone) = (Set<Int>(), Set<Int>())
    try await feed.sync(shown, day: 0)
    for step in 1...25 {
      let top = list.max() ?? 0
      for id in top + 1..<top + 1 + Int.random(in: 0...4, using: &random) { list.insert(id, at: 0) }
      if Bool.random(using: &random), list.count > count {
        // Not the newest, without which a document may be an old copy.
        list.remove(at: .random(in: 1..<list.count, using: &random))
      }
      let next = Array(list.prefix(count))
      let last = next.last { shown.contains($0) || older.contains($0) || gone.contains($0) } ?? .max
      for id in shown where !next.contains(id) {
        if id < last { older.insert(id) } else { gone.insert(id) }
      }
      shown = next
      older.subtract(shown)
      gone.subtract(shown)
      try await feed.sync(shown, day: Double(step))
      #expect(try await Set(feed.ids("current")) == Set(shown))
      #expect(try await Set(feed.ids("older")) == older)
      #expect(try await Set(feed.ids("gone")) == gone)
    }
  }
}
