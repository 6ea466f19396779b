import OffersCore

/// Reads documents of one format: UTF-8 goes in, in chunks of any size; offers come out, one at a
/// time.
protocol FormatReader: AnyObject {
  /// The number of records met so far, broken ones included.
  var itemCount: Int { get }

  /// Reads the next bytes of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` or `limitExceeded`, and any error of the sink.
  func consume(_ bytes: UnsafeRawBufferPointer) throws

  /// Reads the rest of the document, which has ended.
  ///
  /// - Throws: the errors of `consume`, and `OffersError` with `malformedFeed` when the document is
  ///   cut off.
  func finish() throws

  /// The reason why a valid document has no list of offers at the paths of the definition; nil
  /// when it has one.
  var shapeProblem: String? { get }
  /// Whether a document with a `shapeProblem` lacks nothing but the list, so that it is a feed
  /// without offers if it names itself.
  var lacksOnlyList: Bool { get }
  /// The hint for the error about `shapeProblem`; nil when the reader knows of none, and the caller
  /// gives a general hint.
  var shapeHint: String? { get }
}

extension OfferAssembler {
  /// Passes a record to the sink: as an offer, or as a skipped record.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - ownKeys: the keys of the record and of the objects around it, as in `assemble`.
  ///   - isFull: whether values of the record were left out.
  ///   - sink: receives the record.
  ///   - position: the number of the record in the document, counted from 1.
  ///   - line: the line in which the record begins; nil for a format whose records have none.
  ///   - note: a description of what was repaired in the record before.
  mutating func deliver(
    _ record: RecordValue, ownKeys: [String] = [], isFull: Bool, to sink: any OfferSink,
    position: Int, line: Int? = nil, note: String? = nil
  ) throws {
    switch assemble(record, ownKeys: ownKeys, isFull: isFull) {
    case .offer(let mended):
      let notes = [note, mended].compactMap(\.self)
      if !notes.isEmpty { sink.mend(position: position, reason: notes.joined(separator: "; ")) }
      try sink.accept(offer, position: position)
    case .noOffer(let id, let reason):
      let key = isHinting ? missingKey(for: reason).flatMap { Self.nearest($0, in: record) } : nil
      let hint = key.map { "; did you mean \($0)?" } ?? ""
      let place = line.map { " (line \($0))" } ?? ""
      sink.skip(id: id, position: position, reason: reason + hint + place)
    }
  }

  /// The id of a record that cannot be an offer for another reason; nil if it has none.
  mutating func id(of record: RecordValue) -> String? {
    switch assemble(record, isFull: false) {
    case .offer: offer[.id]
    case .noOffer(let id, _): id
    }
  }

  /// The key of an object that is most like one that it lacks; nil for none.
  private static func nearest(_ missing: String, in record: RecordValue) -> String? {
    let keys = record.keys
    return keys.contains(missing) ? nil : NearestWord.find(missing, among: keys)
  }
}

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
