import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("First syncs among the changes")
struct FirstSyncTests {
  private static func filled() async throws -> Store {
    let store = try await Store()
    try await store.sync((1...4).map { FeedOffer("\($0)") })
    try await store.sync([FeedOffer("1")], feed: "grocer", at: 2000)
    try await store.sync((1...5).map { FeedOffer("\($0)") }, at: 3000)
    return store
  }

  private static func lines(_ changes: [OfferChange]) -> [String] {
    changes.map { change in
      let what = change.offer?.ref.description ?? "\(change.feed) \(change.offerCount ?? 0)"
      return "\(change.changeID ?? 0) \(change.kind.rawValue) \(what)"
    }
  }

  private static func lines(
    _ database: OffersDatabase, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [String] {
    var query = ChangeQuery(now: ChangeTests.date(9000))
    edit(&query)
    return lines(try await database.fetchChanges(query).changes)
  }

  @Test("its number is that of its last offer, and a cursor among its offers leads to it")
  func cursors() async throws {
    let store = try await Self.filled()
    let database = store.database
    let all = ["4 first ibotta 4", "5 first grocer 1", "6 new ibotta:5"]
    for (after, rest) in [(0, all), (3, all), (4, Array(all.dropFirst())), (6, [])] {
      #expect(try await Self.lines(database) { $0.afterID = Int64(after) } == rest)
    }
  }

  @Test("it is no news")
  func news() async throws {
    let store = try await Self.filled()
    let database = store.database
    _ = try await database.setFavorites(named: ["ibotta:1", "5"], to: true)
    let news = try await database.fetchNews(
      after: ReaderMark(changeID: 0, readAt: ChangeTests.date(0)), now: ChangeTests.date(9000))
    #expect(news.news.isEmpty && news.lastID == 6)
  }

  @Test("it stays one entry after an export and an import, also into a database with other feeds")
  func transfer() async throws {
    let store = try await Self.filled()
    let document = try await store.exported()
    let empty = try await Store()
    _ = try await empty.take(document)
    #expect(try await Self.lines(empty.database) == Self.lines(store.database))
    let other = try await Store()
    try await other.sync([FeedOffer("1"), FeedOffer("2")], feed: "facts", at: 2500)
    _ = try await other.take(document)
    let lines = try await Self.lines(other.database).map { $0.split(separator: " ").dropFirst() }
    #expect(
      lines.map { $0.joined(separator: " ") } == [
        "first ibotta 4", "first grocer 1", "first facts 2", "new ibotta:5",
      ])
  }

  @Test("pruning removes it with the history")
  func prunes() async throws {
    let store = try await Self.filled()
    let late = 3000 + 401 * 86_400
    try await store.sync((1...6).map { FeedOffer("\($0)") }, at: late)
    _ = try await store.database.prune(
      goneBefore: ChangeTests.date(late), now: ChangeTests.date(late + 10), trustsClock: true,
      isTrial: false)
    #expect(try await Self.lines(store.database) == ["7 new ibotta:6"])
    #expect(try store.rows("SELECT * FROM first_sync") == [])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
  }
}
