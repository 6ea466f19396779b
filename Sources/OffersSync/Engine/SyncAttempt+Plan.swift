import Foundation
import OffersCore
import OffersFeeds

/// What a sync is to write, and what it holds back.
extension SyncAttempt {
  func plan(
    _ collector: DifferenceCollector, _ document: DocumentFingerprint, _ facts: DocumentFacts
  ) throws -> SyncPlan {
    let held = quarantine(collector)
    let (run, fetch) = end(
      held == nil ? .updated : .quarantined, bytes: document.sizeBytes,
      counts: collector.counts, error: held, problems: collector.problems,
      mendedCount: collector.mendedCount)
    let takesAny = held == nil || !isStrange(collector)
    return SyncPlan(
      run: run,
      newRecords: takesAny ? collector.newRecords.finish() : SpooledRecords.none,
      knownRecords: takesAny ? collector.knownRecords.finish() : SpooledRecords.none,
      vanishedKeys: held == nil && !isSelection ? collector.known.vanishedKeys() : [],
      rememberedSource: held == nil ? remembered : nil,
      document: held == nil && options.query == nil ? document : nil,
      firstPageRecords: collector.firstPageRecords, isSearch: options.query != nil,
      isIndexed: options.isIndexed, title: facts.title,
      shared: facts.shared,
      fetch: fetch)
  }

  /// Whether a document shares no offer with a feed of more than a few: it is more likely another
  /// feed's than this one's, and nothing of it is taken until somebody says so.
  private func isStrange(_ collector: DifferenceCollector) -> Bool {
    let known = collector.known
    return known.currentCount > 10 && known.seenCurrentCount == 0 && collector.offerCount > 0
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
    return OffersError(.quarantined, what, hint: acceptanceHint)
  }

  /// How to take removals for true.
  var acceptanceHint: String {
    let from = template.text == usualSource ? "" : " --from " + ShellQuoting.word(template.text)
    return "If that is right: offers sync \(definition.name)\(from) --accept-removals"
  }
}
