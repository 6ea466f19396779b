/// An iterator over records.
package protocol OfferRecordReader: AnyObject {
  /// The next record, valid until the next call or until the reader is released; nil at the end.
  func next() throws -> OfferRecord?
}
