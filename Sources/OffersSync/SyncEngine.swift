import Foundation
import Logging
import OffersCore
import OffersFeeds

/// Syncs feeds into a store.
///
/// For each feed it reads the source as a stream, compares each record with the stored offers, and
/// applies the difference in one short transaction. While it reads, the store is not locked, so
/// that others can read it and set favorites. An interrupted sync changes no offer.
public struct SyncEngine: Sendable {
  let store: any SyncStore
  let configuration: FeedConfiguration
  let environment: @Sendable (String) -> String?
  let logger: Logger
  let now: @Sendable () -> Date
  /// Returns a random factor from 0.8 to 1.2, by which the wait after a failure is multiplied.
  private let jitter: @Sendable () -> Double
  private let transport: TransportOwnership

  /// - Parameters:
  ///   - store: the store of the offers.
  ///   - transport: sends the requests. It is not closed.
  ///   - configuration: the definitions of the feeds.
  ///   - environment: returns the value of an environment variable, for the sources and the headers
  ///     of definitions; nil if it is not set.
  ///   - logger: logs responses and runs, without the values of variables.
  ///   - now: the clock for the times of runs and offers, and for what is due.
  package init(
    store: any SyncStore, transport: any HTTPTransport, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find,
    logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      store: store, transport: .shared(transport), configuration: configuration,
      environment: environment, logger: logger ?? .silent, now: now)
  }

  package init(
    store: any SyncStore, transport: TransportOwnership, configuration: FeedConfiguration,
    environment: @escaping @Sendable (String) -> String?,
    logger: Logger = .silent,
    now: @escaping @Sendable () -> Date,
    jitter: @escaping @Sendable () -> Double = { .random(in: 0.8...1.2) }
  ) {
    self.store = store
    self.configuration = configuration
    self.environment = environment
    self.logger = logger
    self.now = now
    self.jitter = jitter
    self.transport = transport
  }

  /// Syncs one feed, then removes from the store what is past its time: offers that vanished long
  /// ago, except for favorites, and old history.
  ///
  /// - Parameters:
  ///   - feed: the name of a defined feed.
  ///   - options: the source, the limits and the reason of the sync, among others.
  ///   - progress: called from time to time while reading.
  /// - Returns: the run that was recorded, or one with the outcome `skipped`, which is not
  ///   recorded.
  /// - Throws: the error of a run that failed or is `quarantined`, which is recorded. If no run
  ///   could begin, `OffersError` with `notFound` for an unknown feed or one without a source,
  ///   `invalidRequest` for a source in the options that is invalid or not allowed, `locked`, or
  ///   the error of the store. `CancellationError` when the task is cancelled: then nothing is
  ///   written, not even the run.
  public func sync(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncRun {
    try await run(feed, options: options, progress: progress).orThrow()
  }

  /// Computes what a sync would change, and writes nothing.
  ///
  /// - Returns: the run as it would be recorded, and the changes that it would make, in order.
  /// - Throws: as `sync`.
  public func preview(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (run: SyncRun, changes: [OfferChange]) {
    let (run, changes) = try await runTrial(feed, options: options, progress: progress)
    return (try run.orThrow(), changes)
  }

  /// As `sync`, but a run that failed or is `quarantined` is returned with its error.
  ///
  /// - Throws: as `sync`, if no run was made.
  package func run(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncRun {
    var result: Result<SyncRun, OffersError>?
    try await run([feed], options: options, progress: progress) { result = $1 }
    guard let run = try result?.get() else { throw CancellationError() }
    return run
  }

  /// As `preview`, but a run that would fail or be `quarantined` is returned with its error.
  ///
  /// - Throws: as `sync`, if no run could be made.
  package func runTrial(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> (run: SyncRun, changes: [OfferChange]) {
    let result = try await withTransport {
      try await attempt(feed, options, isTrial: true, over: $0, progress)
    }
    return (result.run, result.changes)
  }

  /// Asks the store to remove what is past its time: offers that vanished long ago, except for
  /// favorites, and old history. An error is only logged.
  func clearAway() async {
    do {
      try await store.clearAway(at: now())
    } catch {
      // The syncs have succeeded without it, and the next one tries again.
      logger.warning("nothing was cleared away", metadata: ["error": "\(error)"])
    }
  }

  /// Runs a closure with a transport for its syncs, and closes the transport if it was opened here.
  func withTransport<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (any HTTPTransport) async throws -> Result
  ) async throws -> Result {
    switch transport {
    case .shared(let transport): return try await body(transport)
    case .owned(let open):
      let transport = open()
      do {
        let result = try await body(transport)
        await transport.close()
        return result
      } catch {
        await transport.close()
        throw error
      }
    }
  }

  /// Makes one attempt to sync a feed, under the feed's lock.
  ///
  /// - Parameters:
  ///   - feed: the name of a defined feed.
  ///   - options: the options of the sync.
  ///   - isTrial: whether to compute the changes only, and write nothing.
  ///   - transport: sends the requests. It is not closed.
  ///   - progress: called from time to time while reading.
  func attempt(
    _ feed: String, _ options: SyncOptions, isTrial: Bool, over transport: any HTTPTransport,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncAttempt.Result {
    let definition = try configuration.fetch(feed)
    let chosen = try options.source?.validated()
    return try await store.withSyncLock(on: feed, waitSeconds: options.lockWaitSeconds) {
      try await OwnThread.runTask {
        try await attempt(definition, chosen, options, isTrial, transport, progress)
      }
    }
  }

  private func attempt(
    _ definition: FeedDefinition, _ chosen: SyncSource?, _ options: SyncOptions,
    _ isTrial: Bool, _ transport: any HTTPTransport,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> SyncAttempt.Result {
    let state = try await store.findSyncState(of: definition.name)
    let startedAt = now()
    let usual = usualSource(of: definition, state, options)
    guard let source = try source(of: definition, chosen, state, options) else {
      guard options.reason == .due else { throw sourceless(definition, state) }
      return skipped(definition, source: usual ?? "", .sourceless, at: startedAt)
    }
    // A source in the options that is not allowed makes no run. Any other one makes a failed run.
    if chosen != nil { try source.check(definition) }
    let template = source.template
    let schedule = FetchSchedule(
      everySeconds: definition.everySeconds ?? FeedDefinition.defaultEverySeconds, jitter: jitter())
    // Only a sync from the usual source can be skipped, not one from another source, nor a search.
    let isOther = options.query != nil || template.text != usual
    if !isOther, let skip = schedule.skip(options.reason, state, now: startedAt) {
      return skipped(definition, source: template.text, skip, at: startedAt)
    }
    let seed = definition.derivationSeed
    let attempt = SyncAttempt(
      pages: FeedPages(
        definition: definition, source: source.document, template: template, options: options,
        environment: environment,
        fetching: context(
          source, definition, options, transport, state?.fetch ?? FetchState(), rules: seed,
          schedule),
        now: startedAt),
      derivationSeed: seed, usualSource: usual, state: state,
      remembered: source.toRemember(chosen, definition), clock: ContinuousClock.now,
      schedule: schedule, isTrial: isTrial)
    let result: SyncAttempt.Result
    do {
      try source.check(definition)
      result = try await attempt.perform(with: store, progress)
    } catch let error as OffersError {
      try Task.checkCancellation()
      result = await attempt.failed(error, in: store)
    }
    if result.unreached == nil { log(result.run) }
    return result
  }

  private func skipped(
    _ definition: FeedDefinition, source: String, _ skip: SyncSkip, at startedAt: Date
  ) -> SyncAttempt.Result {
    logger.info("skipped", metadata: ["feed": "\(definition.name)", "why": "\(skip)"])
    return SyncAttempt.Result(
      run: SyncRun(
        feed: definition.name, source: source, outcome: .skipped, bytes: 0, startedAt: startedAt,
        durationSeconds: 0, skip: skip
      ).hidingAddresses())
  }

  private func context(
    _ source: FeedSource, _ definition: FeedDefinition, _ options: SyncOptions,
    _ transport: any HTTPTransport, _ fetch: FetchState, rules: UInt64, _ schedule: FetchSchedule
  ) -> FetchSettings {
    let template = source.template
    var context = context(source, options, transport)
    if options.query != nil { return context }
    // A server may repeat what it was sent, in the address of a redirect as well.
    let secrets = SecretRedactor(in: template, and: definition, environment)
    context.trace = { [logger] text in
      logger.debug(
        "fetch", metadata: ["what": "\(AddressRedaction.hidden(inText: secrets.hidden(in: text)))"])
    }
    context.newAddress = fetch.findNewAddress(of: template.text)
    // Accepting removals that were held back requires the whole document, not a 304.
    let isWanted = options.acceptsRemovals && fetch.held != nil
    if !isWanted,
      schedule.asksConditionally(fetch, rules: rules, now: now())
    {
      context.condition = FetchCondition(
        validators: Validators(etag: fetch.etag, lastModified: fetch.lastModified, now: now()),
        addressMark: fetch.validatedMark)
    }
    return context
  }

  func log(_ run: SyncRun) {
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
