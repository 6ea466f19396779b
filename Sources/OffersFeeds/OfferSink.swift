import OffersCore

/// Takes what a reader finds, one record at a time.
package protocol OfferSink: AnyObject {
  /// Takes an offer. The texts are valid during the call only; id and name are there.
  func accept(_ texts: OfferTexts, position: Int) throws

  /// Takes note of a record that is no offer. The id, where it could be read, tells which offer is
  /// still in the feed although its record is broken.
  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String)

  /// Takes note of a record that was kept without a part of it.
  func mend(position: Int, reason: String)
}
