import Foundation

/// The part of a store that the sync engine uses: sync locks, the state that a sync compares a
/// document with, and the writes of its result. A call that is cancelled throws
/// `CancellationError`, and nothing is written.
package protocol SyncStore: Sendable {
  /// Runs `body` under a lock that excludes other syncs of this feed in all processes.
  ///
  /// - Throws: `OffersError` with `locked` when the lock is still held after `waitSeconds`. A lock
  ///   that a dead process held is free.
  func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result

  /// The names of the subscribed feeds, sorted.
  func fetchSubscribedFeeds() async throws -> [String]

  /// The sync state of a feed; nil for an unknown one, and for an unsubscribed one with neither a
  /// named source nor a fetch state. For other unsubscribed feeds, such as one whose syncs have all
  /// failed, only the named source, the time of the last run and the fetch state are set.
  func findSyncState(of feed: String) async throws -> SyncState?

  /// The feed's stored offers, to compare with. Empty for an unknown feed.
  func fetchKnownOffers(of feed: String) async throws -> KnownOffers

  /// The current offers of the feed that its last document lacks, by ascending key.
  func fetchMissingOffers(of feed: String) async throws -> [MissingOffer]

  /// The look of the feed's newest current offers, `FeedTraits.offerLimit` at most, and its title.
  func fetchLook(of feed: String) async throws -> FeedTraits

  /// Gives current offers of the feed the ids under which its document has them (`OfferRenaming`), with
  /// their stars and notices. They keep their history and their times.
  ///
  /// - Parameters:
  ///   - newOffers: the offers of the document that the store does not have.
  ///   - missingKeys: the keys of the current offers that the document lacks.
  /// - Returns: the number of offers with other ids.
  func renameOffers(
    of feed: String, as newOffers: [RenameCandidate], missingKeys: [Int64]
  ) async throws -> Int

  /// Applies a difference and records the run in one transaction: all of it or nothing.
  ///
  /// - Returns: the run as recorded, with the counts that only the store can determine (new or
  ///   repeated ids, changed or merely rewritten offers).
  func apply(_ plan: SyncPlan) async throws -> SyncRun

  /// The run and the changes that applying a difference would record, in order. Nothing is written.
  /// A store may list only the newest changes.
  func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange])

  /// Records a run that changes no offer.
  ///
  /// - Parameters:
  ///   - source: the source to use from now on and its origin; nil to keep both.
  ///   - fetch: the new fetch state; nil to keep the stored one.
  ///   - presentation: how the offers of the feed are shown, by its definition; nil to keep what is
  ///     stored.
  func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws

  /// Removes what is past its time: offers that vanished long ago, except for favorites, and old
  /// history. The engine calls it after its syncs, so it must be cheap if there is nothing to do.
  ///
  /// - Parameter now: the time from which ages are counted back.
  func clearAway(at now: Date) async throws

  /// A folder on the disk of the store, for temporary files of syncs that do not fit in memory.
  var scratchFolder: String { get }
}
