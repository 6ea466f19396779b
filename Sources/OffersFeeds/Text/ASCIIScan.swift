/// Finds the first byte outside ASCII, 64 bytes at a time.
enum ASCIIScan {
  /// The index of the first byte above 0x7F, at or after `start`; the count when there is none.
  static func firstOther(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let count = bytes.count
    let highs: UInt64 = 0x8080_8080_8080_8080
    var index = start
    while index + 64 <= count {
      let block = (base + index).loadUnaligned(as: SIMD8<UInt64>.self)
      let pairs = block.lowHalf | block.highHalf
      let either = pairs.lowHalf | pairs.highHalf
      if (either.x | either.y) & highs != 0 { break }
      index += 64
    }
    while index + 8 <= count {
      let word = UInt64(littleEndian: (base + index).loadUnaligned(as: UInt64.self)) & highs
      if word != 0 { return index + word.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < count && bytes[index] < 0x80 { index += 1 }
    return index
  }
}
