import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersStore

/// Syncs feeds into a store.
///
/// For each feed it reads the source as a stream, compares each record with the stored offers, and
/// applies the difference in one short transaction. While it reads, the store is not locked, so
/// that others can read it and set favorites. An interrupted sync changes no offer.
public struct SyncEngine: Sendable {
  let store: OffersDatabase
  let configuration: FeedConfiguration
  let environment: @Sendable (String) -> String?
  let logger: Logger
  let now: @Sendable () -> Date
  /// Returns a random factor from 0.8 to 1.2, by which the wait after a failure is multiplied.
  private let jitter: @Sendable () -> Double
  private let transport: TransportOwnership

  /// An engine over a transport of the caller's own.
  ///
  /// - Parameters:
  ///   - store: the database of the offers, opened for writing.
  ///   - transport: sends the requests. It is not closed.
  ///   - environment: returns the value of an environment variable, for the sources and the headers
  ///     of definitions; nil if it is not set. Nil for the environment of the process.
  ///   - logger: logs each step, without the values of variables; nil for none.
  ///   - now: the clock for the times of runs and offers, and for what is due.
  public init(
    store: OffersDatabase, transport: any HTTPTransport,
    configuration: FeedConfiguration = .shipped,
    environment: (@Sendable (String) -> String?)? = nil, logger: Logger? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      store: store, transport: .shared(transport), configuration: configuration,
      environment: environment ?? EnvironmentVariable.find, logger: logger ?? .silent, now: now)
  }

  package init(
    store: OffersDatabase, transport: TransportOwnership, configuration: FeedConfiguration,
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
  ///   recorded. If all removals of a document wait for a second one, its outcome is `heldBack`, and
  ///   its error says why and how to accept them.
  /// - Throws: the error of a run that failed, which is recorded. If no run
  ///   could begin, `OffersError` with `notFound` for an unknown feed or one without a source,
  ///   `invalidRequest` for a source in the options that is invalid or not allowed, `locked`, or
  ///   the error of the store. `cancelled` when the task is cancelled: then nothing is
  ///   written, not even the run.
  public func sync(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(OffersError) -> SyncRun {
    try await run(feed, options: options, progress: progress).orThrow()
  }

  /// Computes what a sync would change, and writes nothing.
  ///
  /// - Returns: the run as it would be recorded, and the changes that it would make, in order.
  /// - Throws: as `sync`.
  public func preview(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(OffersError) -> (run: SyncRun, changes: [OfferChange]) {
    let (run, changes) = try await runTrial(feed, options: options, progress: progress)
    return (try run.orThrow(), changes)
  }

  /// As `sync`, but a run that failed is returned with its error.
  ///
  /// - Throws: as `sync`, if no run was made.
  package func run(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(OffersError) -> SyncRun {
    var result: Result<SyncRun, OffersError>?
    try await run([feed], options: options, progress: progress) { result = $1 }
    guard let run = try result?.get() else { throw .cancelled }
    return run
  }

  /// As `preview`, but a run that would fail is returned with its error.
  ///
  /// - Throws: as `sync`, if no run could be made.
  package func runTrial(
    _ feed: String, options: SyncOptions = SyncOptions(),
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws(OffersError) -> (run: SyncRun, changes: [OfferChange]) {
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
  ) async throws(OffersError) -> Result {
    let used: any HTTPTransport
    var opened: (any ClosableTransport)?
    switch transport {
    case .shared(let transport): used = transport
    case .owned(let open):
      let transport = open()
      (used, opened) = (transport, transport)
    }
    do {
      let result = try await body(used)
      await opened?.close()
      return result
    } catch {
      await opened?.close()
      throw OffersError(error)
    }
  }

  /// Makes one attempt to sync a feed, under the feed's lock.
  ///
  /// - Parameters:
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
    if !isOther {
      var skip = schedule.skip(options.reason, state, now: startedAt)
      if skip == nil, options.reason != .forced, case .url = source.document,
        let address = state?.fetch.findNewAddress(of: template.text)
          // The error of a variable that is not set is that of the attempt.
          ?? (try? template.filled(page: 1)),
        let until = try await HostWaits(
          store: store, known: transport as? CachingTransport, now: now
        ).find(address)
      {
        skip = .wait(until: until)
      }
      if let skip { return skipped(definition, source: template.text, skip, at: startedAt) }
    }
    let seed = definition.derivationSeed
    let attempt = SyncAttempt(
      pages: FeedPages(
        definition: definition, source: source.document, template: template, options: options,
        environment: environment,
        fetching: context(
          source, definition, options, transport, state?.fetch ?? FetchState(), rules: seed,
          schedule, isTrial),
        now: startedAt),
      derivationSeed: seed, usualSource: usual, state: state,
      remembered: source.toRemember(chosen, definition), clock: ContinuousClock.now,
      schedule: schedule, isTrial: isTrial)
    let result: SyncAttempt.Result
    do {
      try source.check(definition)
      result = try await attempt.perform(with: store, progress)
    } catch let error as OffersError {
      try error.throwIfCancelled()
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
    _ transport: any HTTPTransport, _ fetch: FetchState, rules: UInt64, _ schedule: FetchSchedule,
    _ isTrial: Bool
  ) -> FetchSettings {
    let template = source.template
    var context = context(source, options, transport)
    context.waits.isTrial = isTrial
    if options.query != nil { return context }
    // A server may repeat what it was sent, in the address of a redirect as well.
    let secrets = SecretRedactor(in: template, and: definition, environment)
    context.trace = { [logger] text in
      logger.debug(
        "fetch", metadata: ["what": "\(AddressRedaction.hidden(inText: secrets.hidden(in: text)))"])
    }
    context.newAddress = fetch.findNewAddress(of: template.text)
    context.waits.usualSeconds = FetchSchedule.backOffSeconds(afterFailures: fetch.failureCount + 1)
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

/// The choice of a feed's source.
extension SyncEngine {
  /// The source of a sync: the one in the options, else the remembered one, else the definition's,
  /// else the `fallbackSource` in the options; nil if there is none. For a search it is the one in
  /// the options, else the search address of the definition.
  ///
  /// The caller must call `FeedSource.check` before reading from the source.
  ///
  /// - Parameters:
  ///   - chosen: the validated source in the options; nil if they name none.
  ///   - state: the stored state, with the remembered source; nil if there is none.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid source, for one in the options
  ///   that only a user of this machine may name, and for a search without a search address.
  func source(
    of definition: FeedDefinition, _ chosen: SyncSource?, _ state: SyncState?,
    _ options: SyncOptions
  ) throws -> FeedSource? {
    if let chosen {
      return try named(chosen, definition, state, isLocal: options.sourceMayBePrivate)
    }
    if options.query != nil {
      guard let search = definition.search else {
        throw OffersError(
          .invalidRequest, "The server of \(definition.name) cannot be searched.",
          hint: "Its definition has no search: address.")
      }
      return try defined(search, definition)
    }
    let source: FeedSource
    if let named = state?.source {
      source = try remembered(named, definition)
    } else if let own = definition.source
      ?? options.fallbackSource.map({ .init([.literal($0.text)]) })
    {
      source = try defined(own, definition)
    } else {
      return nil
    }
    return source.document == .sample && isReplacedBySample(state) ? nil : source
  }

  /// Whether a sync of the sample would replace real offers by invented ones: offers that were last
  /// read from standard input, which cannot be read again, or, if the feed has no named source, from
  /// anywhere else, as after an import that left out the source.
  private func isReplacedBySample(_ state: SyncState?) -> Bool {
    guard let last = state?.lastGoodSource else { return false }
    return last == SyncSource.standardInput.text
      || state?.source == nil && last != SyncSource.sample.text
  }

  /// The text of the source that a sync reads if the options name none; nil if there is none.
  func usualSource(
    of definition: FeedDefinition, _ state: SyncState?, _ options: SyncOptions
  ) -> String? {
    state?.source?.text ?? definition.source?.description ?? options.fallbackSource?.text
  }

  /// The error for a feed without a source.
  func sourceless(_ definition: FeedDefinition, _ state: SyncState?) -> OffersError {
    let wasPiped = state?.lastGoodSource == SyncSource.standardInput.text
    return OffersError(
      .notFound,
      definition.name + (wasPiped ? " was read from standard input, and" : "")
        + " has no source of its own.",
      hint: Hint(
        "Nothing was changed. Name one.",
        command: "offers sync \(definition.name) --from URL-OR-FILE"))
  }

  /// The settings of an unconditional fetch from a source.
  func context(
    _ source: FeedSource, _ options: SyncOptions, _ transport: any HTTPTransport
  ) -> FetchSettings {
    var context = FetchSettings(
      transport: transport, limits: options.limits, sourceMayBePrivate: source.isTrusted, now: now,
      waits: HostWaits(
        store: store, isForced: options.reason == .forced, known: transport as? CachingTransport,
        now: now))
    context.allowsPrivateNetwork =
      options.allowsPrivateNetwork || configuration.allowsPrivateNetwork
    context.sourceHint = source.hint
    return context
  }

  private func named(
    _ chosen: SyncSource, _ definition: FeedDefinition, _ state: SyncState?, isLocal: Bool
  ) throws -> FeedSource {
    let source = FeedSource(
      feed: definition.name, document: chosen,
      template: SourceTemplate(chosen.text, environment: environment),
      origin: isLocal ? .machine : .remote)
    if !isLocal { try source.checkIsAddress() }
    // Naming a source again that the feed already has does not lower its trust, even if it is named
    // from outside this machine.
    if let own = definition.source, own.description == chosen.text, !definition.isPublicOnly {
      return try defined(own, definition)
    }
    if let known = state?.source, known.text == chosen.text, known.origin == .machine {
      return try remembered(known, definition)
    }
    return source
  }

  private func remembered(
    _ source: ChosenSource, _ definition: FeedDefinition
  ) throws -> FeedSource {
    if let own = definition.source, own.description == source.text, !definition.isPublicOnly {
      return try defined(own, definition)
    }
    return FeedSource(
      feed: definition.name, document: try SyncSource(parsing: source.text),
      template: SourceTemplate(source.text, environment: environment), origin: source.origin)
  }

  private func defined(
    _ template: Template, _ definition: FeedDefinition
  ) throws -> FeedSource {
    var source = FeedSource(
      feed: definition.name, document: try SyncSource(parsing: template.description),
      template: SourceTemplate(template, environment: environment),
      origin: definition.isPublicOnly ? .remote : .machine)
    source.isDefined = true
    return source
  }
}

extension SyncEngine {
  /// The most hosts whose feeds are synced concurrently.
  private static let hostLimit = 32

  /// Syncs several feeds: those on different hosts concurrently, up to 32 hosts, and those on one
  /// host one after another. A feed that fails does not stop the others.
  ///
  /// `finished` is called on the actor of the caller, such as the main actor, so a screen model
  /// changes its own state in it:
  ///
  /// ```swift
  /// try await engine.sync(names) { feed, result in
  ///   switch result {
  ///   case .success(let run): runs[feed] = run
  ///   case .failure(let error): errors[feed] = error
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - feeds: the names of defined feeds.
  ///   - options: apply to each feed. A source in them would be read for every feed, so it makes
  ///     sense for a single feed only.
  ///   - isolation: the actor on which `finished` is called: the caller's.
  ///   - progress: called from time to time while reading, from any task.
  ///   - finished: called once per feed when it is finished, never concurrently, with the run that
  ///     `sync` for a single feed would return, or the error that it would throw.
  /// - Throws: `OffersError` with `cancelled` when the task is cancelled: feeds that were finished stay so,
  ///   and the others are unchanged. The error of the store if it cannot be read before the first
  ///   sync.
  public func sync(
    _ feeds: [String], options: SyncOptions = SyncOptions(),
    isolation: isolated (any Actor)? = #isolation,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    finished: (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws(OffersError) {
    try await run(feeds, options: options, progress: progress) { feed, result in
      finished(
        feed,
        result.flatMap { run in
          if run.outcome == .failed, let error = run.error { return .failure(error) }
          return .success(run)
        })
    }
  }

  /// As `sync`, but a run that failed is a success that carries its error.
  package func run(
    _ feeds: [String], options: SyncOptions = SyncOptions(),
    isolation: isolated (any Actor)? = #isolation,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    finished: (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws(OffersError) {
    let chains = try await chains(of: feeds, options)
    try await withTransport { transport in
      try await withThrowingTaskGroup(
        of: (feed: String, chain: Int, Result<SyncAttempt.Result, OffersError>).self
      ) { group in
        var network = NetworkEvidence()
        var waiting = chains
        func start(_ chain: Int) {
          guard !waiting[chain].isEmpty else { return }
          let feed = waiting[chain].removeFirst()
          group.addTask {
            (feed, chain, try await result(feed, options, transport, progress))
          }
        }
        var next = min(Self.hostLimit, chains.count)
        for chain in 0..<next { start(chain) }
        while let (feed, chain, result) = try await group.next() {
          var isWaiting = false
          if case .success(let attempt) = result { isWaiting = network.holds(attempt) }
          if !isWaiting { finished(feed, result.map(\.run)) }
          if waiting[chain].isEmpty, next < chains.count {
            start(next)
            next += 1
          } else {
            start(chain)
          }
        }
        for run in try await settle(network, options, transport) {
          finished(run.feed, .success(run))
        }
      }
    }
    await clearAway()
  }

  private func result(
    _ feed: String, _ options: SyncOptions, _ transport: any HTTPTransport,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result<SyncAttempt.Result, OffersError> {
    do {
      return .success(
        try await attempt(feed, options, isTrial: false, over: transport, progress))
    } catch let error as OffersError where error.code != .cancelled {
      return .failure(error)
    }
  }

  /// The feeds grouped by the host of their source, in the given order. All feeds without a host
  /// form one group, because concurrent reads of files compete for the disk.
  private func chains(
    of feeds: [String], _ options: SyncOptions
  ) async throws(OffersError) -> [[String]] {
    if feeds.count < 2 { return [feeds] }
    var places: [String: Int] = [:]
    var chains: [[String]] = []
    for feed in feeds {
      let host = try await host(of: feed, options)
      if let place = places[host] {
        chains[place].append(feed)
      } else {
        places[host] = chains.count
        chains.append([feed])
      }
    }
    return chains
  }

  /// The host of a feed's source; empty for a source without a host, such as a file, and for an
  /// unknown feed, which the sync itself reports.
  private func host(of feed: String, _ options: SyncOptions) async throws(OffersError) -> String {
    guard let definition = try? configuration.fetch(feed) else { return "" }
    let state = try await store.findSyncState(of: feed)
    return usualSource(of: definition, state, options).flatMap(HTTPOrigin.init)?.host ?? ""
  }
}

extension SyncRun {
  /// The run, unless it failed.
  ///
  /// - Throws: the error of a run that failed.
  func orThrow() throws(OffersError) -> SyncRun {
    if outcome == .failed, let error { throw error }
    return self
  }
}

extension FeedConfiguration {
  /// Returns the feeds that have a definition here or are subscribed in a database, sorted by name.
  /// `FeedSummary.nextDueAt(now:)` tells when to sync each.
  ///
  /// - Parameter store: nil if there is none yet.
  /// - Throws: the errors of `knownFeeds()` and of the store.
  public func fetchSummaries(
    in store: OffersDatabase?
  ) async throws(OffersError) -> [FeedSummary] {
    FeedSummary.all(
      known: try knownFeeds(), subscribed: try await store?.fetchFeeds() ?? [],
      former: try await store?.fetchFormerFeeds() ?? [])
  }
}
