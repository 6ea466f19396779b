import OffersCore

/// Writes the offers and changes of one transaction. PostgreSQL's writes many by one statement, SQLite's
/// each by a prepared one. It keeps what the search needs up to date.
package protocol OfferWriter: AnyObject {
  /// Compares records with the offers that they replace, and writes the updates that `body` asks for.
  ///
  /// - Parameters:
  ///   - records: records with a key.
  ///   - body: gets each record and its difference from the stored offer; nil for an offer that was
  ///     removed.
  func compare(
    _ records: any OfferRecordSource, _ body: (OfferRecord, OfferDifference?) throws -> Void
  ) throws

  /// Replaces the contents of an offer, which is not gone then. To be called by the body of `compare`.
  func update(_ record: OfferRecord, _ difference: OfferDifference, _ state: OfferUpdateValues)
    throws

  /// Inserts an offer, or remembers it for `flushInserts`. One whose id the feed has is left out.
  ///
  /// - Returns: what was inserted and left out by this call.
  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer]

  /// Inserts what is remembered.
  func flushInserts(_ state: OfferInsertValues) throws -> [InsertedOffer]

  /// Inserts an offer of an export, which is not stored, or remembers it for `flushImported`. Its content hash
  /// is 0, so that the next sync compares values, and does not report an equal offer as changed.
  ///
  /// - Parameter firstRunID: the first sync of the feed, if that one had the offer.
  func insert(_ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?) throws

  /// Writes the offers of an export that are remembered.
  func flushImported() throws

  /// Records a change, or remembers it for `flushChanges`.
  func record(_ change: RecordedChange) throws

  /// Records the changes that are remembered.
  func flushChanges() throws

  /// Brings the search up to date with the written offers.
  ///
  /// - Parameter lastKey: offers with larger keys were inserted; nil if none was.
  func finish(newAfter lastKey: Int64?) throws
}

/// The times of an offer that is updated, in Unix seconds.
package struct OfferUpdateValues {
  /// When the offer changed; nil to keep the time.
  package let changedAt: Int64?
  /// When a search on the feed's server found the offer; nil for one of the feed's document.
  package let foundAt: Int64?
}

/// The values that all offers of an insertion share, and the key that the next one gets.
package struct OfferInsertValues {
  /// The key of the next offer.
  package var key: Int64
  package let feedKey: Int64
  /// When they were first seen, in Unix seconds.
  package let time: Int64
  /// When a search on the feed's server found them; nil for offers of the feed's document.
  package let foundAt: Int64?
  /// The run, if it is the feed's first sync.
  package let firstRunID: Int64?
}

/// An offer that was inserted or left out.
package struct InsertedOffer {
  package let key: Int64
  /// The offer's id and its position in the document, if the feed has the id already.
  package let repeated: (id: String, position: Int)?

  package init(key: Int64, repeated: (id: String, position: Int)? = nil) {
    self.key = key
    self.repeated = repeated
  }
}

/// A change to be recorded.
package struct RecordedChange {
  package let id: Int64
  package let runID: Int64
  package let feedKey: Int64
  /// The start of the run, in Unix seconds.
  package let at: Int64
  package let kind: OfferChange.Kind
  package let offerKey: Int64
  /// For a first sync, the number of its offers.
  package let offerCount: Int?
  /// For a changed offer, `{"name":{"from":…,"to":…}}`; see `ChangedFields`.
  package let fields: String?
}
