import Foundation
import OffersCore
import OffersFeeds

/// One attempt on one feed, from its source to the store.
struct SyncAttempt {
  let definition: FeedDefinition
  /// The definition's, which takes a while to find.
  let derivationSeed: UInt64
  /// Where it is read from, without the values of variables.
  let source: DocumentSource
  let template: SourceTemplate
  /// The feed's source when nobody names another.
  let usualSource: String
  let environment: SourceTemplate.Environment
  let state: SyncState?
  let options: SyncOptions
  /// The source to remember if this works.
  let remembered: NamedSource?
  let startedAt: Date
  let clock: ContinuousClock.Instant
  let schedule: FetchSchedule
  let fetching: FetchContext
  /// Whether nothing is to be written.
  let isTrial: Bool

  /// What came of it.
  struct Result: Sendable {
    let run: SyncRun
    /// For a trial what it would have changed.
    var changes: [OfferChange] = []
    /// What a search's server found, the ids of a page each.
    var foundPages: [[String]] = []
    /// How many pages there are, where the document says so.
    var pageCount: Int?
  }

  /// How it ended: the run as far as it has come, and what to remember of the server, nil to leave
  /// that as it is.
  typealias Ending = (run: SyncRun, fetch: FetchState?)

  func end(
    _ outcome: SyncOutcome, bytes: Int = 0, counts: SyncCounts = SyncCounts(),
    error: OffersError? = nil, problems: [ReadProblem] = [], mendedCount: Int = 0
  ) -> Ending {
    let elapsed = ContinuousClock.now - clock
    let fetch =
      outcome == .failed ? afterFailure : afterSuccess(outcome)
    let usual = startedAt.addingTimeInterval(TimeInterval(schedule.everySeconds))
    let run = SyncRun(
      feed: definition.name, source: template.text, outcome: outcome, counts: counts, bytes: bytes,
      startedAt: startedAt, durationSeconds: elapsed / .seconds(1), error: error,
      problems: problems.hiding(pages.secrets), mendedCount: mendedCount, request: request,
      nextDueAt: (fetch ?? state?.fetch)?.nextDueAt ?? usual)
    return (run, fetch)
  }

  /// What was asked of a server; nil for a source that is none.
  private var request: SyncRequest? {
    guard case .url = source else { return nil }
    var request = SyncRequest(reason: options.reason)
    request.requestCount = fetching.log.answer.requestCount
    request.status = fetching.log.answer.status
    request.isConditional = fetching.log.answer.isConditional
    return request
  }

  /// What the server said; nil for a source that is none.
  private var answer: FetchAnswer? {
    if case .url = source { fetching.log.answer } else { nil }
  }

  /// What to remember of the server after a sync that worked; nil for what is there already.
  private func afterSuccess(_ outcome: SyncOutcome) -> FetchState? {
    // What a search finds is not the feed, and with it the feed is no longer one document. Nor says a
    // source that was only tried anything of the feed's own server.
    let isQuarantined = outcome == .quarantined
    if options.query != nil || template.text != usualSource && (isQuarantined || remembered == nil)
    {
      return schedule.afterOther(
        state?.fetch, endsHolding: options.query == nil && !isQuarantined)
    }
    var answer = answer
    // An address with a place for a variable in it would be stored with its value.
    if !template.isPlain { answer?.permanentAddress = nil }
    let before = state?.fetch ?? FetchState()
    let after = schedule.afterSuccess(
      before, answer, source: template.text, rules: derivationSeed,
      isHeld: outcome == .quarantined,
      usualSeconds: outcome == .unchanged ? usualSeconds : nil, now: startedAt)
    return after == before ? nil : after
  }

  /// How long the stored document stayed good, where that was longer than usual.
  private var usualSeconds: TimeInterval? {
    guard let fetch = state?.fetch, fetch.failureCount == 0, let due = fetch.nextDueAt,
      let last = state?.lastRunAt
    else { return nil }
    return due.timeIntervalSince(last)
  }

  func perform(
    with store: any SyncStore, _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result {
    if options.query == nil, let document = state?.document, try await recognise(document) {
      return Result(run: try await unchanged(document.sizeBytes, in: store))
    }
    let intake = FeedIntake(attempt: self, store: store)
    do {
      return try await perform(with: store, intake, progress)
    } catch let error as OffersError {
      let ending = end(
        .failed, bytes: intake.gate.hasher.sizeBytes,
        counts: intake.collector?.skipped ?? SyncCounts(),
        error: told(error), problems: intake.collector?.problems ?? [],
        mendedCount: intake.collector?.mendedCount ?? 0)
      return Result(run: await recorded(ending, in: store))
    }
  }

  /// The run of an attempt that failed before anything was read.
  func failed(_ error: OffersError, in store: any SyncStore) async -> SyncRun {
    await recorded(end(.failed, error: told(error)), in: store)
  }

  /// The error as it is told and stored.
  private func told(_ error: OffersError) -> OffersError {
    let error = error.hiding(pages.secrets)
    guard answer?.isGoneForGood == true else { return error }
    return OffersError(
      error.code, error.message,
      hint: "Nothing was changed. It is gone for good and is not asked for any more. To start it "
        + "again: offers sync \(definition.name) --force, or --from another address.",
      cause: error.cause)
  }

  private func recorded(_ ending: Ending, in store: any SyncStore) async -> SyncRun {
    // The failure itself is worth more to the caller than a failure to record it.
    try? await record(ending, in: store)
    return ending.run
  }

  /// Writes down a run that changes no offer.
  private func record(
    _ ending: Ending, remember source: NamedSource? = nil, in store: any SyncStore
  ) async throws {
    // A search that fails says nothing of the feed.
    let isFailedSearch = options.query != nil && ending.run.outcome == .failed
    if isTrial || isFailedSearch { return }
    try await store.record(ending.run, remember: source, fetch: ending.fetch)
  }

  /// What to remember of the server after a sync that failed; nil to leave it.
  private var afterFailure: FetchState? {
    // A source that was only tried says nothing about the one that is remembered.
    let isOwn = options.query == nil && template.text == usualSource
    guard isOwn else { return nil }
    return schedule.afterFailure(state?.fetch ?? FetchState(), answer, now: startedAt)
  }

  private func perform(
    with store: any SyncStore, _ intake: FeedIntake,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result {
    var records = 0
    func report(_ total: Int?, isWriting: Bool = false) {
      progress(
        SyncProgress(
          feed: definition.name, bytes: intake.gate.hasher.sizeBytes, totalBytes: total,
          records: records, isWriting: isWriting))
    }
    let reading = try await pages.read(
      into: FeedPages.Receiver(
        begin: intake.begin, gate: intake.gate,
        piece: { piece, total, count in
          records = count
          report(total)
        },
        nextPage: { intake.collector?.beginPage(behind: $0) }))
    let document = intake.gate.hasher.finish()
    let facts: DocumentFacts
    switch reading {
    case .notModified: return Result(run: try await notModified(in: store))
    case .sameDocument:
      return Result(run: try await unchanged(document.sizeBytes, in: store))
    case .read(let read): facts = read
    }
    let collector = try await intake.begin()
    collector.finish()
    // The same document says nothing about what was searched for.
    if document == state?.document, options.query == nil {
      return Result(run: try await unchanged(document.sizeBytes, in: store))
    }
    try checkReadable(collector)
    report(document.sizeBytes, isWriting: true)
    let plan = try plan(collector, document, facts)
    if isTrial {
      let (run, changes) = try await store.preview(plan)
      return Result(run: run, changes: changes)
    }
    return Result(
      run: try await store.apply(plan), foundPages: collector.foundPages,
      pageCount: facts.pageCount)
  }

  /// The server has nothing newer than what its validators were for: the stored document, or one
  /// whose removals were held back.
  private func notModified(in store: any SyncStore) async throws -> SyncRun {
    guard let fetch = state?.fetch, fetch.heldCount > 0 else {
      return try await unchanged(0, in: store)
    }
    let held = OffersError(
      .quarantined, "The feed still lacks the offers whose removal is held back; none was removed.",
      hint: acceptanceHint)
    let ending = end(.quarantined, counts: unchangedCounts, error: held)
    try await record(ending, in: store)
    return ending.run
  }

  /// Whether an offer that the document lacks may be there all the same.
  var isSelection: Bool { definition.isSelection || options.query != nil }

  var pages: FeedPages {
    FeedPages(
      definition: definition, source: source, template: template, options: options,
      environment: environment, fetching: fetching)
  }

  /// The stored document, where the same may come again over the network. Files are looked at
  /// before, and what has several pages is no single document.
  var documentToExpect: DocumentFingerprint? {
    guard case .url = source, !pages.hasPages, options.query == nil else { return nil }
    return state?.document
  }

  /// Whether a document that can be had twice is the stored one, told by its bytes alone: then it
  /// needs no reading. Its size and its head tell most others apart at once.
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

  /// Ends the reading of a document that cannot be the stored one any more.
  private struct AnotherDocument: Error {}

  private func unchanged(_ bytes: Int, in store: any SyncStore) async throws -> SyncRun {
    let ending = end(.unchanged, bytes: bytes, counts: unchangedCounts)
    // What is remembered already need not wait for the disk.
    try await record(ending, remember: remembered == state?.source ? nil : remembered, in: store)
    return ending.run
  }

  private var unchangedCounts: SyncCounts {
    var counts = SyncCounts()
    counts.unchanged = state?.currentCount ?? 0
    return counts
  }

  /// A document of nothing but broken records says nothing about the offers.
  private func checkReadable(_ collector: DifferenceCollector) throws {
    guard collector.offerCount == 0, collector.skippedCount > 0 else { return }
    let first = collector.problems.first.map { " Record \($0.position): \($0.reason)." } ?? ""
    throw OffersError(
      .unexpectedShape,
      "None of the \(collector.skippedCount) records could be read as an offer.\(first)",
      hint: "Nothing was changed. Check that the source is this feed's own document.")
  }
}
