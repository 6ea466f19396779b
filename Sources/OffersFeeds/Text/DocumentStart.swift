import OffersCore

/// The statement of a document's first bytes about its character encoding.
enum DocumentStart: Equatable {
  /// A byte order mark, with its encoding and its length; that of all of them for UTF-8, of which some
  /// programs write several.
  case mark(Charset, bytes: Int)
  /// No mark, but a zero byte beside the first character, as in UTF-16.
  case zeroBytes(Charset)
  case utf32
  /// The encoding in an XML declaration, as written.
  case declaration(String)
  case nothing
  /// More bytes are needed to find a statement.
  case open

  /// The number of bytes within which the encoding in an XML declaration is searched for.
  static let neededBytes = 1024

  private static let markBytes = 4

  /// Finds what the first bytes say about the encoding; `open` if it takes more bytes to tell.
  ///
  /// - Parameters:
  ///   - bytes: the first bytes of the document.
  ///   - isLast: whether no more bytes follow.
  static func find(in bytes: UnsafeRawBufferPointer, isLast: Bool) -> DocumentStart {
    if bytes.count < markBytes && !isLast { return .open }
    if case .mark(.utf8, let length)? = findMark(in: bytes) {
      return findMarks(in: bytes, from: length, isLast: isLast)
    }
    return findMark(in: bytes) ?? findZeroBytes(in: bytes)
      ?? findDeclaration(in: bytes, isLast: isLast)
  }

  private static func findMark(in bytes: UnsafeRawBufferPointer) -> DocumentStart? {
    func begins(_ mark: UInt8...) -> Bool { bytes.starts(with: mark) }
    if begins(0xEF, 0xBB, 0xBF) { return .mark(.utf8, bytes: 3) }
    if begins(0xFF, 0xFE, 0, 0) || begins(0, 0, 0xFE, 0xFF) { return .utf32 }
    if begins(0xFF, 0xFE) { return .mark(.utf16(isBigEndian: false), bytes: 2) }
    if begins(0xFE, 0xFF) { return .mark(.utf16(isBigEndian: true), bytes: 2) }
    return nil
  }

  private static func findMarks(
    in bytes: UnsafeRawBufferPointer, from start: Int, isLast: Bool
  ) -> DocumentStart {
    var length = start
    while true {
      switch bytes.matches("\u{FEFF}", at: length) {
      case true?: length += 3
      case nil where !isLast: return .open
      default: return .mark(.utf8, bytes: length)
      }
    }
  }

  private static func findZeroBytes(in bytes: UnsafeRawBufferPointer) -> DocumentStart? {
    guard bytes.count >= 2 else { return nil }
    if bytes[1] == 0 && opensText(bytes[0]) {
      let isWide = bytes.count >= 4 && bytes[2] == 0 && bytes[3] == 0
      return isWide ? .utf32 : .zeroBytes(.utf16(isBigEndian: false))
    }
    guard bytes[0] == 0 else { return nil }
    if opensText(bytes[1]) { return .zeroBytes(.utf16(isBigEndian: true)) }
    let isWide = bytes.count >= 4 && bytes[1] == 0 && bytes[2] == 0 && opensText(bytes[3])
    return isWide ? .utf32 : nil
  }

  /// Finds the encoding in `<?xml … encoding="…" … ?>`, after nothing but whitespace.
  private static func findDeclaration(
    in all: UnsafeRawBufferPointer, isLast: Bool
  ) -> DocumentStart {
    let isCut = all.count < neededBytes && !isLast
    let bytes = all.slice(0, min(all.count, neededBytes))
    var index = skipSpace(bytes, from: 0)
    switch bytes.matches("<?xml", at: index) {
    case nil: return isCut ? .open : .nothing
    case false?: return .nothing
    case true?: index += 5
    }
    while index < bytes.count {
      if bytes[index] == 0x3F || bytes[index] == 0x3E { return .nothing }
      let isName = ASCII.isSpace(bytes[index - 1]) && bytes.matches("encoding", at: index) == true
      if isName, let name = findValue(in: bytes, from: index + 8) { return .declaration(name) }
      index += 1
    }
    return isCut ? .open : .nothing
  }

  /// Returns the quoted value after an equals sign; nil when it is missing, empty or incomplete.
  private static func findValue(in bytes: UnsafeRawBufferPointer, from start: Int) -> String? {
    var index = skipSpace(bytes, from: start)
    guard index < bytes.count, bytes[index] == 0x3D else { return nil }
    index = skipSpace(bytes, from: index + 1)
    guard index < bytes.count, bytes[index] == 0x22 || bytes[index] == 0x27 else { return nil }
    let value = bytes.tail(from: index + 1)
    guard let end = value.firstIndex(of: bytes[index]), end > 0 else { return nil }
    return String(decoding: value.slice(0, end), as: UTF8.self)
  }

  private static func skipSpace(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count && ASCII.isSpace(bytes[index]) { index += 1 }
    return index
  }

  private static func opensText(_ byte: UInt8) -> Bool {
    byte == 0x3C || byte == 0x7B || byte == 0x5B || ASCII.isSpace(byte)
  }
}
