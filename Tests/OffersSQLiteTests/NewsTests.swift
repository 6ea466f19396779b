import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("News for users with favorites")
struct NewsTests {
  private static func lines(_ news: News) -> [String] {
    news.changes.map { "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? "")" }
      + news.failing.map(\.name)
  }

  private static func mark(_ store: Store) async throws -> ReaderMark? {
    try await store.database.findMark(of: "mail")
  }

  /// Reads the news as the reader `mail` and records their delivery.
  private static func take(_ store: Store, now: Int) async throws -> [String] {
    let now = ChangeTests.date(now)
    let (news, lastID) = try await store.database.fetchNews(after: mark(store), now: now)
    try await store.database.setNewsTold(news, lastID: lastID, reader: "mail", now: now)
    return lines(news)
  }

  @Test("changes of favorites are reported once, other changes never")
  func favorites() async throws {
    let store = try await Store()
    let start = 10 * 86_400
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: start)
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    #expect(try await Self.take(store, now: start + 10) == [])
    try await store.sync([FeedOffer("3", name: "Jam")], at: start + 20)
    #expect(try await Self.take(store, now: start + 30) == ["gone 1"])
    #expect(try await Self.take(store, now: start + 40) == [])
    #expect(
      try await Self.mark(store) == ReaderMark(changeID: 5, readAt: ChangeTests.date(start + 40)))
  }

  @Test("a vanished favorite is reported with the id of a successor that came before")
  func successors() async throws {
    let store = try await Store()
    let start = 10 * 86_400
    try await store.sync([FeedOffer("1", name: "Tea"), FeedOffer("2", name: "Tea")], at: start)
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    _ = try await Self.take(store, now: start + 10)
    // While removals are quarantined, new ids exist next to the old ones.
    let held = [FeedOffer("1", name: "Tea"), FeedOffer("2", name: "Tea")]
    try await store.sync(held + [FeedOffer("9", name: "Tea")], at: start + 20)
    #expect(try await Self.take(store, now: start + 30) == [])
    try await store.sync(
      [FeedOffer("2", name: "Tea"), FeedOffer("9", name: "Tea")], at: start + 40)
    let mark = try await Self.mark(store)
    let news = try await store.database.fetchNews(after: mark, now: ChangeTests.date(start + 50))
    #expect(news.news.changes.map(\.kind) == [.gone])
    #expect(news.news.changes.first?.returned?.offerID == "9")
  }

  @Test("the first news cover the last seven days")
  func first() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: 0)
    _ = try await store.database.setFavorites(named: ["1", "2"], to: true)
    try await store.sync([FeedOffer("1")], at: 1000)
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: 2000)
    #expect(try await Self.take(store, now: 2000 + 7 * 86_400) == ["back 2"])
  }

  @Test("an expiring favorite is reported once, and again if its expiry changes")
  func expiring() async throws {
    let store = try await Store()
    let now = 10 * 86_400
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: 0)
    try store.execute(
      "INSERT INTO offer_detail (offer_key, expires_at) VALUES (1, \(now + 50)), (2, \(now + 50))")
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    #expect(try await Self.take(store, now: now) == ["expiring 1"])
    #expect(try await Self.take(store, now: now + 1) == [])
    try store.execute("UPDATE offer_detail SET expires_at = \(now + 60)")
    #expect(try await Self.take(store, now: now + 2) == ["expiring 1"])
    #expect(try await Self.take(store, now: now + 60) == [])
  }

  @Test("a feed that fails for a day is reported daily with its error until it is unsubscribed")
  func failing() async throws {
    let store = try await Store()
    let start = 10 * 86_400
    try await store.sync([FeedOffer("1")], at: start)
    try store.execute(
      """
      INSERT INTO feed_fetch (feed_key, failure_count, failing_since) VALUES (1, 3, \(start))
      """)
    try await store.database.record(
      SyncRun(
        feed: "ibotta", source: "x", outcome: .failed, bytes: 0,
        startedAt: ChangeTests.date(start + 5), durationSeconds: 0,
        error: OffersError(.sourceFailed, "No answer.")), remember: nil, fetch: nil)
    #expect(try await Self.take(store, now: start + 86_399) == [])
    let now = ChangeTests.date(start + 86_400)
    let (news, _) = try await store.database.fetchNews(after: nil, now: now)
    #expect(
      news.failing == [
        FailingFeed(
          name: "ibotta", since: ChangeTests.date(start), failureCount: 3, message: "No answer.")
      ])
    #expect(!news.isEmpty)
    #expect(try await Self.take(store, now: start + 86_400) == ["ibotta"])
    #expect(try await Self.take(store, now: start + 2 * 86_400 - 1) == [])
    #expect(try await Self.take(store, now: start + 2 * 86_400) == ["ibotta"])
    _ = try await store.database.unsubscribe(from: "ibotta")
    #expect(try await Self.take(store, now: start + 3 * 86_400) == [])
  }

  @Test("no change of an expired favorite is news")
  func expired() async throws {
    let store = try await Store()
    let start = 10 * 86_400
    try await store.sync(
      (1...5).map { FeedOffer("\($0)", more: $0 == 4 ? [.expiresAt: "\(start + 200)"] : [:]) },
      at: start)
    _ = try await store.database.setFavorites(named: ["3", "4", "5"], to: true)
    try await store.sync([FeedOffer("1")], at: start + 150)
    func kinds(_ seconds: Int) async throws -> [String] {
      Self.lines(
        try await store.database.fetchNews(after: nil, now: ChangeTests.date(start + seconds)).news)
    }
    #expect(try await kinds(199) == ["gone 3", "gone 4", "gone 5"])
    #expect(try await kinds(200) == ["gone 3", "gone 5"])
  }

  @Test("a new offer with the name and description of a gone favorite is news")
  func returned() async throws {
    let store = try await Store()
    let names = [("1", "Tea"), ("2", "Jam"), ("3", "Bun")]
    try await store.sync(names.map { FeedOffer($0.0, name: $0.1) })
    _ = try await store.database.setFavorites(named: ["1", "2", "3"], to: true)
    try await store.sync([FeedOffer("10")], feed: "grocer", at: 1500)
    try await store.sync(
      [("3", "Bun"), ("11", "Tea"), ("12", "Teas"), ("13", "Jam"), ("14", "Bun")].map {
        FeedOffer($0.0, name: $0.1)
      }, at: 2000)
    let second = try await store.database.fetchNews(
      after: ReaderMark(changeID: 3, readAt: ChangeTests.date(1500)), now: ChangeTests.date(3000))
    #expect(Self.lines(second.news) == ["new 11", "new 13", "gone 1", "gone 2"])
  }
}
