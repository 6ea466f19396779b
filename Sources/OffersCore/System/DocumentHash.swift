/// An incremental, non-cryptographic 128-bit hash of a document: four lanes of folded 128-bit
/// products over eight-byte words.
///
/// Detects whether a document is the one that was read last. Accidental collisions are negligible.
/// A deliberate collision is possible, but its author would only hide updates of their own feed.
package struct DocumentHash: Sendable {
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89
  )
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  private static let stripeBytes = 64

  package init() {}

  /// Adds the next bytes. The hash does not depend on how the document is split into chunks.
  package mutating func update(_ piece: UnsafeRawBufferPointer) {
    count += UInt64(piece.count)
    var piece = piece
    if !rest.isEmpty {
      let missing = min(Self.stripeBytes - rest.count, piece.count)
      rest.append(contentsOf: piece.prefix(missing))
      piece = UnsafeRawBufferPointer(rebasing: piece.dropFirst(missing))
      if rest.count < Self.stripeBytes { return }
      rest.withUnsafeBytes { mix($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = piece.count / Self.stripeBytes * Self.stripeBytes
    mix(UnsafeRawBufferPointer(rebasing: piece.prefix(whole)))
    rest.append(contentsOf: piece.dropFirst(whole))
  }

  /// The hash of all bytes added so far, 16 bytes.
  package func finish() -> [UInt8] {
    var last = self
    let padding = [UInt8](repeating: 0, count: Self.stripeBytes - rest.count)
    (rest + padding).withUnsafeBytes { last.mix($0) }
    let (a, b, c, d) = last.lanes
    let fold = ContentHash.fold
    let low = fold(fold(a ^ count, b ^ 0x4528_21e6_38d0_1377), c ^ d)
    let high = fold(fold(c ^ count, d ^ 0xbe54_66cf_34e9_0c6c), a ^ b ^ low)
    return [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }

  /// Mixes in whole stripes of 64 bytes.
  private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    var (a, b, c, d) = lanes
    var offset = 0
    while offset < bytes.count {
      func word(_ index: Int) -> UInt64 {
        UInt64(
          littleEndian: base.loadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self))
      }
      a = ContentHash.fold(word(0) ^ 0x9e37_79b9_7f4a_7c15, word(1) ^ a) &+ b
      b = ContentHash.fold(word(2) ^ 0xd6e8_feb8_6659_fd93, word(3) ^ b) &+ c
      c = ContentHash.fold(word(4) ^ 0xa076_1d64_78bd_642f, word(5) ^ c) &+ d
      d = ContentHash.fold(word(6) ^ 0xc2b2_ae3d_27d4_eb4f, word(7) ^ d) &+ a
      offset += Self.stripeBytes
    }
    lanes = (a, b, c, d)
  }
}
