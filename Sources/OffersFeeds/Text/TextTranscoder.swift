import OffersCore

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
    case multiByte(MultiByteDecoder)
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
    if case .multiByte(var decoder) = stage {
      try decoder.finish(into: output, emit)
      stage = .multiByte(decoder)
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
      case .multiByte(var decoder):
        stage = .start
        defer { stage = .multiByte(decoder) }
        return try decoder.decode(rest, into: output, emit)
      case .start, .ascii, .unknown:
        let end = ASCIIScan.firstOther(in: rest)
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
    case .windows1252, .singleByte, .multiByte:
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
      case .whole(let length): index = ASCIIScan.firstOther(in: bytes, from: index + length)
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
    case .windows1252, .singleByte, .multiByte, .shifting: true
    case .utf8, .utf16, .utf32: false
    }
  }

  private func use(_ charset: Charset) throws {
    switch charset.kind {
    case .utf8: stage = .utf8
    case .utf32: throw Self.utf32
    case .windows1252: stage = .singleByte(.windows1252)
    case .singleByte:
      guard let decoder = SingleByteDecoder.make(iconvName: charset.iconvName) else {
        throw Self.notKnown(charset.name)
      }
      stage = .singleByte(decoder)
    case .utf16, .multiByte, .shifting:
      guard let decoder = MultiByteDecoder(charset) else { throw Self.notKnown(charset.name) }
      stage = .multiByte(decoder)
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
