import Foundation
import Logging
import OffersCore
import OffersFeeds

/// Pulls feeds into a store.
///
/// For each feed: read the source as a stream, compare each record with what the store holds, then
/// apply the difference in one short transaction. Nothing of the store is locked while reading, so
/// reads and favorites go on; an interrupted sync has changed nothing.
public struct SyncEngine: Sendable {
  let store: any SyncStore
  let configuration: FeedConfiguration
  let environment: @Sendable (String) -> String?
  let logger: Logger
  let now: @Sendable () -> Date
  /// A number from 0.8 to 1.2 that a wait after a failure is multiplied by.
  private let jitter: @Sendable () -> Double
  /// Carries requests; nil for connections of each sync's own.
  private let transport: (any HTTPTransport)?

  /// - Parameters:
  ///   - store: where the offers are kept.
  ///   - configuration: the feeds that can be read.
  ///   - environment: finds the variables that sources name, and those that name a proxy.
  ///   - logger: is told each step. Values of variables never reach it.
  ///   - now: the clock that stamps runs and offers, and that says what is due.
  public init(
    store: any SyncStore, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    logger: Logger = Logger(label: "offers", factory: { _ in SwiftLogNoOpLogHandler() }),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      store: store, configuration: configuration, environment: environment, logger: logger,
      now: now, jitter: { .random(in: 0.8...1.2) }, transport: nil)
  }

  init(
    store: any SyncStore, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = { _ in nil },
    logger: Logger = Logger(label: "offers", factory: { _ in SwiftLogNoOpLogHandler() }),
    now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double,
    transport: (any HTTPTransport)?
  ) {
    self.store = store
    self.configuration = configuration
    self.environment = environment
    self.logger = logger
    self.now = now
    self.jitter = jitter
    self.transport = transport
  }

  /// Syncs one feed. What goes wrong is told in the run, which is recorded, too.
  ///
  /// - Parameters:
  ///   - feed: a shipped or subscribed feed's name.
  ///   - progress: called from time to time while reading.
  /// - Throws: `OffersError` only for what keeps a run from being made at all: `notFound` for an
  ///   unknown feed, `invalidRequest` for an impossible source or one that only somebody at the
  ///   machine may name, `locked`, and what the store throws.
  public func sync(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncRun {
    try await withTransport(options.limits) {
      try await attempt(feed, options, isTrial: false, over: $0, progress).run
    }
  }

  /// Says what a sync would change, and writes nothing.
  ///
  /// - Returns: the run as it would be recorded, and what would change, in order.
  /// - Throws: as `sync`.
  public func preview(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (run: SyncRun, changes: [OfferChange]) {
    let result = try await withTransport(options.limits) {
      try await attempt(feed, options, isTrial: true, over: $0, progress)
    }
    return (result.run, result.changes)
  }

  /// Lends connections for some syncs, and closes them.
  func withTransport<Result: Sendable>(
    _ limits: FetchLimits, _ body: (any HTTPTransport) async throws -> Result
  ) async throws -> Result {
    if let transport { return try await body(transport) }
    let connections = HTTPConnections(limits: limits, environment: environment)
    do {
      let result = try await body(connections)
      await connections.close()
      return result
    } catch {
      await connections.close()
      throw error
    }
  }

  /// One attempt under the feed's lock.
  func attempt(
    _ feed: String, _ options: SyncOptions, isTrial: Bool, over transport: any HTTPTransport,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncAttempt.Result {
    let definition = try configuration.fetch(feed)
    let chosen = try options.source.map { try DocumentSource($0) }
    return try await store.withSyncLock(on: feed, waitSeconds: options.lockWaitSeconds) {
      try await run(definition, chosen, options, isTrial, transport, progress)
    }
  }

  private func run(
    _ definition: FeedDefinition, _ chosen: DocumentSource?, _ options: SyncOptions,
    _ isTrial: Bool, _ transport: any HTTPTransport,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncAttempt.Result {
    let state = try await store.findSyncState(of: definition.name)
    let source = try source(of: definition, chosen, state, options)
    // A source that somebody names now is refused at once; a remembered one is told of in its run.
    if chosen != nil { try source.check(definition) }
    let template = source.template
    let schedule = FetchSchedule(
      everySeconds: definition.everySeconds ?? FeedDefinition.defaultEverySeconds, jitter: jitter())
    let startedAt = now()
    // Whoever names another source, or searches, does not ask what is to be left alone.
    let usual = usualSource(of: definition, state)
    let isOther = options.query != nil || template.text != usual
    let isSourceless =
      try chosen == nil && isSourceless(definition, source.document, state, options)
    if !isOther,
      let skip = isSourceless ? .sourceless : schedule.skip(options.reason, state, now: startedAt)
    {
      logger.info("skipped", metadata: ["feed": "\(definition.name)", "why": "\(skip)"])
      return SyncAttempt.Result(
        run: SyncRun(
          feed: definition.name, source: template.text, outcome: .skipped, bytes: 0,
          startedAt: startedAt, durationSeconds: 0, skip: skip))
    }
    let seed = definition.derivationSeed
    let attempt = SyncAttempt(
      definition: definition, derivationSeed: seed, source: source.document, template: template,
      usualSource: usual,
      environment: environment, state: state, options: options,
      remembered: source.toRemember(chosen, definition),
      startedAt: startedAt, clock: ContinuousClock.now, schedule: schedule,
      fetching: context(
        source, options, transport, state?.fetch ?? FetchState(), rules: seed, schedule),
      isTrial: isTrial)
    let result: SyncAttempt.Result
    do {
      try source.check(definition)
      result = try await attempt.perform(with: store, progress)
    } catch let error as OffersError {
      result = SyncAttempt.Result(run: await attempt.failed(error, in: store))
    }
    log(result.run)
    return result
  }

  private func context(
    _ source: FeedSource, _ options: SyncOptions, _ transport: any HTTPTransport,
    _ fetch: FetchState, rules: UInt64, _ schedule: FetchSchedule
  ) -> FetchContext {
    let template = source.template
    var context = context(source, options, transport)
    if options.query != nil { return context }
    context.trace = { [logger, secrets = template.secrets] text in
      logger.debug("fetch", metadata: ["what": "\(secrets.hidden(in: text))"])
    }
    context.newAddress = fetch.findNewAddress(of: template.text)
    // What is to be taken although it was held back has to be read.
    let isWanted = options.acceptsRemovals && fetch.heldCount > 0
    if !isWanted,
      schedule.asksConditionally(fetch, rules: rules, now: now())
    {
      context.condition = FetchCondition(
        validators: Validators(etag: fetch.etag, lastModified: fetch.lastModified, now: now()),
        addressMark: fetch.validatedMark)
    }
    return context
  }

  private func log(_ run: SyncRun) {
    let level: Logger.Level = run.error == nil ? .info : .warning
    guard logger.logLevel <= level else { return }
    var metadata: Logger.Metadata = [
      "feed": "\(run.feed)", "source": "\(run.source)", "outcome": "\(run.outcome.rawValue)",
      "bytes": "\(run.bytes)", "seconds": "\(run.durationSeconds)",
    ]
    if let status = run.request?.status { metadata["status"] = "\(status)" }
    if let error = run.error { metadata["error"] = "\(error.message)" }
    if let cause = run.error?.cause { metadata["cause"] = "\(cause)" }
    logger.log(level: level, "synced", metadata: metadata)
  }
}
