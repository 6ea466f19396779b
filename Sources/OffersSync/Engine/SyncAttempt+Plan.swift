import Foundation
import OffersCore
import OffersFeeds

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
      error == nil ? .updated : .quarantined, bytes: document.sizeBytes,
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
      fetch: fetch)
  }

  /// Whether the document is the first one after the built-in sample, and has none of its offers.
  func replacesSample(_ collector: DifferenceCollector) -> Bool {
    state?.lastGoodSource == SyncSource.sample.text && source != .sample && options.query == nil
      && collector.known.currentCount > 0 && collector.known.seenCurrentCount == 0
      && collector.offerCount > 0
  }
}
