import Foundation
import OffersCore

/// The dependencies of the server: the store, the sync engine, the guess of feeds, the image source,
/// the parser of times and amounts in queries, and the clock.
package struct ServedContent: Sendable {
  package typealias Store = OfferRepository & FavoriteRepository & FeedRepository
    & SearchRepository & ChangeRepository & CommitSignal & SessionRepository & AttemptRepository

  let store: any Store
  let syncer: any FeedSyncer
  let images: any ImageSource
  let texts: any QueryTextReader
  let now: @Sendable () -> Date
  /// The syncs that this server runs.
  let jobs: SyncJobs
  /// The feeds that were looked at, to be added.
  let proposals: FeedProposals

  package init(
    store: any Store, syncer: any FeedSyncer, adder: any FeedAdder,
    images: any ImageSource,
    texts: any QueryTextReader,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.syncer = syncer
    self.images = images
    self.texts = texts
    self.now = now
    jobs = SyncJobs(syncer: syncer, now: now)
    proposals = FeedProposals(adder: adder, syncer: syncer, store: store, jobs: jobs)
  }

  /// All feeds that are subscribed or have a definition, ordered by name.
  func fetchFeedSummaries() async throws -> [FeedSummary] {
    FeedSummary.all(
      known: try syncer.fetchKnownFeeds(), subscribed: try await store.fetchFeeds(),
      former: try await store.fetchFormerFeeds())
  }
}
