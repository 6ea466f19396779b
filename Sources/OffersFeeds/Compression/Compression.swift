/// The compression formats of documents, detected from their first bytes.
enum Compression {
  /// Gzip (RFC 1952).
  case gzip
  /// Zlib (RFC 1950).
  case zlib
  /// Raw deflate (RFC 1951), without a header.
  case rawDeflate

  /// The result of the detection; `plain` for a document that is not compressed.
  enum Finding: Equatable {
    case packed(Compression)
    case plain
    /// More bytes are needed to detect the format.
    case open
  }

  /// The number of bytes that always suffice to detect the format.
  static let neededBytes = 64

  /// Detects the format from the first bytes of a document.
  ///
  /// Raw deflate has no signature. It is considered only when the server named the encoding
  /// “deflate”, which some servers use for zlib and others for raw deflate. A document then counts
  /// as raw deflate, unless its first byte and the absence of control characters show a text.
  /// - Parameters:
  ///   - bytes: the first bytes of the document.
  ///   - isRawDeflate: whether the server named the encoding “deflate”.
  ///   - isLast: whether no more bytes follow.
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

  /// Whether two bytes are a zlib header without the flag of a preset dictionary, which is not
  /// supported. In ASCII digits the bit of this flag is set, so no number looks like a header.
  private static func isZlibHeader(_ method: UInt8, _ flags: UInt8) -> Bool {
    (Int(method) * 256 + Int(flags)) % 31 == 0 && flags & 0x20 == 0
  }

  private static func findRaw(
    in bytes: UnsafeRawBufferPointer, first: UInt8, isLast: Bool
  ) -> Finding {
    // These two bits are the type of the first block of raw deflate; 3 is invalid. In the byte
    // order marks of UTF-8 and UTF-16 both are set.
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
    // UTF-16 contains NUL bytes.
    byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0
  }
}
