import OffersCore
import OffersFeeds
import Testing

/// Reads and writes exports as text.
enum ExportReading {
  static func read(_ text: String, pieceBytes: Int = .max) throws -> [ExportRecord] {
    var records: [ExportRecord] = []
    let reader = ExportReader(name: "saved.json") { records.append($0) }
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: max(1, min(pieceBytes, bytes.count))) {
      let piece = bytes[start..<min(bytes.count, start + min(pieceBytes, bytes.count))]
      try piece.withUnsafeBytes { try reader.consume($0) }
    }
    try reader.finish()
    return records
  }

  static func write(_ records: [ExportRecord]) throws -> String {
    var bytes: [UInt8] = []
    var writer = try ExportWriter { bytes += $0 }
    for record in records { try writer.add(record) }
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  static func refusal(_ text: String) -> OffersError? {
    #expect(throws: OffersError.self) { try read(text) }
  }
}
