/// The compression formats of documents.
enum Compression {
  /// Gzip (RFC 1952).
  case gzip
  /// Zlib (RFC 1950).
  case zlib
  /// Raw deflate (RFC 1951), without a header.
  case rawDeflate
  case bzip2
  case xz
  case zip
}

/// The kind of a file, detected from its first bytes.
enum FileKind {
  /// The result of the detection; `plain` for a text.
  enum Finding: Equatable {
    case packed(Compression)
    /// A file that is no feed, with a name such as `a PDF`.
    case foreign(String)
    case plain
    /// More bytes are needed to detect the format.
    case open
  }

  /// The number of bytes that always suffice to detect the format.
  static let neededBytes = 64

  /// The bytes that files of a kind begin with.
  private static let signatures: [(bytes: [UInt8], finding: Finding)] = [
    (Array("BZh".utf8), .packed(.bzip2)),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], .packed(.xz)),
    ([0x50, 0x4B, 3, 4], .packed(.zip)),
    ([0x50, 0x4B, 5, 6], .foreign("an empty ZIP archive")),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .foreign("a 7-Zip archive")),
    (Array("Rar!".utf8) + [0x1A, 7], .foreign("a RAR archive")),
    ([0x28, 0xB5, 0x2F, 0xFD], .foreign("a file in Zstandard, a compression that is not read")),
    ([0x5D, 0, 0], .foreign("a file in LZMA (.lzma), a compression that is not read")),
    (Array("%PDF-".utf8), .foreign("a PDF")),
    (Array("SQLite format 3".utf8) + [0], .foreign("an SQLite database")),
    (
      [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
      .foreign("an old Office file, such as a workbook (.xls)")
    ),
    ([0x89, 0x50, 0x4E, 0x47], .foreign("an image (PNG)")),
    ([0xFF, 0xD8, 0xFF], .foreign("an image (JPEG)")),
    (Array("GIF8".utf8), .foreign("an image (GIF)")),
    (Array("RIFF".utf8), .foreign("an image, a sound or a film (RIFF)")),
    (Array("PAR1".utf8), .foreign("a Parquet file")),
    ([0x7F, 0x45, 0x4C, 0x46], .foreign("a program")),
  ]

  /// Detects the kind from the first bytes of a file.
  ///
  /// Raw deflate has no signature. It is considered only when the server named the encoding
  /// “deflate”, which some servers use for zlib and others for raw deflate. A document then counts
  /// as raw deflate, unless its first byte and the absence of control characters show a text.
  /// - Parameters:
  ///   - bytes: the first bytes of the file.
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
      if isZlibHeader(first, bytes[1]) {
        // A table may begin with `HK` or with `X` and a tab, which compressed data go on with by no chance.
        let isText = bytes.prefix(neededBytes).allSatisfy {
          $0 >= 0x20 && $0 < 0x7F || isTextControl($0) && $0 != 0
        }
        if !isText { return .packed(.zlib) }
        if bytes.count < neededBytes, !isLast { return .open }
      }
    }
    for (signature, finding) in signatures where signature[0] == first {
      let present = min(signature.count, bytes.count)
      guard bytes.prefix(present).elementsEqual(signature.prefix(present)) else { continue }
      if present == signature.count { return finding }
      if !isLast { return .open }
    }
    if let finding = findTar(in: bytes, isLast: isLast) { return finding }
    return isRawDeflate ? findRaw(in: bytes, first: first, isLast: isLast) : .plain
  }

  /// Finds an archive of tar: the name of a file, followed by zeros up to 100 bytes. In UTF-16 and UTF-32 no two letters
  /// stand beside each other.
  private static func findTar(in bytes: UnsafeRawBufferPointer, isLast: Bool) -> Finding? {
    let start = bytes.prefix(neededBytes)
    let zero = start.firstIndex(of: 0) ?? start.count
    guard !isTextStart(bytes), start.prefix(zero).allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      start.dropFirst(zero).allSatisfy({ $0 == 0 })
    else { return nil }
    if start.count < neededBytes { return isLast ? nil : .open }
    return zero > 1 && zero < neededBytes ? .foreign("an archive (tar)") : nil
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
