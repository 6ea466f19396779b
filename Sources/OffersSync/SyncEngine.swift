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
  /// What to search for, in a feed whose server searches; nil for the feed itself.
  public var query: String?
  /// Most pages to read of a feed that has pages; nil for what its definition says.
  public var pages: Int?

  public init(
    source: String? = nil, acceptsRemovals: Bool = false, lockWaitSeconds: Double = 5,
    limits: FetchLimits = FetchLimits(), query: String? = nil, pages: Int? = nil
  ) {
    self.source = source
    self.acceptsRemovals = acceptsRemovals
    self.lockWaitSeconds = lockWaitSeconds
    self.limits = limits
    self.query = query
    self.pages = pages
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
  private let configuration: FeedConfiguration
  let environment: @Sendable (String) -> String?
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - store: where the offers are kept.
  ///   - configuration: the feeds that can be read.
  ///   - environment: finds the variables that sources name.
  ///   - now: the clock that stamps runs and offers.
  public init(
    store: any SyncStore, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = {
      ProcessInfo.processInfo.environment[$0]
    },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.configuration = configuration
    self.environment = environment
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
    let definition = try configuration.fetch(feed)
    let chosen = try options.source.map { try DocumentSource($0) }
    return try await withoutActuallyEscaping(progress) { progress in
      try await store.withSyncLock(on: feed, waitSeconds: options.lockWaitSeconds) {
        try await run(definition, chosen, options, progress)
      }
    }
  }

  private func run(
    _ definition: FeedDefinition, _ chosen: DocumentSource?, _ options: SyncOptions,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncRun {
    let state = try await store.findSyncState(of: definition.name)
    let template = try sourceTemplate(definition, chosen, state, options)
    let attempt = SyncAttempt(
      definition: definition, derivationSeed: definition.derivationSeed,
      source: try DocumentSource(template.text), template: template,
      environment: environment, state: state, options: options,
      remembered: chosen == .sample && definition.source != nil ? nil : chosen?.rememberedText,
      startedAt: now(), clock: ContinuousClock.now)
    do {
      return try await attempt.perform(with: store, progress)
    } catch let error as OffersError {
      return await attempt.failed(error, in: store)
    }
  }

  /// Where a feed is read from: what the caller names, else what was named before, else what the
  /// definition says, else the built-in sample.
  func sourceTemplate(
    _ definition: FeedDefinition, _ chosen: DocumentSource?, _ state: SyncState?,
    _ options: SyncOptions
  ) throws -> SourceTemplate {
    if let text = chosen?.text { return SourceTemplate(text, environment: environment) }
    if options.query != nil {
      guard let search = definition.search else {
        throw OffersError(
          .invalidRequest, "The server of \(definition.name) cannot be searched.",
          hint: "Its definition has no search: address.")
      }
      return SourceTemplate(search, environment: environment)
    }
    if let text = state?.source { return SourceTemplate(text, environment: environment) }
    if let source = definition.source { return SourceTemplate(source, environment: environment) }
    return SourceTemplate("sample", environment: environment)
  }
}
