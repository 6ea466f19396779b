import OffersCore

/// Receives the records that a reader finds, one at a time.
///
/// A position is the number of the record in the document, counted from 1; it is 0 for the document
/// as a whole.
package protocol OfferSink: AnyObject {
  /// Receives an offer that has an id and a name.
  func accept(_ offer: OfferRecord, position: Int) throws

  /// Receives the reason why a record is not a valid offer, and the record's id if it could be
  /// read: the offer with that id is still in the feed, although its record is invalid.
  func skip(id: String?, position: Int, reason: String)

  /// Receives a description of parts of an offer, or of the document, that were left out, truncated
  /// or repaired. That of an offer comes before the offer itself.
  func mend(position: Int, reason: String)
}
