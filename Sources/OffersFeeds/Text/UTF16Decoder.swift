/// Converts UTF-16 (RFC 2781) to UTF-8.
struct UTF16Decoder {
  let isBigEndian: Bool
  /// The number of unpaired surrogates and incomplete code units, each replaced by U+FFFD.
  private(set) var replacedCount = 0
  /// The first byte of a code unit whose second byte has not arrived.
  private var half: UInt8?
  /// The high surrogate of a pair whose low surrogate has not arrived.
  private var high: UInt32?

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func decode(
    _ bytes: UnsafeRawBufferPointer, into output: TextOutput, _ emit: ByteSink
  ) throws {
    var index = 0
    if let first = half, !bytes.isEmpty {
      half = nil
      index = 1
      try take(unit(first, bytes[0]), output, emit)
    }
    while index + 2 <= bytes.count {
      try take(unit(bytes[index], bytes[index + 1]), output, emit)
      index += 2
    }
    if index < bytes.count { half = bytes[index] }
    try output.flush(emit)
  }

  mutating func finish(into output: TextOutput, _ emit: ByteSink) throws {
    if high != nil { try replace(output, emit) }
    if half != nil { try replace(output, emit) }
    high = nil
    half = nil
    try output.flush(emit)
  }

  @inline(__always)
  private func unit(_ first: UInt8, _ second: UInt8) -> UInt32 {
    isBigEndian ? UInt32(first) << 8 | UInt32(second) : UInt32(second) << 8 | UInt32(first)
  }

  @inline(__always)
  private mutating func take(_ unit: UInt32, _ output: TextOutput, _ emit: ByteSink) throws {
    if let first = high {
      high = nil
      if unit & 0xFC00 == 0xDC00 {
        let scalar = 0x1_0000 + (first & 0x3FF) << 10 + unit & 0x3FF
        return try output.append(scalar: scalar, emit)
      }
      try replace(output, emit)
    }
    switch unit & 0xFC00 {
    case 0xD800: high = unit
    case 0xDC00: try replace(output, emit)
    default: try output.append(scalar: unit, emit)
    }
  }

  private mutating func replace(_ output: TextOutput, _ emit: ByteSink) throws {
    replacedCount += 1
    try output.append(scalar: 0xFFFD, emit)
  }
}
