import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Addresses of feeds, and their documents")
struct FeedAddressRules {
  private static func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

  @Test("an address is found by its hash, is a user's own, and is read at most once an hour")
  func addresses() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let store = home.store
      try await home.sync([("1", "Coffee", 200)], at: 1000)
      let watch = try await home.watch("coffee")
      let ana = store.bound(to: try await store.addUser(named: "Ana", role: .member))
      let subjects: [FeedAddress.Subject] = [.news, .watch(watch.id), .feed("ibotta")]
      for (byte, subject) in zip(UInt8(1)..., subjects) {
        let added = try await store.addFeedAddress(
          of: subject, hash: Self.hash(byte), now: .at(1600))
        #expect(try await store.findFeedAddress(hash: Self.hash(byte)) == added)
      }
      #expect(try await store.findFeedAddress(hash: Self.hash(9)) == nil)
      #expect(try await store.fetchFeedAddresses().map(\.subject) == subjects)
      #expect(try await ana.fetchFeedAddresses().isEmpty)
      let first = try await store.fetchFeedAddresses()[0]
      #expect(await refusal { try await ana.removeFeedAddress(first.id) }?.code == .notFound)
      for subject in [FeedAddress.Subject.watch(watch.id), .watch(99), .feed("none")] {
        let error = await refusal {
          _ = try await ana.addFeedAddress(of: subject, hash: Self.hash(7))
        }
        #expect(error?.code == .notFound)
      }
      store.noteFeedAddress(first, usedAt: .at(2000))
      try await store.engine.finishLaterWrites()
      let read = try #require(try await store.findFeedAddress(hash: Self.hash(1)))
      #expect(read.lastUsedAt == .at(2000))
      store.noteFeedAddress(read, usedAt: .at(5599))
      try await store.engine.finishLaterWrites()
      #expect(try await store.fetchFeedAddresses()[0].lastUsedAt == .at(2000))
      try await store.removeFeedAddress(first.id)
      #expect(try await store.findFeedAddress(hash: Self.hash(1)) == nil)
    }
  }

  @Test("documents tell of all news, of one watch or of one feed, and keep their identities")
  func documents() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let end = 4_000_000_000
      try await home.sync([("1", "Tea", 100), ("2", "Coffee", 200)], at: 1000, ending: end)
      try await home.store.setFavorites(named: ["1"], to: true)
      let watch = try await home.watch("coffee")
      let other = try await home.watch("jam")
      try await home.sync(
        [("1", "Tea", 150), ("2", "Coffee", 200), ("3", "Iced coffee", 300)], at: 2000, ending: end)
      func text(
        _ format: NoticeFeed.Format, _ subject: FeedAddress.Subject, at seconds: Int = 3000
      ) async throws -> String {
        try await home.store.fetchNoticeFeed(
          format, of: subject, now: .at(seconds), WatchHome.reader)
      }
      let news = try await text(.atom, .news)
      #expect(news.contains("Tea is up: $1.50, was $1.00"))
      #expect(news.contains("Iced coffee is a new match: $3.00"))
      #expect(news.contains("watch \(watch.id): coffee</content>"))
      let own = try await text(.atom, .watch(watch.id))
      #expect(own.contains("Iced coffee") && !own.contains("Tea"))
      #expect(try await !text(.atom, .watch(other.id)).contains("<entry>"))
      let feed = try await text(.jsonfeed, .feed("ibotta"))
      #expect(feed.contains("Iced coffee is new: $3.00") && feed.contains("Tea is up"))
      let identity = try await home.store.fetchIdentity()
      #expect(news.contains("urn:x-offers:\(identity):news-1"))
      #expect(identity.utf8.count == 32)
      let ends = try await text(.ics, .news)
      for id in ["1", "2", "3"] {
        #expect(ends.contains("UID:end-ibotta_58_\(id)@\(identity)\r\n"))
      }
      #expect(try await text(.ics, .news, at: 9000) == ends)
      let watched = try await text(.ics, .watch(watch.id))
      #expect(watched.contains("ibotta_58_3@") && !watched.contains("ibotta_58_1@"))
      #expect(try await text(.ics, .feed("ibotta")).contains("ibotta_58_1@"))
      #expect(await refusal { _ = try await text(.atom, .watch(99)) }?.code == .notFound)
      #expect(await refusal { _ = try await text(.ics, .feed("none")) }?.code == .notFound)
    }
  }
}
