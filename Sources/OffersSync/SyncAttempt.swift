import Crypto
import Foundation
import OffersCore
import OffersFeeds

/// One attempt on one feed, from its source to the store.
struct SyncAttempt {
  let definition: FeedDefinition
  let source: DocumentSource
  let state: SyncState?
  let options: SyncOptions
  /// The source to remember if this works.
  let remembered: String?
  let startedAt: Date
  let clock: ContinuousClock.Instant

  /// A run as far as it has come.
  func run(
    _ outcome: SyncOutcome, bytes: Int = 0, counts: SyncCounts = SyncCounts(),
    error: OffersError? = nil, problems: [ReadProblem] = [], mendedCount: Int = 0
  ) -> SyncRun {
    let elapsed = ContinuousClock.now - clock
    return SyncRun(
      feed: definition.name, source: source.text, outcome: outcome, counts: counts, bytes: bytes,
      startedAt: startedAt, durationSeconds: elapsed / .seconds(1), error: error,
      problems: problems, mendedCount: mendedCount)
  }

  func perform(
    with store: any SyncStore, _ progress: @Sendable (SyncProgress) -> Void
  ) async throws -> SyncRun {
    if let unchanged = try await recognise(with: store) { return unchanged }
    let spool = RecordSpool(folder: store.scratchFolder)
    let collector = DifferenceCollector(
      known: try await store.fetchKnownOffers(of: definition.name), definition: definition,
      spool: spool)
    let reader = JSONFeedReader(definition: definition, sink: collector)
    var hash = SHA256()
    var bytes = 0
    try await read { piece, total in
      hash.update(bufferPointer: piece)
      bytes += piece.count
      try reader.consume(piece)
      progress(
        SyncProgress(
          feed: definition.name, bytes: bytes, totalBytes: total, records: reader.itemCount,
          isWriting: false))
    }
    try reader.finish()
    let digest = Array(hash.finalize())
    if digest == state?.documentHash { return try await unchanged(bytes, in: store) }
    try checkReadable(collector)
    progress(
      SyncProgress(
        feed: definition.name, bytes: bytes, totalBytes: bytes, records: reader.itemCount,
        isWriting: true))
    return try await store.apply(plan(collector, try spool.finish(), bytes, digest))
  }

  /// Hashes a document that can be had twice before it is read, if its size is that of the stored
  /// one: the same bytes need no reading.
  private func recognise(with store: any SyncStore) async throws -> SyncRun? {
    guard let state, let known = state.documentHash else { return nil }
    var bytes = 0
    var hash = SHA256()
    switch source {
    case .file(let path):
      guard FileDocument.findSize(path: path) == state.documentBytes else { return nil }
      try FileDocument.read(path: path) { piece, _ in
        bytes += piece.count
        hash.update(bufferPointer: piece)
      }
    case .sample:
      let sample = FeedCatalog.findSample(of: definition.name) ?? []
      bytes = sample.count
      hash.update(data: sample)
    case .url, .standardInput:
      return nil
    }
    return Array(hash.finalize()) == known ? try await unchanged(bytes, in: store) : nil
  }

  private func unchanged(_ bytes: Int, in store: any SyncStore) async throws -> SyncRun {
    var counts = SyncCounts()
    counts.unchanged = try await store.countCurrentOffers(of: definition.name)
    let run = run(.unchanged, bytes: bytes, counts: counts)
    try await store.record(run, remember: remembered)
    return run
  }

  private func read(_ handle: PieceHandler) async throws {
    switch source {
    case .url(let url):
      try await HTTPDocument(limits: options.limits).read(url: url, handle)
    case .file(let path):
      try FileDocument.read(path: path, handle)
    case .standardInput:
      try FileDocument.readStandardInput(handle)
    case .sample:
      guard let sample = FeedCatalog.findSample(of: definition.name) else {
        throw OffersError(.notFound, "The feed \(definition.name) has no built-in sample.")
      }
      try sample.withUnsafeBytes { try handle($0, $0.count) }
    }
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
    _ collector: DifferenceCollector, _ records: SpooledRecords, _ bytes: Int, _ digest: [UInt8]
  ) -> SyncPlan {
    let held = quarantine(collector)
    var counts = SyncCounts()
    counts.unchanged = collector.unchangedCount
    counts.skipped = collector.skippedCount
    return SyncPlan(
      run: run(
        held == nil ? .updated : .quarantined, bytes: bytes, counts: counts, error: held,
        problems: collector.problems, mendedCount: collector.mendedCount),
      records: records,
      vanishedKeys: held == nil ? collector.known.vanishedKeys() : [],
      rememberedSource: held == nil ? remembered : nil,
      documentHash: held == nil ? digest : nil)
  }

  /// Why removals are held back, or nil when they are to be believed: everything would vanish, or
  /// more than 10 offers and more than 10 %.
  private func quarantine(_ collector: DifferenceCollector) -> OffersError? {
    let known = collector.known.currentCount
    let vanished = known - collector.known.seenCurrentCount
    let isMuch = vanished > 10 && vanished * 10 > known
    let isAll = vanished > 0 && collector.offerCount == 0
    if options.acceptsRemovals || !(isMuch || isAll) { return nil }
    // Going from the built-in sample to a feed of one's own replaces invented offers by real ones.
    if let state, state.source == "sample", source != .sample, !isAll { return nil }
    let what = isAll ? "The feed is empty: all \(known)" : "\(vanished) of \(known)"
    return OffersError(
      .quarantined, "\(what) offers would be gone; none was removed.",
      hint: "If that is right: offers sync \(definition.name) --accept-removals")
  }
}
