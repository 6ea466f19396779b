import OffersCore

/// Receives the records that a reader finds, one at a time.
package protocol OfferSink: AnyObject {
  /// Receives an offer that has an id and a name. The texts are valid during the call only.
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

  /// Receives the reason why a record was kept without one of its parts.
  func mend(position: Int, reason: String)
}

extension OfferSink {
  package func recognize(_ bytes: UnsafeRawBufferPointer) -> Int? { nil }
  package func recognize(_ record: ReadRecord) -> Bool { false }
  package var recordSeed: UInt64? { nil }
}
