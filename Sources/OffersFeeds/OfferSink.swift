import OffersCore

/// Receives the records that a reader finds, one at a time.
package protocol OfferSink: AnyObject {
  /// Receives an offer that has an id and a name. The texts are valid during the call only.
  func accept(_ texts: OfferTexts, position: Int) throws

  /// Takes note of a record that is no offer. The id, where it could be read, tells which offer is
  /// still in the feed although its record is broken.
  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String)

  /// Receives the reason why a record was kept without one of its parts.
  func mend(position: Int, reason: String)
}
