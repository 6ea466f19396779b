import Foundation

/// The part of a store that the sync engine uses: the state that a sync compares with, and its one
/// write.
public protocol SyncStore: Sendable {
  /// Runs `body` under a lock that excludes other syncs of this feed in all processes.
  ///
  /// - Throws: `OffersError` with `locked` when the lock is still held after `waitSeconds`. A lock
  ///   that a dead process held is free.
  func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result

  /// The names of the subscribed feeds, sorted.
  func fetchSubscribedFeeds() async throws -> [String]

  /// The sync state of a feed; nil when it was never synced or is unsubscribed. For a feed whose
  /// syncs have all failed, only the fetch state is set.
  func findSyncState(of feed: String) async throws -> SyncState?

  /// The feed's stored offers, to compare with. Empty for an unknown feed.
  func fetchKnownOffers(of feed: String) async throws -> KnownOffers

  /// Applies a difference and records the run in one transaction: all of it or nothing.
  ///
  /// - Returns: the run as recorded, with the counts that only the store can determine (new or
  ///   repeated ids, changed or merely rewritten offers).
  func apply(_ plan: SyncPlan) async throws -> SyncRun

  /// The changes that applying a difference would make, in order. Nothing is written.
  func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange])

  /// Records a run that changes no offer.
  ///
  /// - Parameters:
  ///   - source: the source to use from now on and its origin; nil to keep both.
  ///   - fetch: the new fetch state; nil to keep the stored one.
  func record(_ run: SyncRun, remember source: NamedSource?, fetch: FetchState?) async throws

  /// A folder on the disk of the store, for temporary files of syncs that do not fit in memory.
  var scratchFolder: String { get }
}

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

/// Identifies a document, to detect that it has not changed.
public struct DocumentFingerprint: Hashable, Sendable {
  /// The hash of the whole document, 16 bytes; see `DocumentHash`.
  public let hash: [UInt8]
  /// The hash of the first 64 KiB, which identifies most changed documents before they are read
  /// completely.
  public let headHash: [UInt8]
  public let sizeBytes: Int

  public init(hash: [UInt8], headHash: [UInt8], sizeBytes: Int) {
    self.hash = hash
    self.headHash = headHash
    self.sizeBytes = sizeBytes
  }
}

/// Offers to be written, in feed order.
public protocol OfferRecordSource: Sendable {
  /// Returns a reader that starts at the first record. Each call returns the same records.
  func makeReader() -> any OfferRecordReader
}

/// An iterator over records.
public protocol OfferRecordReader: AnyObject {
  /// The next record, valid until the next call or until the reader is released; nil at the end.
  func next() throws -> OfferRecord?
}

extension OfferRecordSource {
  /// Calls `body` with each record.
  public func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {
    let reader = makeReader()
    while let record = try reader.next() { try body(record) }
  }
}

/// The difference between a feed and its stored offers, ready to be written.
public struct SyncPlan: Sendable {
  /// The run so far; its counts include unchanged and skipped records.
  public let run: SyncRun
  /// Records of offers that the store does not have.
  public let newRecords: any OfferRecordSource
  /// Records of stored offers whose content hash differs or that were gone.
  public let knownRecords: any OfferRecordSource
  /// Keys of the offers that the feed no longer has, ascending.
  public let vanishedKeys: [Int64]
  /// The source to use from now on and its origin; nil to keep both.
  public let rememberedSource: NamedSource?
  /// The document's fingerprint; nil if the stored offers will not equal it.
  public let document: DocumentFingerprint?
  /// The number of records on the first of several pages: a repeated id on a later page is not an
  /// error. Nil for a feed of one document.
  public let firstPageRecords: Int?
  /// Whether this is a search, whose title and shared attributes do not apply to the feed.
  public let isSearch: Bool
  /// Whether to update the search index; otherwise it is rebuilt when it is needed.
  public let isIndexed: Bool
  /// The feed's name for people, where it has one.
  public let title: String?
  /// The attributes that all offers of the feed share.
  public let shared: [OfferAttribute]
  /// The new fetch state; nil to keep the stored one.
  public let fetch: FetchState?

  public init(
    run: SyncRun, newRecords: any OfferRecordSource, knownRecords: any OfferRecordSource,
    vanishedKeys: [Int64], rememberedSource: NamedSource?, document: DocumentFingerprint?,
    firstPageRecords: Int? = nil,
    isSearch: Bool = false, isIndexed: Bool = true, title: String? = nil,
    shared: [OfferAttribute] = [], fetch: FetchState? = nil
  ) {
    self.isIndexed = isIndexed
    self.fetch = fetch
    self.isSearch = isSearch
    self.run = run
    self.newRecords = newRecords
    self.knownRecords = knownRecords
    self.vanishedKeys = vanishedKeys
    self.rememberedSource = rememberedSource
    self.document = document
    self.firstPageRecords = firstPageRecords
    self.title = title
    self.shared = shared
  }
}
