import Foundation
import OffersCore
import OffersStore

/// Syncs of a test, as the engine makes them.
extension OffersDatabase {
  /// Syncs a feed, given all its current offers in order.
  @discardableResult
  package func sync(
    _ offers: [FeedOffer], feed: String = "ibotta", at seconds: Int = 1000,
    from source: String? = nil, isIndexed: Bool = true,
    telling reader: (any FilterTextReader)? = nil
  ) async throws -> SyncRun {
    let plan = try await plan(
      offers, feed: feed, at: seconds, from: source, isIndexed: isIndexed, telling: reader)
    return try await apply(plan)
  }

  /// Records a run that changes neither an offer nor how the offers of its feed are shown.
  package func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?
  ) async throws {
    try await record(run, remember: source, fetch: fetch, presentation: nil)
  }

  /// The plan that the engine would make for all current offers of a feed; for a search on its server,
  /// for the offers that it found.
  package func plan(
    _ offers: [FeedOffer], feed: String = "ibotta", at seconds: Int = 1000,
    from source: String? = nil, isSearch: Bool = false, isIndexed: Bool = true,
    telling reader: (any FilterTextReader)? = nil
  ) async throws -> SyncPlan {
    var known = try await fetchKnownOffers(of: feed)
    var counts = SyncCounts()
    var fresh = FeedRecords()
    var stored = FeedRecords()
    for (index, offer) in offers.enumerated() {
      switch known.see(id: offer.id, contentHash: offer.contentHash) {
      case .new: fresh.items.append(.init(offer: offer, position: index + 1, key: 0))
      case .different(let key):
        stored.items.append(.init(offer: offer, position: index + 1, key: key))
      case .unchanged: counts.unchanged += 1
      case .repeated: counts.skipped += 1
      }
    }
    let run = SyncRun(
      feed: feed, source: source ?? "/feeds/\(feed).json", outcome: .updated, counts: counts,
      bytes: 10,
      startedAt: Date(timeIntervalSince1970: Double(seconds)), durationSeconds: 0)
    return SyncPlan(
      run: run, newRecords: fresh, knownRecords: stored,
      vanishedKeys: isSearch ? [] : known.vanishedKeys(), rememberedSource: nil, document: nil,
      isSearch: isSearch, isIndexed: isIndexed, reader: reader)
  }
}
