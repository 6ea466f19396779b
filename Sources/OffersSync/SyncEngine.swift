import Foundation
import OffersCore
import OffersFeeds

/// What a caller can choose about a sync.
public struct SyncOptions: Hashable, Sendable {
  /// The source to read instead of the remembered one: an http(s) URL, a path, `-` for standard
  /// input, or `sample`. It is remembered once a sync from it has worked.
  public var source: String?
  /// Takes removals for true even when they would be held back.
  public var acceptsRemovals: Bool
  /// How long to wait for another process that syncs the same feed.
  public var lockWaitSeconds: Double
  public var limits: FetchLimits

  public init(
    source: String? = nil, acceptsRemovals: Bool = false, lockWaitSeconds: Double = 5,
    limits: FetchLimits = FetchLimits()
  ) {
    self.source = source
    self.acceptsRemovals = acceptsRemovals
    self.lockWaitSeconds = lockWaitSeconds
    self.limits = limits
  }
}

/// How far a sync has come.
public struct SyncProgress: Hashable, Sendable {
  public let feed: String
  /// Bytes read so far.
  public let bytes: Int
  /// The document's size, when it is known.
  public let totalBytes: Int?
  /// Records read so far.
  public let records: Int
  /// True once all is read and the difference is being written.
  public let isWriting: Bool
}

/// Pulls feeds into a store.
///
/// For each feed: read the source as a stream, compare each record with what the store holds, then
/// apply the difference in one short transaction. Nothing of the store is locked while reading, so
/// reads and favorites go on; an interrupted sync has changed nothing.
public struct SyncEngine: Sendable {
  private let store: any SyncStore
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - store: where the offers are kept.
  ///   - now: the clock that stamps runs and offers.
  public init(store: any SyncStore, now: @escaping @Sendable () -> Date = { Date() }) {
    self.store = store
    self.now = now
  }

  /// Syncs one feed. What goes wrong is told in the run, which is recorded, too.
  ///
  /// - Parameters:
  ///   - feed: a shipped or subscribed feed's name.
  ///   - progress: called from time to time while reading.
  /// - Throws: `OffersError` only for what keeps a run from being made at all: `notFound` for an
  ///   unknown feed, `invalidRequest` for an impossible source, `locked`, and what the store throws.
  public func sync(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncRun {
    guard let definition = FeedCatalog.find(feed) else {
      throw OffersError(
        .notFound, "There is no feed “\(feed)”.",
        hint: "Feeds: \(FeedCatalog.all.map(\.name).joined(separator: ", ")).")
    }
    let chosen = try options.source.map { try DocumentSource($0) }
    return try await withoutActuallyEscaping(progress) { progress in
      try await store.withSyncLock(on: feed, waitSeconds: options.lockWaitSeconds) {
        try await run(definition, chosen, options, progress)
      }
    }
  }

  private func run(
    _ definition: FeedDefinition, _ chosen: DocumentSource?, _ options: SyncOptions,
    _ progress: @Sendable (SyncProgress) -> Void
  ) async throws -> SyncRun {
    let state = try await store.findSyncState(of: definition.name)
    let source = try chosen ?? DocumentSource(state?.source ?? "sample")
    let attempt = SyncAttempt(
      definition: definition, source: source, state: state, options: options,
      remembered: chosen?.rememberedText, startedAt: now(), clock: ContinuousClock.now)
    do {
      return try await attempt.perform(with: store, progress)
    } catch let error as OffersError {
      return await attempt.failed(error, in: store)
    }
  }
}
