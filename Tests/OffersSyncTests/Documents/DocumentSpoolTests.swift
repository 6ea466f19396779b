import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Document spools")
struct DocumentSpoolTests {
  /// Chunks of a given total length, with adjacent chunks differing.
  private static func pieces(_ byteCount: Int) -> [[UInt8]] {
    let pieceBytes = 300_000
    return stride(from: 0, to: byteCount, by: pieceBytes).enumerated().map { number, start in
      [UInt8](
        repeating: UInt8(truncatingIfNeeded: number), count: min(pieceBytes, byteCount - start))
    }
  }

  private static func append(_ pieces: [[UInt8]], to spool: DocumentSpool) throws {
    for piece in pieces { try piece.withUnsafeBytes(spool.append) }
  }

  private static func kept(_ spool: DocumentSpool) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try spool.forEachPiece { bytes.append(contentsOf: $0) }
    return bytes
  }

  @Test(
    "a spooled document is returned whole and in order, from memory and from a file",
    arguments: [0, 1, DocumentSpool.startBytes - 1, DocumentSpool.startBytes, 5 << 20])
  func keeps(byteCount: Int) throws {
    let folder = try TemporaryFolder()
    let pieces = Self.pieces(byteCount)
    let spool = DocumentSpool(folder: folder.path)
    try Self.append(pieces, to: spool)
    #expect(try Self.kept(spool) == pieces.reduce(into: [], +=))
  }

  @Test("without a file, memory is used up to its limit")
  func noFile() throws {
    let folder = try TemporaryFolder()
    let pieces = Self.pieces(DocumentSpool.startBytes + DocumentSpool.endBytes)
    let spool = DocumentSpool(folder: folder.file("missing"))
    try Self.append(pieces, to: spool)
    #expect(try Self.kept(spool) == pieces.reduce(into: [], +=))
    let error = #expect(throws: OffersError.self) { try Self.append([[0]], to: spool) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains(folder.file("missing")) == true)
  }
}
