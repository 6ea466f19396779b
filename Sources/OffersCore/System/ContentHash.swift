/// A fast 64-bit hash of bytes, stable across runs and machines: folded 128-bit products over
/// eight-byte words. Detects edited offers. It does not resist deliberate collisions, so ids are
/// hashed with a random seed for each process.
package struct ContentHash: Sendable {
  @usableFromInline var state: UInt64

  /// - Parameter seed: hashes of different seeds are independent.
  package init(seed: UInt64) {
    state = seed ^ 0x8f1b_bcdc_d1ea_7f35
  }

  /// Adds one field. A nil field differs from an empty one, and lengths keep neighbours apart.
  package mutating func combine(_ field: UnsafeRawBufferPointer?) {
    guard let field, let base = field.baseAddress else {
      state = Self.fold(state ^ 0x60bf_5a1d_9c3e_7b11, 0x2545_f491_4f6c_dd1d)
      return
    }
    combine(base, field.count)
  }

  /// Adds a text with a tag, such as a field number, so that equal texts with different tags hash
  /// differently. Faster than `combine(_:)` without a tag; the two yield different hashes.
  ///
  /// The last sixteen bytes are read by unaligned loads that may overlap the blocks before them.
  /// That leaves one loop, whose iteration count is the only hard branch to predict.
  ///
  /// - Parameters:
  ///   - text: the bytes of the text; nothing is added without a base address.
  ///   - tag: identifies the kind of text. Two tags must differ in bits above those of any text's
  ///     length, because the tag is combined with the length.
  @inlinable
  package mutating func combine(_ text: UnsafeRawBufferPointer, tag: UInt64) {
    guard var pointer = text.baseAddress else { return }
    let end = pointer + text.count
    // The tag and the length are folded first, so that no bits of a text can cancel theirs.
    let count = UInt64(truncatingIfNeeded: text.count)
    var hash = state ^ Self.fold(tag ^ count, 0x9e37_79b9_7f4a_7c15)
    var last: (UInt64, UInt64)
    if text.count > 16 {
      repeat {
        hash = Self.fold(
          Self.word(pointer) ^ 0xd6e8_feb8_6659_fd93, Self.word(pointer + 8) ^ hash)
        pointer += 16
      } while pointer + 16 < end
      last = (Self.word(end - 16), Self.word(end - 8))
    } else if text.count >= 8 {
      last = (Self.word(pointer), Self.word(end - 8))
    } else {
      last = (text.isEmpty ? 0 : Self.tail(pointer, text.count), 0)
    }
    state = Self.fold(last.0 ^ 0xa076_bc9f_3d51_24e7, last.1 ^ hash)
  }

  @inline(__always)
  private mutating func combine(_ base: UnsafeRawPointer, _ count: Int) {
    var pointer = base
    var left = count
    var hash = Self.fold(state ^ UInt64(truncatingIfNeeded: left), 0x9e37_79b9_7f4a_7c15)
    while left >= 16 {
      hash = Self.fold(
        Self.word(pointer) ^ 0xd6e8_feb8_6659_fd93, Self.word(pointer + 8) ^ hash)
      pointer += 16
      left -= 16
    }
    if left >= 8 {
      hash = Self.fold(Self.word(pointer) ^ 0xa076_bc9f_3d51_24e7, hash ^ 0x1d8e_4e27_c47d_124f)
      pointer += 8
      left -= 8
    }
    if left > 0 {
      hash = Self.fold(
        Self.tail(pointer, left) ^ 0xc2b2_ae3d_27d4_eb4f, hash ^ 0x1656_67b1_9e37_79f9)
    }
    state = hash
  }

  /// The hash of all fields and texts added so far.
  package var value: UInt64 {
    Self.fold(state ^ 0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53)
  }

  @inlinable
  static func word(_ pointer: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
  }

  /// The last bytes, fewer than eight, as a word whose upper bytes are zero. Overlapping loads
  /// avoid a loop and its branch mispredictions.
  @inlinable
  static func tail(_ pointer: UnsafeRawPointer, _ count: Int) -> UInt64 {
    func byte(_ offset: Int) -> UInt64 {
      UInt64(pointer.load(fromByteOffset: offset, as: UInt8.self)) << UInt64(8 * offset)
    }
    func half(_ offset: Int) -> UInt64 {
      let half = (pointer + offset).loadUnaligned(as: UInt32.self)
      return UInt64(UInt32(littleEndian: half)) << UInt64(8 * offset)
    }
    return count >= 4
      ? half(0) | half(count - 4) : byte(0) | byte(count / 2) | byte(count - 1)
  }

  @inlinable @inline(__always)
  static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }
}

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

extension Sequence<UInt8> {
  /// The bytes in hexadecimal, two lower-case digits each, so that texts are ordered as their bytes are.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
