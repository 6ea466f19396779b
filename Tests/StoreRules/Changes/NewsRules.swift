import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("News for users with favorites")
struct NewsRules {
  private static let start = 10 * 86_400

  private static func lines(_ news: News) -> [String] {
    news.changes.map { "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? "")" }
      + news.failing.map(\.name) + news.recovered.map { "\($0.name) again" }
  }

  /// Reads the news as the reader `mail` and records their delivery.
  private static func take(_ home: DatabaseHome, now: Int) async throws -> [String] {
    let mark = try await home.store.findMark(of: "mail")
    let (news, lastID) = try await home.store.fetchNews(after: mark, now: .at(now))
    try await home.store.setNewsTold(news, lastID: lastID, reader: "mail", now: .at(now))
    return lines(news)
  }

  @Test(
    "changes of favorites are reported once, other changes never", arguments: StoreKind.allCases)
  func favorites(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync([FeedOffer("1"), FeedOffer("2")], at: Self.start)
    _ = try await home.store.setFavorites(named: ["1"], to: true)
    #expect(try await Self.take(home, now: Self.start + 10) == [])
    try await home.sync([FeedOffer("3", name: "Jam")], at: Self.start + 20)
    #expect(try await Self.take(home, now: Self.start + 30) == ["gone 1"])
    #expect(try await Self.take(home, now: Self.start + 40) == [])
    let (_, lastID) = try await home.store.fetchChanges(ChangeQuery(now: .at(Self.start)))
    #expect(
      try await home.store.findMark(of: "mail")
        == ReaderMark(changeID: lastID, readAt: .at(Self.start + 40)))
  }

  @Test(
    "a vanished favorite is reported with the id of a successor that came before",
    arguments: StoreKind.allCases)
  func successors(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    let held = [FeedOffer("1", name: "Tea"), FeedOffer("2", name: "Tea")]
    try await home.sync(held, at: Self.start)
    _ = try await home.store.setFavorites(named: ["1"], to: true)
    _ = try await Self.take(home, now: Self.start + 10)
    // While removals are held back, new ids exist next to the old ones.
    try await home.sync(held + [FeedOffer("9", name: "Tea")], at: Self.start + 20)
    #expect(try await Self.take(home, now: Self.start + 30) == [])
    try await home.sync(
      [FeedOffer("2", name: "Tea"), FeedOffer("9", name: "Tea")], at: Self.start + 40)
    let mark = try await home.store.findMark(of: "mail")
    let news = try await home.store.fetchNews(after: mark, now: .at(Self.start + 50))
    #expect(news.news.changes.map(\.kind) == [.gone])
    #expect(news.news.changes.first?.returned?.offerID == "9")
  }

  @Test("the first news cover the last seven days", arguments: StoreKind.allCases)
  func first(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync([FeedOffer("1"), FeedOffer("2")], at: 0)
    _ = try await home.store.setFavorites(named: ["1", "2"], to: true)
    try await home.sync([FeedOffer("1")], at: 1000)
    try await home.sync([FeedOffer("1"), FeedOffer("2")], at: 2000)
    #expect(try await Self.take(home, now: 2000 + 7 * 86_400) == ["back 2"])
  }

  @Test(
    "an expiring favorite is reported once, and again if its expiry changes",
    arguments: StoreKind.allCases)
  func expiring(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    let now = Self.start
    func sync(_ expiry: Int, at seconds: Int) async throws {
      try await home.sync(
        ["1", "2"].map { FeedOffer($0, more: [.expiresAt: "\(now + expiry)"]) }, at: seconds)
    }
    try await sync(50, at: 0)
    _ = try await home.store.setFavorites(named: ["1"], to: true)
    #expect(try await Self.take(home, now: now) == ["expiring 1"])
    #expect(try await Self.take(home, now: now + 1) == [])
    try await sync(60, at: now + 1)
    #expect(try await Self.take(home, now: now + 2) == ["expiring 1", "changed 1"])
    #expect(try await Self.take(home, now: now + 60) == [])
  }

  @Test(
    "a feed that still fails after a day is reported on each day with an attempt, and when it works again",
    arguments: StoreKind.allCases)
  func failing(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    let start = Self.start
    try await home.sync([FeedOffer("1")], at: start)
    func fail(_ count: Int, at seconds: Int, _ code: OffersError.Code = .sourceFailed) async throws
    {
      var fetch = FetchState()
      fetch.failureCount = count
      fetch.failingSince = .at(start)
      fetch.nextDueAt = .at(seconds + 9)
      try await home.store.record(
        SyncRun(
          feed: "ibotta", source: "x", outcome: .failed, bytes: 0, startedAt: .at(seconds),
          durationSeconds: 0, error: OffersError(code, "No answer to \(count).")), remember: nil,
        fetch: code == .noNetwork ? nil : fetch)
    }
    let day = 86_400
    try await fail(3, at: start + 5)
    #expect(try await Self.take(home, now: start + day) == [])
    try await fail(4, at: start + day)
    let (news, _) = try await home.store.fetchNews(after: nil, now: .at(start + day))
    #expect(
      news.failing == [
        FailingFeed(
          name: "ibotta", since: .at(start), failureCount: 4, message: "No answer to 4.",
          triedAt: .at(start + day), nextDueAt: .at(start + day + 9))
      ])
    #expect(try await Self.take(home, now: start + day) == ["ibotta"])
    // No attempt, or none that had a network.
    try await fail(4, at: start + 2 * day, .noNetwork)
    #expect(try await Self.take(home, now: start + 3 * day) == [])
    try await fail(5, at: start + 3 * day)
    #expect(try await Self.take(home, now: start + 3 * day) == ["ibotta"])
    try await home.store.record(
      SyncRun(
        feed: "ibotta", source: "x", outcome: .unchanged, bytes: 0, startedAt: .at(start + 4 * day),
        durationSeconds: 0), remember: nil, fetch: FetchState())
    #expect(try await Self.take(home, now: start + 4 * day) == ["ibotta again"])
    #expect(try await Self.take(home, now: start + 4 * day) == [])
    try await fail(9, at: start + 5 * day)
    _ = try await home.store.unsubscribe(from: "ibotta")
    #expect(try await Self.take(home, now: start + 5 * day) == [])
  }

  @Test(
    "another address of a picture or link alone is no news, with another text it is",
    arguments: StoreKind.allCases)
  func addresses(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    func sync(_ link: String, _ terms: String, at seconds: Int) async throws {
      try await home.sync(
        [FeedOffer("1", more: [.url: link, .imageURL: link, .terms: terms])], at: seconds)
    }
    try await sync("https://a.example/1", "One.", at: Self.start)
    _ = try await home.store.setFavorites(named: ["1"], to: true)
    try await sync("https://a.example/2", "One.", at: Self.start + 1)
    #expect(try await Self.take(home, now: Self.start + 2) == [])
    try await sync("https://a.example/3", "Two.", at: Self.start + 3)
    #expect(try await Self.take(home, now: Self.start + 4) == ["changed 1"])
  }

  @Test("no change of an expired favorite is news", arguments: StoreKind.allCases)
  func expired(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    let start = Self.start
    try await home.sync(
      (1...5).map { FeedOffer("\($0)", more: $0 == 4 ? [.expiresAt: "\(start + 200)"] : [:]) },
      at: start)
    _ = try await home.store.setFavorites(named: ["3", "4", "5"], to: true)
    try await home.sync([FeedOffer("1")], at: start + 150)
    func kinds(_ seconds: Int) async throws -> [String] {
      Self.lines(try await home.store.fetchNews(after: nil, now: .at(start + seconds)).news)
    }
    #expect(try await kinds(199) == ["gone 3", "gone 4", "gone 5"])
    #expect(try await kinds(200) == ["gone 3", "gone 5"])
  }

  @Test(
    "a new offer with the name and description of a gone favorite is news",
    arguments: StoreKind.allCases)
  func returned(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    let names = [("1", "Tea"), ("2", "Jam"), ("3", "Bun")]
    try await home.sync(names.map { FeedOffer($0.0, name: $0.1) })
    _ = try await home.store.setFavorites(named: ["1", "2", "3"], to: true)
    let (_, lastID) = try await home.store.fetchChanges(ChangeQuery(now: .at(1100)))
    try await home.sync([FeedOffer("10")], feed: "grocer", at: 1500)
    try await home.sync(
      [("3", "Bun"), ("11", "Tea"), ("12", "Teas"), ("13", "Jam"), ("14", "Bun")].map {
        FeedOffer($0.0, name: $0.1)
      }, at: 2000)
    let second = try await home.store.fetchNews(
      after: ReaderMark(changeID: lastID, readAt: .at(1500)), now: .at(3000))
    #expect(Self.lines(second.news) == ["new 11", "new 13", "gone 1", "gone 2"])
  }
}
