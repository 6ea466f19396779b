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
