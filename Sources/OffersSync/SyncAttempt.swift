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
  let environment: SourceTemplate.Environment
  let state: SyncState?
  let options: SyncOptions
  /// The source to remember if this works.
  let remembered: String?
  let startedAt: Date
  let clock: ContinuousClock.Instant
  let schedule: FetchSchedule
  let fetching: FetchContext
  /// Whether nothing is to be written.
  let isTrial: Bool

  /// A run, and for a trial what it would have changed.
  typealias Result = (run: SyncRun, changes: [OfferChange])

  /// A run as far as it has come.
  func run(
    _ outcome: SyncOutcome, bytes: Int = 0, counts: SyncCounts = SyncCounts(),
    error: OffersError? = nil, problems: [ReadProblem] = [], mendedCount: Int = 0
  ) -> SyncRun {
    let elapsed = ContinuousClock.now - clock
    let fetch =
      outcome == .failed ? failed : remembered(isHeld: outcome == .quarantined) ?? state?.fetch
    let usual = startedAt.addingTimeInterval(TimeInterval(schedule.everySeconds))
    return SyncRun(
      feed: definition.name, source: template.text, outcome: outcome, counts: counts, bytes: bytes,
      startedAt: startedAt, durationSeconds: elapsed / .seconds(1), error: error,
      problems: problems, mendedCount: mendedCount, request: request,
      nextDueAt: fetch?.nextDueAt ?? usual)
  }

  /// What was asked of a server; nil for a source that is none.
  private var request: SyncRequest? {
    guard case .url = source else { return nil }
    var request = SyncRequest(reason: options.reason)
    request.requestCount = fetching.log.answer.requestCount
    request.status = fetching.log.answer.status
    request.isConditional = !fetching.validators.isEmpty
    return request
  }

  /// What the server said; nil for a source that is none.
  private var answer: FetchAnswer? {
    if case .url = source { fetching.log.answer } else { nil }
  }

  /// What to remember of the server after a sync that worked; nil for what is there already.
  private func remembered(isHeld: Bool) -> FetchState? {
    // What a search finds is not the feed.
    if options.query != nil { return nil }
    var answer = answer
    // An address with a place for a variable in it would be stored with its value.
    if !template.isPlain { answer?.permanentAddress = nil }
    let before = state?.fetch ?? FetchState()
    let after = schedule.afterSuccess(
      before, answer, source: template.text, rules: derivationSeed, isHeld: isHeld, now: startedAt)
    return after == before ? nil : after
  }

  func perform(
    with store: any SyncStore, _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result {
    if let document = state?.document, try await recognise(document) {
      return (try await unchanged(document.sizeBytes, in: store), [])
    }
    let spool = RecordSpool(folder: store.scratchFolder)
    let collector = DifferenceCollector(
      known: try await store.fetchKnownOffers(of: definition.name), definition: definition,
      derivationSeed: derivationSeed, spool: spool)
    var hasher = DocumentHasher(seed: derivationSeed)
    do {
      return try await perform(with: store, spool, collector, &hasher, progress)
    } catch let error as OffersError {
      var counts = SyncCounts()
      counts.skipped = collector.skippedCount
      let run = run(
        .failed, bytes: hasher.sizeBytes, counts: counts, error: error.hiding(template.secrets),
        problems: collector.problems, mendedCount: collector.mendedCount)
      return (await recorded(run, in: store), [])
    }
  }

  /// The run of an attempt that failed before anything was read.
  func failed(_ error: OffersError, in store: any SyncStore) async -> SyncRun {
    await recorded(run(.failed, error: error.hiding(template.secrets)), in: store)
  }

  private func recorded(_ run: SyncRun, in store: any SyncStore) async -> SyncRun {
    if isTrial { return run }
    // The failure itself is worth more to the caller than a failure to record it.
    try? await store.record(run, remember: nil, fetch: failed)
    return run
  }

  /// What to remember of the server after a sync that failed; nil to leave it.
  private var failed: FetchState? {
    // A source that was only tried says nothing about the one that is remembered.
    let isOwn = options.query == nil && (remembered == nil || remembered == state?.source)
    guard isOwn else { return nil }
    return schedule.afterFailure(state?.fetch ?? FetchState(), answer, now: startedAt)
  }

  private func perform(
    with store: any SyncStore, _ spool: RecordSpool, _ collector: DifferenceCollector,
    _ hasher: inout DocumentHasher, _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result {
    var hashed = hasher
    defer { hasher = hashed }
    var records = 0
    func report(_ total: Int?, isWriting: Bool = false) {
      progress(
        SyncProgress(
          feed: definition.name, bytes: hashed.sizeBytes, totalBytes: total, records: records,
          isWriting: isWriting))
    }
    let facts = try await pages.read(
      into: FeedPages.Receiver(
        sink: collector,
        piece: { piece, total, count in
          hashed.update(piece)
          records = count
          report(total)
        },
        nextPage: { collector.beginPage(behind: $0) }))
    guard let facts else { return (try await notModified(in: store), []) }
    collector.finish()
    let document = hashed.finish()
    if document == state?.document {
      return (try await unchanged(document.sizeBytes, in: store), [])
    }
    try checkReadable(collector)
    report(document.sizeBytes, isWriting: true)
    let plan = plan(collector, try spool.finish(), document, facts)
    return isTrial ? try await store.preview(plan) : (try await store.apply(plan), [])
  }

  /// The server has nothing newer than what its validators were for: the stored document, or one
  /// whose removals were held back.
  private func notModified(in store: any SyncStore) async throws -> SyncRun {
    guard let fetch = state?.fetch, fetch.heldCount > 0 else {
      return try await unchanged(0, in: store)
    }
    let held = OffersError(
      .quarantined, "The feed still lacks the offers whose removal is held back; none was removed.",
      hint: "If that is right: offers sync \(definition.name) --accept-removals")
    let run = run(.quarantined, counts: unchangedCounts, error: held)
    if !isTrial {
      try await store.record(run, remember: nil, fetch: remembered(isHeld: true))
    }
    return run
  }

  /// Whether an offer that the document lacks may be there all the same.
  private var isSelection: Bool { definition.isSelection || options.query != nil }

  private var pages: FeedPages {
    FeedPages(
      definition: definition, source: source, template: template, options: options,
      environment: environment, fetching: fetching)
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
    let run = run(.unchanged, bytes: bytes, counts: unchangedCounts)
    if !isTrial {
      try await store.record(run, remember: remembered, fetch: remembered(isHeld: false))
    }
    return run
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

  private func plan(
    _ collector: DifferenceCollector, _ records: SpooledRecords, _ document: DocumentFingerprint,
    _ facts: DocumentFacts
  ) -> SyncPlan {
    let held = quarantine(collector)
    return SyncPlan(
      run: run(
        held == nil ? .updated : .quarantined, bytes: document.sizeBytes,
        counts: collector.counts, error: held, problems: collector.problems,
        mendedCount: collector.mendedCount),
      records: held != nil && isStrange(collector) ? NoRecords() : records,
      vanishedKeys: held == nil && !isSelection
        ? collector.known.vanishedKeys() : [],
      rememberedSource: held == nil ? remembered : nil,
      document: held == nil ? document : nil,
      firstPageRecords: collector.firstPageRecords, title: facts.title,
      shared: facts.shared.map { OfferAttribute(label: $0, value: $1) },
      fetch: remembered(isHeld: held != nil))
  }

  /// Whether a document shares no offer with a feed of more than a few: it is more likely another
  /// feed's than this one's, and nothing of it is taken until somebody says so.
  private func isStrange(_ collector: DifferenceCollector) -> Bool {
    let known = collector.known
    return known.currentCount > 10 && known.seenCurrentCount == 0 && collector.offerCount > 0
  }

  private struct NoRecords: OfferRecordSource {
    let isLarge = false
    func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {}
  }

  /// Why removals are held back, or nil when they are to be believed: everything would vanish, or
  /// more than 10 offers and more than 10 %.
  private func quarantine(_ collector: DifferenceCollector) -> OffersError? {
    // What a search or a first page lacks has not vanished.
    if isSelection { return nil }
    let known = collector.known.currentCount
    let vanished = known - collector.known.seenCurrentCount
    let isMuch = vanished > 10 && vanished * 10 > known
    let isAll = vanished > 0 && collector.offerCount == 0
    if options.acceptsRemovals || !(isMuch || isAll) { return nil }
    // Going from the built-in sample to a feed of one's own replaces invented offers by real ones.
    if state?.lastGoodSource == "sample", source != .sample, !isAll { return nil }
    let what =
      isStrange(collector)
      ? "None of the \(known) offers is in this document; nothing was changed."
      : (isAll ? "The feed is empty: all \(known)" : "\(vanished) of \(known)")
        + " offers would be gone; none was removed."
    let from = template.text == state?.source ? "" : " --from " + Self.shellWord(template.text)
    return OffersError(
      .quarantined, what,
      hint: "If that is right: offers sync \(definition.name)\(from) --accept-removals")
  }

  /// A word as a shell takes it unchanged.
  private static func shellWord(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "-_./:@%+,=".utf8.contains($0)
    }
    return isPlain && !text.isEmpty
      ? text
      : "'"
        + text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
