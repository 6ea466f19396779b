import OffersCore
import OffersPlatform

/// Converts a document in any supported encoding to UTF-8 without a byte order mark.
///
/// A byte order mark takes precedence over every declaration, followed by the zero bytes of UTF-16,
/// the XML declaration, and the charset of the HTTP response. Servers and declarations are often
/// wrong, so that the bytes from the first one outside ASCII on, at most 4 KiB, decide between
/// UTF-8 and a declared older encoding. A declared multi-byte encoding is believed unless UTF-8 is
/// declared as well. ASCII and UTF-8 are passed on without copying; once UTF-8 is detected, invalid
/// bytes are passed on as well, and left to the format's reader.
///
/// The output does not depend on how the input is divided into chunks. At most 4 KiB are held back.
/// After an error no more bytes may be passed in.
package final class TextTranscoder {
  private enum Stage {
    /// Nothing has been passed on.
    case start
    /// All bytes so far are ASCII.
    case ascii
    case utf8
    case singleByte(SingleByteDecoder)
    case other(CharsetDecoder)
    /// The declared encoding is not supported, and all bytes so far are ASCII.
    case unknown(String)
  }

  private let charset: String?
  private let isCertain: Bool
  private var stage = Stage.start
  /// The encodings that the document and the server declare, by precedence, without unsupported
  /// ones.
  private var declared: [Charset] = []
  private var held: [UInt8] = []
  private lazy var output = TextOutput()

  /// The number of bytes, from the first one outside ASCII on, that are inspected to decide between
  /// UTF-8 and the declared encoding.
  private static let foresightBytes = 4096

  /// - Parameters:
  ///   - charset: the encoding according to the server or the feed's definition; nil for none.
  ///   - isCertain: whether `charset` comes from the definition. It then overrides the document's
  ///     own declaration; only a byte order mark takes precedence.
  package init(charset: String?, isCertain: Bool = false) {
    self.charset = charset
    self.isCertain = isCertain && charset != nil
  }

  /// Converts the next bytes and passes them on.
  /// - Throws: `OffersError` with `malformedFeed` when the encoding is not supported, and any error
  ///   of `emit`.
  package func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    var rest = bytes
    while !held.isEmpty && !rest.isEmpty {
      let size = min(rest.count, Self.foresightBytes - held.count)
      held.append(contentsOf: rest.slice(0, size))
      rest = rest.tail(from: size)
      try releaseHeld(isLast: false, emit)
    }
    if !rest.isEmpty { try take(rest, isLast: false, emit) }
  }

  /// Converts the bytes held back, since no more bytes follow. Throws the errors of `consume`.
  package func finish(_ emit: ByteSink) throws {
    try releaseHeld(isLast: true, emit)
    if case .start = stage {
      try take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, emit)
    }
    if case .other(var decoder) = stage {
      try decoder.finish(into: output, emit)
      stage = .other(decoder)
    }
  }

  private func releaseHeld(isLast: Bool, _ emit: ByteSink) throws {
    let bytes = held
    held = []
    try bytes.withUnsafeBytes { try take($0, isLast: isLast, emit) }
  }

  /// Processes bytes in the current stage, and the rest in the next one; holds back bytes that
  /// cannot be judged without the following ones.
  private func take(_ bytes: UnsafeRawBufferPointer, isLast: Bool, _ emit: ByteSink) throws {
    var rest = bytes
    if case .start = stage {
      let start = DocumentStart.find(in: rest, isLast: isLast)
      if start == .open { return hold(rest) }
      if case .mark(_, let size) = start { rest = rest.tail(from: size) }
      try begin(start, with: rest)
    }
    while !rest.isEmpty {
      switch stage {
      case .utf8:
        return try emit(rest)
      case .singleByte(let decoder):
        return try decoder.decode(rest, into: output, emit)
      case .other(var decoder):
        stage = .start
        defer { stage = .other(decoder) }
        return try decoder.decode(rest, into: output, emit)
      case .start, .ascii, .unknown:
        let end = rest.firstNonASCII()
        if end > 0 { try emit(rest.slice(0, end)) }
        rest = rest.tail(from: end)
        if rest.isEmpty { return }
        guard let isUTF8 = judge(rest, isLast: isLast) else { return hold(rest) }
        try leaveASCII(isUTF8: isUTF8)
      }
    }
  }

  private func hold(_ bytes: UnsafeRawBufferPointer) {
    held.append(contentsOf: bytes)
  }

  // MARK: Declared encodings

  private func begin(_ start: DocumentStart, with bytes: UnsafeRawBufferPointer) throws {
    var names: [String] = []
    switch start {
    case .utf32: throw Self.utf32
    case .mark(let charset, _): return try use(charset)
    case .zeroBytes(let charset) where !isCertain: return try use(charset)
    case .declaration(let name) where !isCertain: names.append(name)
    default: break
    }
    if let charset { names.append(charset) }
    declared = names.compactMap { Charset.find($0) }
    let first = declared.first
    if isCertain, let charset, first == nil { throw Self.notKnown(charset) }
    switch first?.kind {
    case .utf32 where isCertain: throw Self.utf32
    case .utf16(let isBigEndian) where isCertain || Self.hasZeroByte(bytes):
      let startsWithZero = bytes.first == 0
      return try use(.utf16(isBigEndian: isBigEndian ?? startsWithZero))
    case .shifting:
      if let first { try use(first) }
    case _? where isCertain:
      if let first { try use(first) }
    case nil where !names.isEmpty:
      stage = .unknown(names[0])
    default:
      stage = .ascii
      // At this point UTF-8 is the only Unicode encoding that the bytes can be in.
      declared.removeAll { !Self.isOld($0) && $0 != .utf8 }
    }
  }

  private static func hasZeroByte(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.prefix(4).contains(0)
  }

  // MARK: The first byte outside ASCII

  /// Whether the bytes, the first of which is not ASCII, are read as UTF-8; nil when more are
  /// needed to decide.
  private func judge(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool? {
    switch declared.first?.kind {
    case .multiByte where !declared.contains(.utf8): return false
    case .singleByte, .multiByte:
      if bytes.count < Self.foresightBytes && !isLast { return nil }
      return isAllUTF8(bytes.slice(0, min(bytes.count, Self.foresightBytes)))
    default:
      switch UTF8Sequence.find(in: bytes, at: 0) {
      case .whole: return true
      case .invalid: return false
      case .cut: return isLast ? false : nil
      }
    }
  }

  /// Whether the bytes are valid UTF-8, except that their end may cut off the last sequence, unless that is
  /// the only one.
  private func isAllUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      switch UTF8Sequence.find(in: bytes, at: index) {
      case .whole(let length): index = bytes.firstNonASCII(from: index + length)
      case .cut: return index > 0
      case .invalid: return false
      }
    }
    return true
  }

  private func leaveASCII(isUTF8: Bool) throws {
    if isUTF8 { return try use(.utf8) }
    if case .unknown(let name) = stage { throw Self.notKnown(name) }
    try use(declared.first { Self.isOld($0) } ?? .windows1252)
  }

  private static func isOld(_ charset: Charset) -> Bool {
    switch charset.kind {
    case .singleByte, .multiByte, .shifting: true
    case .utf8, .utf16, .utf32: false
    }
  }

  private func use(_ charset: Charset) throws {
    switch charset.kind {
    case .utf8: stage = .utf8
    case .utf32: throw Self.utf32
    case .singleByte:
      let decoder =
        charset == .windows1252 ? .windows1252 : SingleByteDecoder(iconvName: charset.iconvName)
      guard let decoder else {
        throw Self.notKnown(charset.name)
      }
      stage = .singleByte(decoder)
    case .utf16, .multiByte, .shifting:
      guard let decoder = CharsetDecoder(charset) else { throw Self.notKnown(charset.name) }
      stage = .other(decoder)
    }
  }

  // MARK: Errors

  private static let utf32 = OffersError(
    .malformedFeed, "The document is in UTF-32, which is not supported.",
    hint: "Nothing was changed. Ask the feed's owner for UTF-8.")

  private static func notKnown(_ name: String) -> OffersError {
    let shown = name.count > 40 ? name.prefix(40) + "…" : name[...]
    return OffersError(
      .malformedFeed, "The document declares the encoding \(shown), which is not supported.",
      hint: "Nothing was changed. Set encoding: in the feed's definition, such as "
        + "“encoding: windows-1252”.")
  }
}

/// Converts an encoding with several bytes per character to UTF-8 with the system's iconv. Invalid
/// bytes, unpaired surrogates and an incomplete character at the end become U+FFFD.
struct CharsetDecoder {
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

/// Converts an encoding with one byte per character, whose lower half is ASCII, to UTF-8 with a
/// table. Undefined bytes become U+FFFD.
///
/// Each byte is converted by itself: iconv would compose the letters and the combining accents of
/// windows-1258 and windows-1255, and offers whose ids have an accent would be gone and new.
struct SingleByteDecoder {
  /// The characters of the bytes from 0x80 to 0xFF.
  private let scalars: [UInt32]

  /// The decoder for windows-1252, which browsers use for ISO-8859-1 as well (WHATWG Encoding
  /// Standard, index windows-1252). The five bytes that it does not define are the control
  /// characters with the same number; iconv would refuse them.
  static var windows1252: SingleByteDecoder {
    SingleByteDecoder(scalars: windows1252Controls + (0xA0...0xFF))
  }

  /// The characters of windows-1252 from 0x80 to 0x9F.
  static let windows1252Controls: [UInt32] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
  ]

  private init(scalars: [UInt32]) { self.scalars = scalars }

  /// Takes the table from the system's iconv; returns nil when the system does not know the encoding.
  init?(iconvName: String) {
    guard let conversion = CharsetConversion(from: iconvName, to: "UTF-32LE") else { return nil }
    scalars = (0x80...0xFF).map { (byte: UInt8) -> UInt32 in
      var scalar: UInt32 = 0xFFFD
      withUnsafeBytes(of: byte) { input in
        withUnsafeMutableBytes(of: &scalar) { output in
          // iconv holds some letters back, since a combining accent might follow.
          if conversion.convert(input, into: output).written == 0 {
            _ = conversion.flush(into: output)
          }
        }
      }
      conversion.reset()
      return UInt32(littleEndian: scalar)
    }
  }

  func decode(
    _ bytes: UnsafeRawBufferPointer, into output: TextOutput, _ emit: ByteSink
  ) throws {
    for byte in bytes {
      try output.append(scalar: byte < 0x80 ? UInt32(byte) : scalars[Int(byte & 0x7F)], emit)
    }
    try output.flush(emit)
  }
}

/// Collects the UTF-8 output of decoders, and passes it on when there are 64 KiB.
final class TextOutput {
  /// The buffer, which is allocated once: a decoder writes once per invalid byte.
  private var bytes = [UInt8](repeating: 0, count: TextOutput.capacity)
  /// The number of bytes in the buffer.
  private var count = 0

  private static let capacity = 64 << 10

  func flush(_ emit: ByteSink) throws {
    if count == 0 { return }
    let end = count
    count = 0
    try bytes.withUnsafeBytes { try emit($0.slice(0, end)) }
  }

  /// Appends a character; an invalid scalar becomes U+FFFD.
  @inline(__always)
  func append(scalar: UInt32, _ emit: ByteSink) throws {
    let (packed, length) = UTF8Scalar.pack(scalar)
    if count + length > Self.capacity { try flush(emit) }
    for place in 0..<length {
      bytes[count + place] = UInt8(truncatingIfNeeded: packed >> (8 * UInt32(place)))
    }
    count += length
  }

  /// Lets `body` write at the end of the buffer, with room for at least `least` bytes. `body`
  /// returns the number of bytes written.
  func write(
    least: Int, _ emit: ByteSink, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws {
    if count + least > Self.capacity { try flush(emit) }
    let start = count
    count += bytes.withUnsafeMutableBytes {
      body(UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
    }
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

/// A multi-byte sequence of UTF-8 (RFC 3629: no surrogates, no overlong forms).
enum UTF8Sequence: Equatable {
  /// A complete sequence with its length, 2 to 4 bytes.
  case whole(Int)
  /// A valid start that is cut off by the end of the bytes.
  case cut
  case invalid

  /// Validates the sequence at `index`, whose first byte is above 0x7F.
  @inline(__always)
  static func find(in bytes: UnsafeRawBufferPointer, at index: Int) -> UTF8Sequence {
    let lead = bytes[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: return .invalid
    }
    guard index + 1 < bytes.count else { return .cut }
    guard second.contains(bytes[index + 1]) else { return .invalid }
    for place in 2..<max(length, 2) {
      guard index + place < bytes.count else { return .cut }
      guard bytes[index + place] & 0xC0 == 0x80 else { return .invalid }
    }
    return .whole(length)
  }
}

/// Receives the next bytes of a document, which are valid during the call only.
package typealias ByteSink = (UnsafeRawBufferPointer) throws -> Void

extension UnsafeRawBufferPointer {
  /// The bytes from `start` up to `end`, exclusive, without copying.
  @inline(__always)
  func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[start..<end])
  }

  /// The bytes from `start` to the end, without copying.
  @inline(__always)
  func tail(from start: Int) -> UnsafeRawBufferPointer { slice(start, count) }

  /// The index of the first byte above 0x7F, at or after `start`; the count when there is none.
  func firstNonASCII(from start: Int = 0) -> Int {
    var index = start
    while index < count, self[index] < 0x80 { index += 1 }
    return index
  }

  /// Whether `text` is at `start`; nil when the bytes end before this is known.
  func matches(_ text: StaticString, at start: Int) -> Bool? {
    let wanted = text.utf8CodeUnitCount
    let present = Swift.min(wanted, count - start)
    for index in 0..<present where self[start + index] != text.utf8Start[index] { return false }
    return present == wanted ? true : nil
  }

  /// The bytes without ASCII whitespace and control characters at the start and the end.
  func trimmed() -> UnsafeRawBufferPointer {
    var start = 0
    var end = count
    while start < end, self[start] <= 0x20 { start += 1 }
    while end > start, self[end - 1] <= 0x20 { end -= 1 }
    return slice(start, end)
  }

  /// Whether the bytes are on one line, with single spaces between words and none around them.
  var isTidy: Bool {
    var wasSpace = true
    for byte in self {
      if byte &- 9 < 5 { return false }
      let isSpace = byte == 0x20
      if isSpace, wasSpace { return false }
      wasSpace = isSpace
    }
    return isEmpty || !wasSpace
  }

  /// Whether there is nothing but ASCII whitespace and control characters.
  var isBlank: Bool { allSatisfy { $0 <= 0x20 } }
}
