import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

/// By default ten days of six feeds, one of each kind of server; in a long run sixty days of twenty.
@Suite("Sixty days of cron")
struct SixtyDaysTests {
  private static let feedCount = TestSize.isLong ? 20 : 6
  private static let dayCount = TestSize.isLong ? 60 : 10
  private static let start: TimeInterval = 1_767_225_600

  /// The simulated feeds by name, and the time.
  private final class World: Sendable {
    let feeds: Mutex<[String: SimulatedFeed]>
    let clock = Mutex(start)
    let chance: Mutex<SeededGenerator>

    init() {
      let all = (1...feedCount).map { SimulatedFeed($0) }
      feeds = Mutex(Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) }))
      chance = Mutex(SeededGenerator(number: 1))
    }

    var now: TimeInterval { clock.withLock { $0 } }

    func with<Result: Sendable>(
      _ name: String, _ body: @Sendable (inout SimulatedFeed) -> Result?
    ) -> Result? {
      feeds.withLock { feeds in
        guard var feed = feeds[name] else { return nil }
        defer { feeds[name] = feed }
        return body(&feed)
      }
    }
  }

  private static func configuration(_ world: World) throws -> FeedConfiguration {
    let feeds = world.feeds.withLock { $0.values.sorted { $0.name < $1.name } }
    let entries = feeds.map { feed in
      """
        \(feed.name):
          source: https://\(feed.name).example/offers.json
          every: \(Int(feed.everySeconds / 3600))h
          items: ""
          id: id
          fields: {name: name, reward: current_value}
      """
    }
    return try FeedConfiguration(
      yaml: "feeds:\n" + entries.joined(separator: "\n"), name: "feeds.yaml")
  }

  @Test(
    "a job every two hours is polite to unreliable servers and loses no favorite")
  func staysPolite() async throws {
    let world = World()
    let home = try await SyncedFolder()
    let web = SimulatedWeb { request in
      let name = request.url.absoluteString.split(separator: "/")[1].split(separator: ".")[0]
      return world.with(String(name)) { $0.answer(request, at: world.now) }
    }
    let engine = SyncEngine(
      store: home.database, configuration: try Self.configuration(world),
      now: { Date(timeIntervalSince1970: world.now) },
      jitter: { world.chance.withLock { .random(in: 0.8...1.2, using: &$0) } }, transport: web)
    var favorites: Set<String> = []
    let names = world.feeds.withLock { $0.keys.sorted() }
    for tick in 0..<(Self.dayCount * 12) {
      for name in names {
        _ = world.with(name) { $0.begin() as Void? }
        let run = try await engine.run(name, options: SyncOptions(reason: .due))
        if run.outcome == .skipped { continue }
        let known = world.with(name) { feed in
          feed.end(run.error == nil, at: world.now)
          return feed.known
        }
        let ids = try await home.database.fetchOffers(OfferQuery(feed: name)).compactMap {
          Int($0.ref.offerID)
        }
        #expect(Set(ids) == known, "\(name) at tick \(tick)")
        let picked = world.chance.withLock { ids.randomElement(using: &$0) }
        if favorites.count < 200, let id = picked {
          favorites.insert("\(name):\(id)")
          _ = try await home.database.setFavorites(named: ["\(name):\(id)"], to: true)
        }
      }
      world.clock.withLock { $0 += SimulatedFeed.tickSeconds + Double(tick % 7) - 3 }
    }
    let feeds = world.feeds.withLock { $0 }
    #expect(feeds.values.flatMap(\.complaints) == [])
    #expect(feeds.values.allSatisfy { $0.requestCount >= Self.dayCount * 5 / 12 })
    let kept = try await home.database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(Set(kept.map(\.ref.description)) == favorites)
  }
}
