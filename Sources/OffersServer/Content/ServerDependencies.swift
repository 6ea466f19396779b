import Foundation
import OffersCore

/// The dependencies of the server: the store, the sync engine, the guess of feeds, the image source,
/// the parser of times and amounts in queries, what maps are drawn with, and the clock.
package struct ServerDependencies: Sendable {
  package typealias Store = OfferRepository & FavoriteRepository & HouseholdRepository
    & FeedRepository & PreparableSearch & ChangeRepository & CommitSignal & SessionRepository
    & AttemptRepository & UserRepository & UserRecords & CredentialRepository & IdentityRepository
    & ServerKeyRepository & StoreReadiness

  /// The store, with the record of the owner or of the visitor of a request.
  private(set) var store: any Store
  let syncer: any FeedSyncer
  let images: any ImageSource
  let texts: any FilterTextReader
  let maps: MapSettings
  /// Tells whether sites refuse to be framed; nil if that cannot be found out.
  let framing: (any FramingSource)?
  let now: @Sendable () -> Date
  /// The syncs that this server runs.
  let jobs: SyncJobs
  /// Prepares searches. An index that a sync has left out is rebuilt even if the client leaves that
  /// needed it first.
  let searchPreparation: SharedWork
  /// The feeds that were looked at, to be added.
  let proposals: FeedProposals

  /// - Parameter store: the store, with the record of its owner.
  package init(
    store: any Store, syncer: any FeedSyncer,
    adder: any FeedAdder,
    images: any ImageSource, texts: any FilterTextReader, maps: MapSettings = MapSettings(),
    framing: (any FramingSource)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.syncer = syncer
    self.images = images
    self.texts = texts
    self.maps = maps
    self.framing = framing
    self.now = now
    searchPreparation = SharedWork { try await store.prepareSearch() }
    jobs = SyncJobs(syncer: syncer, now: now)
    proposals = FeedProposals(adder: adder, syncer: syncer, store: store, jobs: jobs)
  }

  /// The content with the favorites, the searches and the read marks of the visitor of a request.
  func of(_ visitor: Visitor?) -> ServerDependencies {
    guard let user = visitor?.user, !user.isOwner else { return self }
    var content = self
    content.store = store.record(of: user)
    return content
  }

  /// How the offers of each feed are shown. While the definitions cannot be read, which the sync
  /// reports, feeds are shown as at their last sync.
  func fetchPresentations() async throws -> FeedPresentations {
    let known = try? await syncer.fetchKnownFeeds()
    return try await store.fetchPresentations(known ?? [])
  }

  /// All feeds that are subscribed or have a definition, ordered by name.
  func fetchFeedSummaries() async throws -> [FeedSummary] {
    FeedSummary.all(
      known: try await syncer.fetchKnownFeeds(), subscribed: try await store.fetchFeeds(),
      former: try await store.fetchFormerFeeds())
  }
}
