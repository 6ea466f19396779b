import Foundation

/// The state of a feed's syncs, as the last one left it.
public struct SyncState: Hashable, Sendable {
  /// The named source; nil for the definition's own.
  public let source: NamedSource?
  /// The document that the stored offers equal, if they equal exactly one.
  public let document: DocumentFingerprint?
  /// The number of current offers.
  public let currentCount: Int
  /// The source of the last successful sync, which may differ from the named source; nil if there
  /// was none.
  public let lastGoodSource: String?
  /// The start of the last run, whatever its outcome; nil before the first run.
  public let lastRunAt: Date?
  public let fetch: FetchState

  public init(
    source: NamedSource?, document: DocumentFingerprint?, currentCount: Int,
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
