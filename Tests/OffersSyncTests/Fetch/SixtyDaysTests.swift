import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

@Suite("Sixty days of cron")
struct SixtyDaysTests {
  private static let feedCount = 20
  private static let start: TimeInterval = 1_767_225_600

  /// The simulated feeds by name, and the time.
  private final class World: Sendable {
    let feeds: Mutex<[String: SimulatedFeed]>
    let clock = Mutex(start)
    let chance: Mutex<SeededGenerator>

    init(seed: UInt64) {
      let all = (1...feedCount).map { SimulatedFeed($0, seed: seed) }
      feeds = Mutex(Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) }))
      chance = Mutex(SeededGenerator(seed: seed))
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
    "a job every two hours is polite to twenty unreliable servers and loses no favorite")
  func staysPolite() async throws {
    let world = World(seed: 1)
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
    for tick in 0..<(60 * 12) {
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
        if favorites.count < 200, let id = ids.randomElement() {
          favorites.insert("\(name):\(id)")
          _ = try await home.database.setFavorites(named: ["\(name):\(id)"], to: true)
        }
      }
      world.clock.withLock { $0 += SimulatedFeed.tickSeconds + Double(tick % 7) - 3 }
    }
    let feeds = world.feeds.withLock { $0 }
    #expect(feeds.values.flatMap(\.complaints) == [])
    #expect(feeds.values.allSatisfy { $0.requestCount >= 25 })
    let kept = try await home.database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(Set(kept.map(\.ref.description)) == favorites)
  }
}
