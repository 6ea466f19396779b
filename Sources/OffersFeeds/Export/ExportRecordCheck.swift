import OffersCore

/// Tells whether an import would take a record, before it is written.
///
/// What a damaged database gives can look like a record and be none: a time of no calendar, a text
/// that is no text, a change of a sync that is not there.
package final class ExportRecordCheck {
  private let reader = ExportRecordReader()

  package init() {}

  /// Records come in the order of the document. One that is accepted belongs to it from then on.
  package func accepts(_ record: ExportRecord) -> Bool {
    let bytes = ExportWriter.bytes(of: record)
    let padding = [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    return (bytes + padding).withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      let end = start + bytes.count
      var place = start
      do {
        _ = try reader.read(record.section, JSONScanner(end: end, isFinal: true), &place)
        return place == end
      } catch {
        // Why it is refused nobody asks.
        return false
      }
    }
  }
}
