/// Assembles plain text with pending whitespace. Spaces and line breaks are written only when more
/// text follows, so that no line ends in a space, the text does not end in a line break, and blank
/// lines are never doubled.
struct PlainTextWriter {
  private enum Gap: Int {
    case none
    case space
    case line
    case blankLine
  }

  private var gap = Gap.none
  private var isEmpty = true
  /// The number of no-break spaces at the start of the current line. They are written when other text
  /// follows on the line, and dropped if none does.
  private var heldSpaces = 0
  private var hasBullet = false
  /// The number of lists around the text.
  private var depth = 0

  mutating func append(
    _ text: UnsafeRawBufferPointer, _ range: Range<Int>, to out: inout [UInt8]
  ) {
    guard !range.isEmpty else { return }
    begin(&out)
    out.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[range]))
  }

  /// Appends a character. Whitespace of ASCII becomes a single pending space.
  ///
  /// - Parameters:
  ///   - scalar: a Unicode scalar value; a surrogate or an out-of-range value is replaced by
  ///     U+FFFD.
  ///   - out: the text so far, to which the character is added.
  mutating func append(scalar: UInt32, to out: inout [UInt8]) {
    switch scalar {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D: addSpace()
    case 0xA0 where isEmpty || gap.rawValue >= Gap.line.rawValue: heldSpaces += 1
    default:
      begin(&out)
      out.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init())
    }
  }

  mutating func addSpace() {
    if gap == .none { gap = .space }
  }

  /// Ends the line, unless it is empty or an item without text so far.
  mutating func addLine() {
    guard !hasBullet else { return }
    raise(to: .line)
  }

  /// Ends the line, and adds a blank line, unless the line is an item without text so far.
  mutating func addBlankLine() {
    guard !hasBullet else { return }
    raise(to: .blankLine)
  }

  /// Ends the line, or adds a blank line if it has ended already, unless the line is an item
  /// without text so far.
  mutating func addLineBreak() {
    guard !hasBullet else { return }
    raise(to: gap.rawValue >= Gap.line.rawValue ? .blankLine : .line)
  }

  mutating func beginList() {
    endItem(gapBefore: depth == 0 ? .blankLine : .line)
    depth += 1
  }

  mutating func endList() {
    depth = max(0, depth - 1)
    endItem(gapBefore: depth == 0 ? .blankLine : .line)
  }

  mutating func beginItem() {
    endItem(gapBefore: .line)
    hasBullet = true
  }

  mutating func endItem() {
    endItem(gapBefore: .line)
  }

  private mutating func endItem(gapBefore: Gap) {
    hasBullet = false
    raise(to: gapBefore)
  }

  private mutating func raise(to least: Gap) {
    heldSpaces = 0
    if gap.rawValue < least.rawValue { gap = least }
  }

  /// Writes the pending whitespace and bullet before more text.
  private mutating func begin(_ out: inout [UInt8]) {
    guard isEmpty || gap != .none || hasBullet || heldSpaces > 0 else { return }
    if !isEmpty {
      switch gap {
      case .none: break
      case .space: out.append(0x20)
      case .line: out.append(0x0A)
      case .blankLine:
        out.append(0x0A)
        out.append(0x0A)
      }
    }
    if hasBullet {
      let bullet: StaticString = "• "
      out.append(
        contentsOf: UnsafeBufferPointer(start: bullet.utf8Start, count: bullet.utf8CodeUnitCount))
    }
    while heldSpaces > 0 {
      out.append(0xC2)
      out.append(0xA0)
      heldSpaces -= 1
    }
    gap = .none
    hasBullet = false
    isEmpty = false
  }
}

/// Collects the UTF-8 output of decoders, and passes it on when there are 64 KiB.
final class TextOutput {
  private var bytes: [UInt8] = []

  private static let capacity = 64 << 10

  func flush(_ emit: ByteSink) throws {
    if bytes.isEmpty { return }
    defer { bytes.removeAll(keepingCapacity: true) }
    try bytes.withUnsafeBytes(emit)
  }

  /// Appends a character; an invalid scalar becomes U+FFFD.
  @inline(__always)
  func append(scalar: UInt32, _ emit: ByteSink) throws {
    if bytes.count >= Self.capacity { try flush(emit) }
    let (packed, length) = UTF8Scalar.pack(scalar)
    for place in 0..<length {
      bytes.append(UInt8(truncatingIfNeeded: packed >> (8 * UInt32(place))))
    }
  }

  /// Lets `body` write at the end of the buffer, with room for at least `least` bytes. `body`
  /// returns the number of bytes written.
  func write(
    least: Int, _ emit: ByteSink, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws {
    if bytes.count + least > Self.capacity { try flush(emit) }
    let count = bytes.count
    bytes += [UInt8](repeating: 0, count: Self.capacity - count)
    let written = bytes.withUnsafeMutableBytes {
      body(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
    }
    bytes.removeLast(Self.capacity - count - written)
  }
}

/// The UTF-8 encoding of a character.
enum UTF8Scalar {
  /// Returns the bytes, the first one in the lowest 8 bits, and their count; those of U+FFFD for an
  /// invalid scalar.
  @inline(__always)
  static func pack(_ scalar: UInt32) -> (bytes: UInt32, count: Int) {
    func trail(_ shift: UInt32) -> UInt32 { 0x80 | scalar >> shift & 0x3F }
    switch scalar {
    case 0..<0x80: return (scalar, 1)
    case 0x80..<0x800: return (0xC0 | scalar >> 6 | trail(0) << 8, 2)
    case 0x800..<0xD800, 0xE000..<0x1_0000:
      return (0xE0 | scalar >> 12 | trail(6) << 8 | trail(0) << 16, 3)
    case 0x1_0000..<0x11_0000:
      return (0xF0 | scalar >> 18 | trail(12) << 8 | trail(6) << 16 | trail(0) << 24, 4)
    default: return (0xBD_BFEF, 3)
    }
  }
}
