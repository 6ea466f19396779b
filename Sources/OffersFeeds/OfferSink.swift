import OffersCore

/// Takes what a reader finds, one record at a time.
package protocol OfferSink: AnyObject {
  /// Takes an offer. The texts are valid during the call only; id and name are there.
  func accept(_ texts: OfferTexts, position: Int) throws

  /// Takes a record unread when it is known by its bytes.
  ///
  /// - Parameter bytes: begin with the record, and go on behind it.
  /// - Returns: the record's length; nil when it has to be read.
  func recognize(_ bytes: UnsafeRawBufferPointer) -> Int?

  /// Takes a record that is known by its values, before an offer is made of them.
  ///
  /// - Returns: whether it did.
  func recognize(_ record: ReadRecord) -> Bool

  /// What records' values are hashed with; nil where nobody remembers them.
  var recordSeed: UInt64? { get }

  /// Takes note of a record that is no offer. The id, where it could be read, tells which offer is
  /// still in the feed although its record is broken.
  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String)

  /// Takes note of a record that was kept without a part of it.
  func mend(position: Int, reason: String)
}

extension OfferSink {
  package func recognize(_ bytes: UnsafeRawBufferPointer) -> Int? { nil }
  package func recognize(_ record: ReadRecord) -> Bool { false }
  package var recordSeed: UInt64? { nil }
}
