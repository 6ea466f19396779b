import Foundation
import OffersCore
import OffersFeeds

/// The plan of a sync.
extension SyncAttempt {
  /// The plan to apply to the store. If removals are held back, it has no vanished offers, and no
  /// new or changed ones either if the document is probably another feed's (`isStrange`).
  func plan(
    _ collector: DifferenceCollector, _ document: DocumentFingerprint, _ facts: DocumentFacts
  ) throws -> SyncPlan {
    let held = quarantine(collector)
    let (run, fetch) = end(
      held == nil ? .updated : .quarantined, bytes: document.sizeBytes,
      counts: collector.counts, error: held, problems: collector.problems,
      mendedCount: collector.mendedCount)
    let replacesSample = held == nil && replacesSample(collector)
    let takesAny = held == nil || !isStrange(collector)
    return SyncPlan(
      run: run,
      newRecords: takesAny ? collector.newRecords.finish() : SpooledRecords.none,
      knownRecords: takesAny ? collector.knownRecords.finish() : SpooledRecords.none,
      vanishedKeys: held == nil && !isSelection || replacesSample
        ? collector.known.vanishedKeys() : [],
      rememberedSource: held == nil ? remembered : nil,
      document: held == nil && options.query == nil ? document : nil,
      firstPageRecords: collector.firstPageRecords, isSearch: options.query != nil,
      replacesSample: replacesSample, isIndexed: options.isIndexed, title: facts.title,
      shared: facts.shared,
      fetch: fetch)
  }

  /// Whether the document is the first one after the built-in sample, and has none of its offers.
  private func replacesSample(_ collector: DifferenceCollector) -> Bool {
    state?.lastGoodSource == SyncSource.sample.text && source != .sample && options.query == nil
      && collector.known.currentCount > 0 && collector.known.seenCurrentCount == 0
      && collector.offerCount > 0
  }
}
