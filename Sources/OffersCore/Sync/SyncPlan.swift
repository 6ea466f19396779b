import Foundation

/// The difference between a feed and its stored offers, ready to be written.
package struct SyncPlan: Sendable {
  /// The run so far; its counts include unchanged and skipped records.
  package let run: SyncRun
  /// Records of offers that the store does not have.
  package let newRecords: any OfferRecordSource
  /// Records of stored offers whose content hash differs or that were gone.
  package let knownRecords: any OfferRecordSource
  /// Keys of the offers that the feed no longer has, ascending.
  package let vanishedKeys: [Int64]
  /// The offers that the document lacks and that are not removed, which replace those of before; nil
  /// to keep these.
  package let missing: [MissingOffer]?
  /// The source to use from now on and its origin; nil to keep both.
  package let rememberedSource: ChosenSource?
  /// The document's fingerprint; nil if the stored offers will not equal it.
  package let document: DocumentFingerprint?
  /// The number of records on the first of several pages: a repeated id on a later page is not an
  /// error. Nil for a feed of one document.
  package let firstPageRecords: Int?
  /// Whether the offers are the results of a search on the feed's server, which are no offers of the
  /// feed's list, and whose title and shared attributes do not apply to the feed.
  package let isSearch: Bool
  /// Whether the document takes the place of the built-in sample: the vanished offers are removed
  /// with their history, except for favorites, and the others are those of a first sync.
  package let replacesSample: Bool
  /// Whether to update the search index; otherwise it is rebuilt when it is needed.
  package let isIndexed: Bool
  /// The feed's name for people, where it has one.
  package let title: String?
  /// The attributes that all offers of the feed share.
  package let shared: [OfferAttribute]
  /// How the offers of the feed are shown, by its definition; nil to keep what is stored.
  package let presentation: FeedPresentation?
  /// Whether the feed keeps its title and its shared attributes, because nothing was taken from the
  /// document, or because it was not read again.
  package let keepsFacts: Bool
  /// The new fetch state; nil to keep the stored one.
  package let fetch: FetchState?
  /// Reads the texts of watches; nil for a plan that tells nobody, such as one that is tried out.
  package let reader: (any FilterTextReader)?

  package init(
    run: SyncRun, newRecords: any OfferRecordSource, knownRecords: any OfferRecordSource,
    vanishedKeys: [Int64], missing: [MissingOffer]? = nil, rememberedSource: ChosenSource?,
    document: DocumentFingerprint?,
    firstPageRecords: Int? = nil, isSearch: Bool = false, replacesSample: Bool = false,
    isIndexed: Bool = true, title: String? = nil,
    shared: [OfferAttribute] = [], presentation: FeedPresentation? = nil, keepsFacts: Bool = false,
    fetch: FetchState? = nil, reader: (any FilterTextReader)? = nil
  ) {
    self.reader = reader
    self.presentation = presentation
    self.missing = missing
    self.keepsFacts = keepsFacts
    self.isIndexed = isIndexed
    self.fetch = fetch
    self.isSearch = isSearch
    self.replacesSample = replacesSample
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

/// Identifies a document, to detect that it has not changed.
package struct DocumentFingerprint: Hashable, Sendable {
  /// The hash of the whole document, 16 bytes; see `DocumentHash`.
  package let hash: [UInt8]
  /// The hash of the first 64 KiB, which identifies most changed documents before all of the
  /// document is read.
  package let headHash: [UInt8]
  package let sizeBytes: Int

  package init(hash: [UInt8], headHash: [UInt8], sizeBytes: Int) {
    self.hash = hash
    self.headHash = headHash
    self.sizeBytes = sizeBytes
  }
}

/// The records of offers to be written, in the order of the document.
package protocol OfferRecordSource: Sendable {
  /// Returns a reader that starts at the first record. Each call returns the same records.
  func makeReader() -> any OfferRecordReader
}

extension OfferRecordSource {
  /// Calls `body` with each record.
  package func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {
    let reader = makeReader()
    while let record = try reader.next() { try body(record) }
  }
}

/// An iterator over records.
package protocol OfferRecordReader: AnyObject {
  /// The next record; nil at the end.
  func next() throws -> OfferRecord?
}
