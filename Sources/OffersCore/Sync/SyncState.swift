import Foundation

/// The state of a feed's syncs, as the last one left it.
package struct SyncState: Hashable, Sendable {
  /// The named source; nil for the definition's own.
  package let source: ChosenSource?
  /// The document that the stored offers equal, if they equal exactly one.
  package let document: DocumentFingerprint?
  /// The number of current offers.
  package let currentCount: Int
  /// The source of the last successful sync, which may differ from the named source; nil if there
  /// was none.
  package let lastGoodSource: String?
  /// The start of the last run, whatever its outcome; nil before the first run.
  package let lastRunAt: Date?
  package let fetch: FetchState

  package init(
    source: ChosenSource?, document: DocumentFingerprint?, currentCount: Int,
    lastGoodSource: String?,
    lastRunAt: Date? = nil, fetch: FetchState = FetchState()
  ) {
    self.source = source
    self.lastGoodSource = lastGoodSource
    self.document = document
    self.currentCount = currentCount
    self.lastRunAt = lastRunAt
    self.fetch = fetch
  }
}
