import OffersCore
import OffersSQLite
import Testing

@testable import OffersSync

@Suite("Syncs of offers that say more than is kept")
struct LongTextTests {
  private static func feed(_ tail: String) -> String {
    let name = String(repeating: "Tea and more ", count: 1000) + tail
    let terms = String(repeating: "Limit 2. ", count: 40_000) + tail
    return "[{\"id\":1,\"name\":\"\(name)\",\"terms\":\"\(terms)\"},\(FeedText.record(2))]"
  }

  @Test("they are told in the run, and what lies behind a cut changes nothing")
  func unchanged() async throws {
    let home = try await SyncedFolder()
    let first = try await home.sync(Self.feed("one"))
    #expect(first.counts.all == [2, 0, 0, 0, 0, 0])
    #expect(first.mendedCount == 1)
    let told = "name is longer than 4 KiB, cut; terms is longer than 256 KiB, cut"
    #expect(first.problems.map(\.summary) == ["record 1 repaired: \(told)"])
    let offer = try await home.database.fetchOffer(named: "1")
    #expect(offer.name.utf8.count == 4096)
    #expect(offer.terms?.utf8.count == 256 << 10)
    #expect(try await home.sync(Self.feed("one"), at: 2_000).outcome == .unchanged)
    let other = try await home.sync(Self.feed("two"), at: 3_000)
    #expect(other.counts.all == [0, 0, 0, 0, 2, 0])
    #expect(try await home.database.fetchOffer(named: "1") == offer)
  }
}
