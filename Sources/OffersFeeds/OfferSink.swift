import OffersCore

/// Receives the records that a reader finds, one at a time.
package protocol OfferSink: AnyObject {
  /// Receives an offer that has an id and a name. The texts are valid during the call only.
  func accept(_ texts: OfferTexts, position: Int) throws

  /// Receives the reason why a record is not a valid offer, and the record's id if it could be
  /// read: the offer with that id is still in the feed, although its record is invalid.
  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String)

  /// Receives the reason why a record was kept without one of its parts.
  func mend(position: Int, reason: String)
}
