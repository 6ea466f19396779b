import OffersPlatform

/// Converts an encoding with several bytes per character, such as UTF-16 or Shift_JIS, to UTF-8 with
/// the system's iconv. Invalid bytes, unpaired surrogates and an incomplete character at the end become
/// U+FFFD.
struct MultiByteDecoder {
  private let conversion: CharsetConversion
  /// The length of the shortest character, in bytes, which is skipped where the input is invalid.
  private let unitBytes: Int
  /// An incomplete character from the last chunk, followed by a slice of the current one.
  private var input: [UInt8] = []

  private static let sliceBytes = 32 << 10
  /// The number of free bytes of output that suffice for what one character of input decodes to.
  private static let roomBytes = 64

  /// Returns nil when the system does not know the encoding.
  init?(_ charset: Charset) {
    guard let conversion = CharsetConversion(from: charset.iconvName, to: "UTF-8") else {
      return nil
    }
    self.conversion = conversion
    unitBytes = if case .utf16 = charset.kind { 2 } else { 1 }
  }

  mutating func decode(
    _ bytes: UnsafeRawBufferPointer, into output: TextOutput, _ emit: ByteSink
  ) throws {
    var index = 0
    while index < bytes.count {
      let end = min(index + Self.sliceBytes, bytes.count)
      input.append(contentsOf: bytes.slice(index, end))
      index = end
      let taken = try convert(output, emit)
      input.removeFirst(taken)
    }
    try output.flush(emit)
  }

  mutating func finish(into output: TextOutput, _ emit: ByteSink) throws {
    let conversion = conversion
    if !input.isEmpty { try output.append(scalar: 0xFFFD, emit) }
    input = []
    try output.write(least: Self.roomBytes, emit) { conversion.flush(into: $0) }
    try output.flush(emit)
  }

  /// Converts `input`; returns the number of bytes consumed.
  private mutating func convert(_ output: TextOutput, _ emit: ByteSink) throws -> Int {
    let conversion = conversion
    var taken = 0
    while taken < input.count {
      var stop = CharsetConversion.Stop.done
      try output.write(least: Self.roomBytes, emit) { room in
        input.withUnsafeBytes { all in
          let step = conversion.convert(all.tail(from: taken), into: room)
          taken += step.taken
          stop = step.stop
          return step.written
        }
      }
      switch stop {
      case .done, .cut: return taken
      case .full: try output.flush(emit)
      case .invalid:
        taken = min(taken + unitBytes, input.count)
        try output.append(scalar: 0xFFFD, emit)
      }
    }
    return taken
  }
}
