import Foundation
import OffersCore
import OffersFeeds
import OffersStore

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
    let isHeldBack = outcome == .heldBack
    if template.text != usualSource && (isHeldBack || remembered == nil) {
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
  ///   - mayRename: whether stored offers may get other ids (`takesOverIDs`), after which the document
  ///     is read a second time.
  ///   - progress: called from time to time.
  /// - Returns: the result; a failed sync has a run with its error, which is recorded.
  /// - Throws: `CancellationError`.
  func perform(
    with store: OffersDatabase, mayRename: Bool = true,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result {
    if options.query == nil, let document = state?.document,
      try await pages.isStored(document, seed: derivationSeed)
    {
      return try await unchanged(document.sizeBytes, in: store)
    }
    let hasher = DocumentHasher(seed: derivationSeed)
    let collector = DifferenceCollector(
      definition: definition, derivationSeed: derivationSeed, folder: store.temporaryFolder,
      hasPages: pages.hasPages, isSearch: options.query != nil)
    do {
      guard var reading = try await read(into: collector, hasher, from: store, progress) else {
        return try await unchanged(0, in: store)
      }
      let facts = reading.facts
      let document = hasher.finish()
      // A search has to store its offers even if its document is the stored one.
      if document == state?.document, options.query == nil {
        return try await unchanged(document.sizeBytes, in: store)
      }
      try checkReadable(collector)
      if mayRename, try await takesOverIDs(collector, in: store) {
        return try await perform(with: store, mayRename: false, progress)
      }
      var removals = try await decideRemovals(collector, reading, in: store)
      if removals?.vanishedKeys.isEmpty == false, reading.pageCount > 1, choice == .none {
        // Pages change while they are read: an offer that moved to an earlier page was not seen. It is
        // gone only if a second reading lacks it, too.
        let again = try await read(into: collector, nil, from: store, progress)
        reading.isDoubtful = again?.isDoubtful ?? true
        removals = try await decideRemovals(collector, reading, in: store)
      }
      var result = try await write(
        plan(collector, document, facts, removals), holdingBack: removals?.held, to: store)
      result.foundPages = collector.foundPages
      result.pageCount = facts.pageCount
      return result
    } catch let error as OffersError {
      try error.throwIfCancelled()
      return await failed(
        end(
          .failed, bytes: hasher.sizeBytes, counts: collector.skipped, error: reported(error),
          problems: collector.problems, mendedCount: collector.mendedCount), in: store)
    }
  }

  /// Ends an attempt that failed before its document was parsed.
  func failed(_ error: OffersError, in store: OffersDatabase) async -> Result {
    await failed(end(.failed, error: reported(error)), in: store)
  }

  /// Records a failed run, unless it may be the network's failure: that depends on the other attempts of
  /// the same call.
  private func failed(_ ending: Ending, in store: OffersDatabase) async -> Result {
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
      hint: Hint(
        "Nothing was changed. It is gone for good and is no longer fetched. To start it again, force a "
          + "sync, or name another source.", command: "offers sync \(definition.name) --force"),
      cause: error.cause)
  }

  /// Records a run that changes no offer, unless this is a trial or a failed search. The failure of another
  /// source is not recorded while the feed itself fails: the last run tells why the feed fails.
  private func record(
    _ ending: Ending, remember source: ChosenSource? = nil, in store: OffersDatabase
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
  /// parsing begins, so that a 304 causes no scan of the store.
  ///
  /// - Parameter hasher: computes the document's fingerprint; nil for a second reading.
  /// - Returns: nil if the server answered 304.
  private func read(
    into collector: DifferenceCollector, _ hasher: DocumentHasher?, from store: OffersDatabase,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> FeedPages.Reading? {
    var records = 0
    func report(_ total: Int?, isWriting: Bool = false) {
      guard let hasher else { return }
      progress(
        SyncProgress(
          feed: definition.name, bytes: hasher.sizeBytes, totalBytes: total,
          records: records, isWriting: isWriting))
    }
    let reading = try await pages.read(
      into: FeedPages.Receiver(
        begin: {
          if hasher == nil { return collector.beginAgain() }
          collector.begin(comparingWith: try await store.fetchKnownOffers(of: definition.name))
        }, sink: collector,
        piece: { piece, total, count in
          hasher?.update(piece)
          records = count
          report(total)
        }, nextPage: { collector.beginPage(behind: $0) }))
    guard let reading else { return nil }
    collector.finish()
    // Of a document whose offers change with the time, the next sync needs all of it again.
    if collector.isTimed { fetching.log.answer.vouches = false }
    report(hasher?.sizeBytes, isWriting: true)
    return reading
  }

  /// Applies a plan, or computes its changes in a trial.
  ///
  /// - Parameter held: what the plan holds back.
  func write(
    _ plan: SyncPlan, holdingBack held: HeldBack?, to store: OffersDatabase
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

  /// Ends a sync whose document is the stored one. If removals are held back, it is the document
  /// that lacks these offers, and may confirm that they are gone.
  private func unchanged(_ bytes: Int, in store: OffersDatabase) async throws -> Result {
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

/// The plan of a sync.
extension SyncAttempt {
  /// The plan to apply to the store.
  ///
  /// - Parameter removals: what happens to the offers that the document lacks; nil if the document is
  ///   a selection, or replaces the sample.
  func plan(
    _ collector: DifferenceCollector, _ document: DocumentFingerprint, _ facts: DocumentFacts,
    _ removals: RemovalDecision?
  ) throws -> SyncPlan {
    let takesOffers = removals?.takesOffers ?? true
    let replacesSample = replacesSample(collector)
    let isEmpty = collector.offerCount == 0
    let error = error(of: removals, isEmpty: isEmpty)
    let (run, fetch) = end(
      error == nil ? .updated : .heldBack, bytes: document.sizeBytes,
      counts: collector.counts, error: error,
      problems: collector.problems, mendedCount: collector.mendedCount, removals: removals)
    return SyncPlan(
      run: run,
      newRecords: takesOffers ? collector.newRecords.finish() : SpooledRecords.none,
      knownRecords: takesOffers ? collector.knownRecords.finish() : SpooledRecords.none,
      vanishedKeys: removals?.vanishedKeys
        ?? (replacesSample ? collector.known.vanishedKeys() : []),
      missing: removals?.missing ?? (replacesSample ? [] : nil),
      rememberedSource: error == nil ? remembered : nil,
      document: takesOffers && options.query == nil && !collector.isTimed ? document : nil,
      firstPageRecords: collector.firstPageRecords, isSearch: options.query != nil,
      replacesSample: replacesSample, isIndexed: options.isIndexed, title: facts.title,
      shared: facts.shared, presentation: definition.presentation, keepsFacts: !takesOffers,
      fetch: fetch, reader: FilterTextParser())
  }

  /// Whether the document is the first one after the built-in sample, and has none of its offers.
  func replacesSample(_ collector: DifferenceCollector) -> Bool {
    state?.lastGoodSource == SyncSource.sample.text && source != .sample && options.query == nil
      && collector.known.currentCount > 0 && collector.known.seenCurrentCount == 0
      && collector.offerCount > 0
  }
}

/// Holds back removals that are probably caused by a faulty document, and not intended by the feed.
extension SyncAttempt {
  /// Decides about the offers that a document lacks.
  ///
  /// - Parameters:
  ///   - reading: the pages that were read.
  ///   - store: the store with the offers that were missing before.
  /// - Returns: nil if the document says nothing about missing offers, because it is a selection, is not
  ///   read to its end, or replaces the sample.
  func decideRemovals(
    _ collector: DifferenceCollector, _ reading: FeedPages.Reading, in store: OffersDatabase
  ) async throws -> RemovalDecision? {
    // An offer that is missing in a selection, such as a search, has not vanished.
    if isSelection || replacesSample(collector) || reading.isPartial && choice == .none {
      return nil
    }
    var document = RemovalDecision.Document(
      missingKeys: collector.known.vanishedKeys(), currentCount: collector.known.currentCount,
      offerCount: collector.offerCount, isDoubtful: reading.isDoubtful)
    // The first document after the built-in sample replaces invented offers by real ones.
    let isAfterSample =
      state?.lastGoodSource == SyncSource.sample.text && source != .sample
      && collector.offerCount > 0
    if document.missingKeys.isEmpty || isAfterSample {
      return RemovalDecision(document, marks: [], hold: hold, choice: .remove, now: startedAt)
    }
    if collector.known.seenCount == 0, collector.offerCount > 0 {
      document.isStrange = try await isStrange(collector.look, reading.facts, in: store)
    }
    let marks = try await store.fetchMissingOffers(of: definition.name)
    let older = try await olderOffers(of: document, collector, marks, in: store)
    let keys = Set(older.map(\.key))
    document.missingKeys.removeAll { keys.contains($0) }
    document.currentCount -= older.count
    if try await isOutdated(collector, lacking: document.missingKeys, in: store) {
      document.isDoubtful = true
    }
    return RemovalDecision(
      document, marks: marks.filter { !$0.isOlder }, older: older, hold: hold, choice: choice,
      now: startedAt)
  }

  /// The offers that a window no longer shows: those that slid out before, and the missing ones that are older
  /// than the last known offer in it, if it is as long as before. Of a shorter or longer list they are gone.
  private func olderOffers(
    of document: RemovalDecision.Document, _ collector: DifferenceCollector,
    _ marks: [MissingOffer],
    in store: OffersDatabase
  ) async throws -> [MissingOffer] {
    guard definition.isWindow, collector.firstPageRecords == nil else { return [] }
    let missing = Set(document.missingKeys)
    let known = marks.filter { $0.isOlder && missing.contains($0.key) }
    let lastCount = max(0, document.currentCount - marks.count)
    let slack = lastCount / 10
    let count = document.offerCount - collector.repeatedCount
    let counts = count - slack...document.offerCount + collector.skippedCount + slack
    // Without a document of before, as after an import, only the order of the offers is known.
    guard document.offerCount > 0, !document.isStrange,
      state?.document == nil || counts.contains(lastCount)
    else { return known }
    let rest = Array(missing.subtracting(known.map(\.key))).sorted()
    var keys = rest
    if let last = collector.lastKnownKey {
      keys = try await store.findOffers(olderThan: last, among: rest)
    }
    return known + keys.map { MissingOffer(key: $0, since: startedAt, isOlder: true) }
  }

  /// Whether the newest entry of a window is older than one that is missing, as in an old copy of the document
  /// from a cache.
  private func isOutdated(
    _ collector: DifferenceCollector, lacking missing: [Int64], in store: OffersDatabase
  ) async throws -> Bool {
    guard definition.isWindow, collector.firstPageRecords == nil, let first = collector.firstKey,
      !missing.isEmpty
    else { return false }
    let older = Set(try await store.findOffers(olderThan: first, among: missing))
    guard let newest = missing.first(where: { !older.contains($0) }) else { return false }
    // The first entry may be one that always stays on top.
    let seen = collector.known.seenKeys()
    return try await store.findOffers(olderThan: newest, among: seen).count == seen.count
  }

  /// Gives stored offers the ids under which the document has them, if it prints other ids than before.
  ///
  /// - Returns: whether an id has changed, so that the document has to be compared anew.
  func takesOverIDs(
    _ collector: DifferenceCollector, in store: OffersDatabase
  ) async throws -> Bool {
    // The document has to be read a second time, which standard input does not allow.
    if isTrial || isSelection || source == .standardInput { return false }
    let offers = collector.linkedOffers
    let keys = collector.known.vanishedKeys()
    guard (1...RenamedOfferMatcher.limit).contains(offers.count),
      (1...RenamedOfferMatcher.limit).contains(keys.count)
    else { return false }
    try Task.checkCancellation()
    return try await store.renameOffers(of: definition.name, as: offers, missingKeys: keys) > 0
  }

  /// Whether a document without any known offer does not look like one of the feed.
  private func isStrange(
    _ look: FeedTraits, _ facts: DocumentFacts, in store: OffersDatabase
  ) async throws -> Bool {
    var known = try await store.fetchLook(of: definition.name)
    var found = look
    // A title that the definition states says nothing about the document.
    if definition.title.hasConstant { known.title = nil } else { found.title = facts.title }
    return !found.isLike(known)
  }

  /// Decides about the missing offers after the server or the file repeated the document that lacks
  /// them, which is not read again.
  private func decideAboutRepeated(
    in store: OffersDatabase
  ) async throws -> (decision: RemovalDecision, offerCount: Int) {
    let marks = try await store.fetchMissingOffers(of: definition.name)
    let older = marks.filter(\.isOlder)
    let count = (state?.currentCount ?? 0) - older.count
    let missing = marks.filter { !$0.isOlder }
    let document = RemovalDecision.Document(
      missingKeys: missing.map(\.key), currentCount: count,
      offerCount: max(0, count - missing.count))
    return (
      RemovalDecision(
        document, marks: missing, older: older, hold: hold, choice: choice, now: startedAt),
      document.offerCount
    )
  }

  /// Whether removals are held back, or the user decides about offers that were kept.
  func hasMissing(in store: OffersDatabase) async throws -> Bool {
    if state?.fetch.held != nil { return true }
    if choice == .none { return false }
    return try await !store.fetchMissingOffers(of: definition.name).isEmpty
  }

  /// Ends a sync whose document is the one that was stored while removals were held back.
  ///
  /// - Parameter bytes: the number of bytes that were read.
  func repeated(_ bytes: Int, in store: OffersDatabase) async throws -> Result {
    let (decision, offerCount) = try await decideAboutRepeated(in: store)
    var counts = SyncCounts()
    counts.unchanged = offerCount
    let error = error(of: decision, isEmpty: offerCount == 0)
    let (run, fetch) = end(
      error == nil ? .updated : .heldBack, bytes: bytes, counts: counts, error: error,
      removals: decision)
    let plan = SyncPlan(
      run: run, newRecords: SpooledRecords.none, knownRecords: SpooledRecords.none,
      vanishedKeys: decision.vanishedKeys, missing: decision.missing,
      rememberedSource: error == nil && remembered != state?.source ? remembered : nil,
      document: state?.document, isIndexed: options.isIndexed,
      presentation: definition.presentation, keepsFacts: true, fetch: fetch,
      reader: FilterTextParser())
    return try await write(plan, holdingBack: decision.held, to: store)
  }

  /// A document of another source confirms nothing: only a person decides about what it lacks.
  private var hold: RemovalHold {
    let hold = definition.hold ?? .usual
    return template.text == usualSource || hold == .seconds(0) ? hold : .never
  }

  var choice: RemovalDecision.Choice {
    options.acceptsRemovals ? .remove : options.keepsMissing ? .keep : .none
  }

  /// The error of a run whose document is not believed: it is empty, waits as a whole, or comes from
  /// another source than the feed's own. Nil for all others.
  func error(of removals: RemovalDecision?, isEmpty: Bool) -> OffersError? {
    guard let held = removals?.held else { return nil }
    let known = state?.currentCount ?? held.missingCount
    let missing = "\(held.missingCount) of \(known) offers"
    let message: String
    if held.waitingCount > 0 {
      message =
        "None of the \(known) offers is in this document, which does not look like the feed: "
        + "it is held back as a whole."
    } else if isEmpty {
      message = "The feed is empty: the removal of \(missing) is held back."
    } else if template.text != usualSource {
      message =
        "The removal of \(missing) is held back, and the feed keeps the source that it had."
    } else {
      return nil
    }
    return OffersError(.heldBack, message, hint: acceptance)
  }

  /// The advice on how to accept the removals, with the source unless it is the usual one.
  private var acceptance: Hint {
    let source = template.text == usualSource ? nil : template.text
    return Hint(
      "If that is right, accept the removals.",
      command: Hint.syncCommand(definition.name, from: source) + " --accept-removals")
  }
}

extension FieldRule {
  /// Whether the value may be a text of the definition.
  fileprivate var hasConstant: Bool {
    alternatives.contains { if case .constant = $0.value { true } else { false } }
  }
}
