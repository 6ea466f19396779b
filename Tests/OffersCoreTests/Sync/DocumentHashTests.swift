import OffersCore
import Testing

@Suite("The hash of a document")
struct DocumentHashTests {
  private static func hash(_ bytes: [UInt8], pieceSize: Int? = nil) -> [UInt8] {
    var hash = DocumentHash()
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(pieceSize ?? rest.count)
        hash.update(UnsafeRawBufferPointer(rebasing: piece))
        rest = rest.dropFirst(piece.count)
      }
    }
    return hash.finish()
  }

  @Test("the hash does not depend on the sizes of the chunks", arguments: 1...140)
  func ignoresPieces(pieceSize: Int) {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 31) }
    for count in [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000] {
      let document = Array(bytes.prefix(count))
      #expect(Self.hash(document, pieceSize: pieceSize) == Self.hash(document))
    }
  }

  @Test("empty chunks do not affect the hash, and finish is idempotent")
  func ignoresEmptyPieces() {
    var hash = DocumentHash()
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    hash.update(empty)
    [UInt8]("abc".utf8).withUnsafeBytes { hash.update($0) }
    hash.update(empty)
    #expect(hash.finish() == Self.hash(Array("abc".utf8)))
    #expect(hash.finish() == hash.finish())
  }

  @Test("trailing zeros affect the hash, although the last stripe is padded with zeros")
  func tellsLengths() {
    let hashes = Set((0...200).map { Self.hash([UInt8](repeating: 0, count: $0)) })
    #expect(hashes.count == 201)
    #expect(hashes.allSatisfy { $0.count == 16 })
  }

  @Test("each bit of a document affects the hash")
  func noticesEveryBit() {
    let bytes = [UInt8](repeating: 0x20, count: 150)
    var hashes: Set<[UInt8]> = [Self.hash(bytes)]
    for bit in 0..<8 * bytes.count {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      hashes.insert(Self.hash(flipped))
    }
    #expect(hashes.count == 8 * bytes.count + 1)
  }

  @Test("the order of stripes affects the hash")
  func noticesOrder() {
    for size in [8, 16, 32, 64, 128] {
      let a = [UInt8](repeating: 1, count: size)
      let b = [UInt8](repeating: 2, count: size)
      #expect(Self.hash(a + b) != Self.hash(b + a))
    }
    // Rotates the blocks of two stripes.
    let blocks = (0..<16).map { [UInt8](repeating: UInt8($0), count: 8) }
    let turned = (0..<16).map { Self.hash((blocks[$0...] + blocks[..<$0]).flatMap { $0 }) }
    #expect(Set(turned).count == 16)
  }
}
