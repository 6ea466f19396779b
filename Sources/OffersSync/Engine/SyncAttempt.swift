import Foundation
import OffersCore
import OffersFeeds

/// One attempt to sync a feed, from its source to the store.
struct SyncAttempt {
  /// The feed's pages, with what they are read by.
  let pages: FeedPages
  /// The `derivationSeed` of the definition, computed once because that takes a while.
  let derivationSeed: UInt64
  /// The text of the source that the feed is synced from if the options name none; nil if there is
  /// none.
  let usualSource: String?
  let state: SyncState?
  /// The source to remember after a successful sync; nil to change nothing.
  let remembered: ChosenSource?
  let clock: ContinuousClock.Instant
  let schedule: FetchSchedule
  /// Whether to compute the changes only, and write nothing to the store.
  let isTrial: Bool

  var definition: FeedDefinition { pages.definition }
  /// The source with its placeholders not filled in.
  var source: SyncSource { pages.source }
  var template: SourceTemplate { pages.template }
  var options: SyncOptions { pages.options }
  var fetching: FetchSettings { pages.fetching }
  var startedAt: Date { pages.now }

  /// The result of the attempt.
  struct Result: Sendable {
    var run: SyncRun
    /// The changes that a trial would have made; empty if it was no trial.
    var changes: [OfferChange] = []
    /// The ids that a search found, page by page.
    var foundPages: [[String]] = []
    /// The number of pages of a search that the document states; nil if it states none.
    var pageCount: Int?
    /// The failure that is not recorded yet, because it may be the network's; nil for any other end.
    var unreached: UnreachedSource?
  }

  /// The end of the attempt: the run, and the new fetch state of the feed; nil for no change.
  typealias Ending = (run: SyncRun, fetch: FetchState?)

  func end(
    _ outcome: SyncOutcome, bytes: Int = 0, counts: SyncCounts = SyncCounts(),
    error: OffersError? = nil, problems: [ReadProblem] = [], mendedCount: Int = 0,
    removals: RemovalDecision? = nil
  ) -> Ending {
    let elapsed = ContinuousClock.now - clock
    let fetch =
      outcome == .failed ? afterFailure : afterSuccess(outcome, removals)
    let usual = startedAt.addingTimeInterval(TimeInterval(schedule.everySeconds))
    let run = SyncRun(
      feed: definition.name, source: template.text, outcome: outcome, counts: counts, bytes: bytes,
      startedAt: startedAt, durationSeconds: elapsed / .seconds(1), error: error,
      problems: problems.hiding(pages.secrets), mendedCount: mendedCount, request: request,
      nextDueAt: (fetch ?? state?.fetch)?.nextDueAt ?? usual)
    return (run.hidingAddresses(), fetch)
  }

  /// The record of the HTTP requests; nil if the source is not a URL.
  private var request: FetchSummary? {
    guard case .url = source else { return nil }
    var request = FetchSummary(reason: options.reason)
    request.requestCount = fetching.log.answer.requestCount
    request.status = fetching.log.answer.status
    request.isConditional = fetching.log.answer.isConditional
    return request
  }

  /// The metadata of the responses so far; nil if the source is not a URL.
  private var answer: FetchMetadata? {
    if case .url = source { fetching.log.answer } else { nil }
  }

  /// The fetch state after a sync that did not fail; nil for no change.
  private func afterSuccess(
    _ outcome: SyncOutcome, _ removals: RemovalDecision?
  ) -> FetchState? {
    // A search says nothing about the feed's document, and changes no offer of it.
    if options.query != nil { return nil }
    // A source that is not remembered says nothing about the feed's server.
    let isQuarantined = outcome == .quarantined
    if template.text != usualSource && (isQuarantined || remembered == nil) {
      return schedule.afterOther(state?.fetch, held: removals?.held)
    }
    var answer = answer
    // The target of a redirect may contain the values of variables, which must not be stored.
    if !template.isPlain { answer?.permanentAddress = nil }
    // Nothing of the document was stored, so that it has to be sent again.
    if removals?.takesOffers == false { answer?.vouches = false }
    let before = state?.fetch ?? FetchState()
    let after = schedule.afterSuccess(
      before, answer, source: template.text, rules: derivationSeed,
      held: removals?.held, confirmAt: removals?.confirmAt,
      usualSeconds: outcome == .unchanged ? usualSeconds : nil, now: startedAt)
    return after == before ? nil : after
  }

  /// The seconds from the last run to the due time that it stored; nil after a failure, and if it
  /// stored none, so that the feed is due after the usual interval.
  private var usualSeconds: TimeInterval? {
    guard let fetch = state?.fetch, fetch.failureCount == 0, let due = fetch.nextDueAt,
      let last = state?.lastRunAt
    else { return nil }
    return due.timeIntervalSince(last)
  }

  /// Syncs the feed: reads its document, and applies the difference to the store.
  ///
  /// - Parameters:
  ///   - store: the store of the offers.
  ///   - mayRename: whether stored offers may get other ids (`takesOverIDs`), after which the document
  ///     is read a second time.
  ///   - progress: called from time to time.
  /// - Returns: the result; a failed sync has a run with its error, which is recorded.
  /// - Throws: `CancellationError`.
  func perform(
    with store: any SyncStore, mayRename: Bool = true,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result {
    if options.query == nil, let document = state?.document, try await recognise(document) {
      return try await unchanged(document.sizeBytes, in: store)
    }
    let gate = UnchangedDocumentFilter(
      seed: derivationSeed, known: documentToExpect, folder: store.scratchFolder)
    let collector = DifferenceCollector(
      definition: definition, derivationSeed: derivationSeed, folder: store.scratchFolder,
      hasPages: pages.hasPages, isSearch: options.query != nil)
    do {
      guard let facts = try await read(into: collector, through: gate, from: store, progress) else {
        return try await unchanged(gate.hasher.sizeBytes, in: store)
      }
      let document = gate.hasher.finish()
      // A search has to store its offers even if its document is the stored one.
      if document == state?.document, options.query == nil {
        return try await unchanged(document.sizeBytes, in: store)
      }
      try checkReadable(collector)
      if mayRename, try await takesOverIDs(collector, in: store) {
        return try await perform(with: store, mayRename: false, progress)
      }
      let removals = try await decideRemovals(collector, facts, in: store)
      var result = try await write(
        plan(collector, document, facts, removals), holdingBack: removals?.held, to: store)
      result.foundPages = collector.foundPages
      result.pageCount = facts.pageCount
      return result
    } catch let error as OffersError {
      try Task.checkCancellation()
      return await failed(
        end(
          .failed, bytes: gate.hasher.sizeBytes, counts: collector.skipped, error: reported(error),
          problems: collector.problems, mendedCount: collector.mendedCount), in: store)
    }
  }

  /// Ends an attempt that failed before its document was parsed.
  func failed(_ error: OffersError, in store: any SyncStore) async -> Result {
    await failed(end(.failed, error: reported(error)), in: store)
  }

  /// Records a failed run, unless it may be the network's failure: that depends on the other attempts of
  /// the same call.
  private func failed(_ ending: Ending, in store: any SyncStore) async -> Result {
    if isOwn, !isTrial, let contact = answer?.contact, contact != .server {
      return Result(
        run: ending.run,
        unreached: UnreachedSource(
          host: HTTPOrigin(template.text)?.host ?? "", contact: contact, state: state,
          fetch: ending.fetch))
    }
    // The caller gets the failure of the sync, not an error of recording it.
    try? await record(ending, in: store)
    return Result(run: ending.run)
  }

  /// Whether the source is the feed's usual one. A failure of another source or of a search is that of the
  /// command, and says nothing about the feed.
  private var isOwn: Bool { options.query == nil && template.text == usualSource }

  /// The error as it is reported and stored: without the values of variables, and for a feed that
  /// is gone for good (410) with the advice how to start it again.
  private func reported(_ error: OffersError) -> OffersError {
    let error = error.hiding(pages.secrets)
    guard answer?.isGoneForGood == true else { return error }
    return OffersError(
      error.code, error.message,
      advice: Hint(
        "Nothing was changed. It is gone for good and is no longer fetched. To start it again, force a "
          + "sync, or name another source.", command: "offers sync \(definition.name) --force"),
      cause: error.cause)
  }

  /// Records a run that changes no offer, unless this is a trial or a failed search. The failure of another
  /// source is not recorded while the feed itself fails: the last run tells why the feed fails.
  private func record(
    _ ending: Ending, remember source: ChosenSource? = nil, in store: any SyncStore
  ) async throws {
    let feedFails = (state?.fetch.failureCount ?? 0) > 0
    if isTrial || ending.run.outcome == .failed && (options.query != nil || !isOwn && feedFails) {
      return
    }
    try Task.checkCancellation()
    try await store.record(
      ending.run, remember: source, fetch: ending.fetch,
      presentation: ending.run.outcome == .failed ? nil : definition.presentation)
  }

  /// The fetch state after a failed sync; nil for no change.
  private var afterFailure: FetchState? {
    guard isOwn else { return nil }
    return schedule.afterFailure(state?.fetch ?? FetchState(), answer, now: startedAt)
  }

  /// Reads the document and compares its records with the stored offers. These are fetched only when
  /// parsing begins, so that a document that is recognized as unchanged causes no scan of the store.
  ///
  /// - Returns: nil if the document is the stored one, and was not parsed.
  private func read(
    into collector: DifferenceCollector, through gate: UnchangedDocumentFilter,
    from store: any SyncStore,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> DocumentFacts? {
    var records = 0
    func report(_ total: Int?, isWriting: Bool = false) {
      progress(
        SyncProgress(
          feed: definition.name, bytes: gate.hasher.sizeBytes, totalBytes: total,
          records: records, isWriting: isWriting))
    }
    let facts = try await pages.read(
      into: FeedPages.Receiver(
        begin: {
          collector.begin(comparingWith: try await store.fetchKnownOffers(of: definition.name))
        }, sink: collector, gate: gate,
        piece: { piece, total, count in
          records = count
          report(total)
        }, nextPage: { collector.beginPage(behind: $0) }))
    guard let facts else { return nil }
    collector.finish()
    // Of a document whose offers change with the time, the next sync needs all of it again.
    if collector.isTimed { fetching.log.answer.vouches = false }
    report(gate.hasher.sizeBytes, isWriting: true)
    return facts
  }

  /// Applies a plan, or computes its changes in a trial.
  ///
  /// - Parameter held: what the plan holds back.
  func write(
    _ plan: SyncPlan, holdingBack held: HeldBack?, to store: any SyncStore
  ) async throws -> Result {
    var result: Result
    if isTrial {
      let (run, changes) = try await store.preview(plan)
      result = Result(run: run, changes: changes)
    } else {
      try Task.checkCancellation()
      result = Result(run: try await store.apply(plan))
    }
    result.run.held = held
    if choice == .keep {
      result.run.keptCount = plan.missing?.filter { $0.since == nil }.count ?? 0
    }
    if held != nil {
      let counts = result.run.counts
      result.run.listedCount =
        (state?.currentCount ?? 0) + counts.new + counts.back - counts.gone
    }
    return result
  }

  /// Whether the document is only a part of the feed, by the definition or because of a search, so
  /// that a missing offer may still exist.
  var isSelection: Bool { definition.isSelection || options.query != nil }

  /// The fingerprint of the stored document, with which a download is compared while it is read.
  /// Nil for sources other than URLs (see `recognise`), feeds with several pages, and searches.
  var documentToExpect: DocumentFingerprint? {
    guard case .url = source, !pages.hasPages, options.query == nil else { return nil }
    return state?.document
  }

  /// Whether the document of a file or of the sample is the stored one, according to its hash, so
  /// that it need not be parsed. Most changed files are recognized by their size or their first
  /// bytes already. False for other sources, and for files with several pages.
  private func recognise(_ known: DocumentFingerprint) async throws -> Bool {
    var hasher = DocumentHasher(seed: derivationSeed)
    switch source {
    case .file(let path):
      if pages.hasPages { return false }
      guard FileDocument.findSize(path: path) == known.sizeBytes else { return false }
      do {
        try await FileDocument.read(path: path) { piece, _ in
          hasher.update(piece)
          if let head = hasher.headHash(passedIn: piece), head != known.headHash {
            throw AnotherDocument()
          }
        }
      } catch is AnotherDocument {
        return false
      }
    case .sample:
      let sample = FeedCatalog.findSample(of: definition.name) ?? []
      sample.withUnsafeBytes { hasher.update($0) }
    case .url, .standardInput:
      return false
    }
    return hasher.finish() == known
  }

  /// An error that ends the hashing of a document that differs from the stored one.
  private struct AnotherDocument: Error {}

  /// Ends a sync whose document is the stored one. If removals are held back, it is the document
  /// that lacks these offers, and may confirm that they are gone.
  private func unchanged(_ bytes: Int, in store: any SyncStore) async throws -> Result {
    if try await hasMissing(in: store) { return try await repeated(bytes, in: store) }
    let ending = end(.unchanged, bytes: bytes, counts: unchangedCounts)
    // The source is written only if it changed, which saves a wait for the disk.
    try await record(ending, remember: remembered == state?.source ? nil : remembered, in: store)
    return Result(run: ending.run)
  }

  private var unchangedCounts: SyncCounts {
    var counts = SyncCounts()
    counts.unchanged = state?.currentCount ?? 0
    return counts
  }

  /// Refuses a document whose records are all invalid. A document without records is accepted.
  ///
  /// - Throws: `OffersError` with `unexpectedShape`.
  private func checkReadable(_ collector: DifferenceCollector) throws {
    guard collector.offerCount == 0, collector.skippedCount > 0 else { return }
    let first = collector.problems.first.map { " Record \($0.position): \($0.reason)." } ?? ""
    throw OffersError(
      .unexpectedShape,
      "None of the \(collector.skippedCount) records could be read as an offer.\(first)",
      hint: "Nothing was changed. Check that the source is this feed's own document.")
  }
}
