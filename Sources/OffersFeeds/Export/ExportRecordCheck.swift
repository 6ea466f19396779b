import OffersCore

/// Checks whether an import would accept a record, before it is written.
///
/// A damaged database can yield rows that are not valid records: an impossible time, invalid
/// Unicode, a change of a sync that is missing.
package final class ExportRecordCheck {
  private let reader = ExportRecordReader()

  package init() {}

  /// Returns whether a record is valid. Records come in the order of the document; an accepted
  /// record is part of it from then on, so that later ones may refer to it.
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
        // The caller needs to know only that the record is refused.
        return false
      }
    }
  }
}
