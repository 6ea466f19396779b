import Foundation
import OffersCore
import OffersFeeds

/// The plan of a sync, and the quarantine of removals.
extension SyncAttempt {
  /// The plan to apply to the store.
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

  /// Whether the document has offers, but none of a feed with more than 10. It then probably
  /// belongs to another feed, and none of its offers is stored unless the user accepts the
  /// removals.
  private func isStrange(_ collector: DifferenceCollector) -> Bool {
    let known = collector.known
    return known.currentCount > 10 && known.seenCurrentCount == 0 && collector.offerCount > 0
  }

  /// The error of removals that are held back; nil if they are applied. They are held back if all
  /// offers would vanish, or more than 10 offers and more than 10 %.
  private func quarantine(_ collector: DifferenceCollector) -> OffersError? {
    // An offer that is missing in a selection, such as a search, has not vanished.
    if isSelection { return nil }
    let known = collector.known.currentCount
    let vanished = known - collector.known.seenCurrentCount
    let isMuch = vanished > 10 && vanished * 10 > known
    let isAll = vanished > 0 && collector.offerCount == 0
    if options.acceptsRemovals || !(isMuch || isAll) { return nil }
    // The first sync after the built-in sample replaces its invented offers by real ones.
    if state?.lastGoodSource == "sample", source != .sample, !isAll { return nil }
    let what =
      isStrange(collector)
      ? "None of the \(known) offers is in this document; nothing was changed."
      : (isAll ? "The feed is empty: all \(known)" : "\(vanished) of \(known)")
        + " offers would be removed; none was."
    return OffersError(.quarantined, what, hint: acceptanceHint)
  }

  /// The hint that names the command to accept the removals.
  var acceptanceHint: String {
    let from = template.text == usualSource ? "" : " --from " + ShellQuoting.word(template.text)
    return "If that is right: offers sync \(definition.name)\(from) --accept-removals"
  }
}
