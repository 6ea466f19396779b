import Foundation
import OffersCore

/// An empty store that discards all writes, for checking a feed without a database.
package struct NoStore: SyncStore {
  package init() {}

  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await body()
  }

  /// The one feed that a new database is subscribed to.
  package func fetchSubscribedFeeds() async throws -> [String] { [Feed.initialName] }
  package func findSyncState(of feed: String) async throws -> SyncState? { nil }
  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    KnownOffers(capacity: 0)
  }
  package func fetchMissingOffers(of feed: String) async throws -> [MissingOffer] { [] }
  package func fetchLook(of feed: String) async throws -> FeedTraits { FeedTraits() }
  package func renameOffers(
    of feed: String, as newOffers: [RenameCandidate], missingKeys: [Int64]
  ) async throws -> Int { 0 }
  package func apply(_ plan: SyncPlan) async throws -> SyncRun { plan.run }
  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    var counts = plan.run.counts
    try plan.newRecords.forEachRecord { _ in counts.new += 1 }
    return (plan.run.with(counts), [])
  }
  package func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {}
  package func clearAway(at now: Date) async throws {}
  package var scratchFolder: String { "/tmp" }
}
