import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Two users at work at the same time")
struct RecordModelTests {
  /// The record of one user, without a database.
  private struct Model {
    var stars: Set<String> = []
    var searches: [String] = []
    var mark: Int64 = 0
  }

  private static let offers = (1...12).map { FeedOffer("\($0)", name: "Tea \($0)") }

  /// The number of operations of each user: searches, marks, and stars set or taken off, of which up
  /// to 8 share a transaction.
  private static let operationCount = 4950
  private static let syncCount = 100

  /// Runs random operations of one user, each on one of the connections, and compares the record with
  /// the model, which neither another user's operations nor a sync changes.
  private static func live(_ records: [OffersDatabase], seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var model = Model()
    var done = 0
    while done < operationCount {
      let record = records[Int.random(in: 0..<records.count, using: &random)]
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        let words = "tea \(Int.random(in: 1...15, using: &random))"
        try await record.noteSearch(RecentSearch(words: words, searchedAt: ChangeTests.date(done)))
        model.searches = Array(([words] + model.searches.filter { $0 != words }).prefix(10))
        done += 1
      case 1:
        let id = Int64.random(in: 1...9999, using: &random)
        try await record.setMark(
          ReaderMark(changeID: id, readAt: ChangeTests.date(1)), of: "mail")
        model.mark = max(model.mark, id)
        done += 1
      default:
        let isFavorite = Bool.random(using: &random)
        let ids = (0..<Int.random(in: 1...8, using: &random)).map { _ in
          "\(Int.random(in: 1...12, using: &random))"
        }
        let changes = try await record.setFavorites(named: ids, to: isFavorite)
        for (id, change) in zip(ids, changes) {
          #expect(change.didChange == (model.stars.contains(id) != isFavorite))
          #expect(change.offer.isFavorite == isFavorite)
          if isFavorite { model.stars.insert(id) } else { model.stars.remove(id) }
        }
        done += ids.count
      }
      let reader = records[Int.random(in: 0..<records.count, using: &random)]
      #expect(Set(try await Household.stars(reader)) == model.stars)
      #expect(try await reader.fetchRecentSearches().map(\.words) == model.searches)
      #expect(try await reader.findMark(of: "mail")?.changeID ?? 0 == model.mark)
    }
  }

  @Test("nobody's marks change by another's hand or by a sync")
  func model() async throws {
    let home = try await Household(Self.offers)
    // A second process has a connection, a cache and write turns of its own.
    let other = try await OffersDatabase.open(path: home.store.path)
    let anas = [home.anas, other.record(of: home.ana)]
    try await withThrowingTaskGroup { group in
      group.addTask { try await Self.live([home.owners, other], seed: 7) }
      group.addTask { try await Self.live(anas, seed: 8) }
      group.addTask {
        var random = SeededGenerator(seed: 9)
        for round in 1...Self.syncCount {
          let current = Self.offers.filter { _ in Bool.random(using: &random) }.map {
            FeedOffer($0.id, name: "\($0.name)\(Int.random(in: 1...2, using: &random))")
          }
          try await home.store.sync(current, at: 1000 + round)
        }
      }
      try await group.waitForAll()
    }
    #expect(try home.store.disorder() == [])
  }
}
