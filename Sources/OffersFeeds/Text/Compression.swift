/// The ways in which a document is packed, told apart by its first bytes.
enum Compression {
  /// RFC 1952.
  case gzip
  /// RFC 1950.
  case zlib
  /// RFC 1951 without any header.
  case rawDeflate

  /// What the first bytes say.
  enum Finding: Equatable {
    case packed(Compression)
    case plain
    /// More bytes are needed.
    case open
  }

  /// How many bytes always suffice.
  static let neededBytes = 64

  /// Looks at the first bytes of a document.
  ///
  /// Raw deflate has no mark of its own, so it is only looked for when the server spoke of
  /// “deflate”, a name that servers use for both kinds. A text is recognised by its first byte and
  /// by the lack of control characters behind it.
  /// - Parameter isLast: no more bytes follow.
  static func find(
    in bytes: UnsafeRawBufferPointer, isRawDeflate: Bool, isLast: Bool
  ) -> Finding {
    guard let first = bytes.first else { return isLast ? .plain : .open }
    if first == 0x1F {
      if bytes.count == 1 { return isLast ? .packed(.gzip) : .open }
      if bytes[1] == 0x8B {
        if bytes.count == 2 { return isLast ? .packed(.gzip) : .open }
        if bytes[2] == 8 { return .packed(.gzip) }
      }
    }
    if first & 0x0F == 8 && first >> 4 <= 7 {
      if bytes.count == 1 { return isLast ? .plain : .open }
      if isZlibHeader(first, bytes[1]) { return .packed(.zlib) }
    }
    return isRawDeflate ? findRaw(in: bytes, first: first, isLast: isLast) : .plain
  }

  /// A dictionary, which nobody could know, is not accepted; so no number passes for a header.
  private static func isZlibHeader(_ method: UInt8, _ flags: UInt8) -> Bool {
    (Int(method) * 256 + Int(flags)) % 31 == 0 && flags & 0x20 == 0
  }

  private static func findRaw(
    in bytes: UnsafeRawBufferPointer, first: UInt8, isLast: Bool
  ) -> Finding {
    // The kind of the first block: 3 does not exist. Byte order marks happen to ask for it.
    if first >> 1 & 3 == 3 { return .plain }
    guard isTextStart(bytes) else { return .packed(.rawDeflate) }
    for byte in bytes.prefix(neededBytes) where byte < 0x20 && !isTextControl(byte) {
      return .packed(.rawDeflate)
    }
    return bytes.count >= neededBytes || isLast ? .plain : .open
  }

  private static func isTextStart(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch bytes[0] {
    case 0x7B, 0x5B, 0x3C, 0x20, 0x09, 0x0A, 0x0D: true
    default: false
    }
  }

  private static func isTextControl(_ byte: UInt8) -> Bool {
    // NUL stands in UTF-16.
    byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0
  }
}
