import OffersPlatform

/// Converts an encoding with several bytes per character, such as Shift_JIS or GB18030, to UTF-8
/// with the system's iconv.
struct MultiByteDecoder {
  /// The number of invalid bytes, and of incomplete characters at the end, each replaced by U+FFFD.
  private(set) var replacedCount = 0
  private let conversion: CharsetConversion
  /// An incomplete character from the last chunk, followed by a slice of the current one.
  private var input: [UInt8] = []

  private static let sliceBytes = 32 << 10
  /// The number of free bytes of output that suffice for what one character of input decodes to.
  private static let roomBytes = 64

  /// Returns nil when the system does not know the encoding.
  init?(iconvName: String) {
    guard let conversion = CharsetConversion(from: iconvName, to: "UTF-8") else { return nil }
    self.conversion = conversion
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
    if !input.isEmpty { try replace(output, emit) }
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
        taken += 1
        try replace(output, emit)
      }
    }
    return taken
  }

  private mutating func replace(_ output: TextOutput, _ emit: ByteSink) throws {
    replacedCount += 1
    try output.append(scalar: 0xFFFD, emit)
  }
}
