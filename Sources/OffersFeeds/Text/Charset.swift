import OffersCore

/// A character encoding, known by the names that documents and servers give it.
///
/// Most names are those of the WHATWG Encoding Standard; a few are for Unicode and for old PCs. No
/// encoding without a name here is converted with the system's iconv, whose rarer modules have had
/// vulnerabilities.
struct Charset: Hashable {
  enum Kind: Hashable {
    case utf8
    /// UTF-16; `isBigEndian` is nil when the document must tell the byte order.
    case utf16(isBigEndian: Bool?)
    case utf32
    /// One byte per character; the lower half is ASCII.
    case singleByte
    /// One or more bytes per character; the first one is above 0x7F unless the character is ASCII.
    case multiByte
    /// Escape sequences switch between character sets, in which ASCII bytes may be other
    /// characters.
    case shifting
  }

  /// The name in messages.
  let name: String
  let kind: Kind
  /// The name for iconv.
  let iconvName: String

  static let utf8 = Charset(name: "UTF-8", kind: .utf8, iconvName: "UTF-8")
  /// The encoding that browsers use for ISO-8859-1 as well.
  static let windows1252 = Charset(name: "windows-1252", kind: .singleByte, iconvName: "CP1252")

  static func utf16(isBigEndian: Bool) -> Charset {
    let name = isBigEndian ? "UTF-16BE" : "UTF-16LE"
    return Charset(name: name, kind: .utf16(isBigEndian: isBigEndian), iconvName: name)
  }

  /// Returns the encoding with this name; nil for an unknown one. Case, spaces, quotes, hyphens and
  /// underscores are ignored.
  static func find(_ name: String) -> Charset? {
    let letters = name.utf8.filter { !" \t\r\n\"'-_".utf8.contains($0) }
    let label = String(decoding: letters, as: UTF8.self).lowercased()
    // UTF-8, by far the most common name, does not need the dictionary, which is built lazily.
    return label == "utf8" ? utf8 : byLabel[label]
  }

  /// The usual names of the encodings, for a message.
  static var knownNames: [String] { all.map(\.0.name) + ["ISO-8859-1", "latin1", "US-ASCII"] }

  private static let byLabel = Dictionary(
    all.flatMap { charset, labels in labels.map { ($0, charset) } },
    uniquingKeysWith: { _, last in last })

  private static let all: [(Charset, labels: [String])] = table.split(scalar: "\n").map { line in
    let words = line.split(scalar: " ").map(String.init)
    let kind: Kind =
      switch words[2] {
      case "8": .utf8
      case "16": .utf16(isBigEndian: nil)
      case "16LE": .utf16(isBigEndian: false)
      case "16BE": .utf16(isBigEndian: true)
      case "32": .utf32
      case "M": .multiByte
      case "E": .shifting
      default: .singleByte
      }
    return (Charset(name: words[0], kind: kind, iconvName: words[1]), Array(words[3...]))
  }

  /// Each encoding's name, its name for iconv, its kind, and its labels without hyphens and underscores.
  /// The kind is the number of bits of a Unicode encoding, else S for a single byte, M for several, or E for
  /// escape sequences.
  ///
  /// Of Shift_JIS it is the variant of Windows: the original standard has a yen sign in place of the
  /// backslash.
  private static let table = """
    UTF-8 UTF-8 8 utf8 unicode11utf8 utf8mb4 xunicode20utf8
    UTF-16 UTF-16 16 utf16 ucs2 unicode iso10646ucs2 csunicode
    UTF-16LE UTF-16LE 16LE utf16le unicodefeff
    UTF-16BE UTF-16BE 16BE utf16be unicodefffe
    UTF-32 UTF-32 32 utf32 utf32le utf32be ucs4
    windows-1252 CP1252 S windows1252 cp1252 xcp1252 win1252 iso88591 iso885911987 iso88591:1987 \
    isoir100 latin1 l1 ibm819 cp819 csisolatin1 ascii usascii ansix3.41968
    windows-1254 CP1254 S windows1254 cp1254 xcp1254 win1254 iso88599 iso88599:1989 isoir148 \
    latin5 l5 csisolatin5
    ISO-8859-2 ISO-8859-2 S iso88592 iso88592:1987 isoir101 latin2 l2 csisolatin2
    ISO-8859-3 ISO-8859-3 S iso88593 iso88593:1988 isoir109 latin3 l3 csisolatin3
    ISO-8859-4 ISO-8859-4 S iso88594 iso88594:1988 isoir110 latin4 l4 csisolatin4
    ISO-8859-5 ISO-8859-5 S iso88595 iso88595:1988 isoir144 cyrillic
    ISO-8859-6 ISO-8859-6 S iso88596 iso88596:1987 isoir127 arabic ecma114 asmo708
    ISO-8859-7 ISO-8859-7 S iso88597 iso88597:1987 isoir126 greek greek8 ecma118 elot928 suneugreek
    ISO-8859-8 ISO-8859-8 S iso88598 iso88598:1988 isoir138 hebrew visual iso88598e iso88598i logical
    ISO-8859-10 ISO-8859-10 S iso885910 isoir157 latin6 l6 csisolatin6
    ISO-8859-13 ISO-8859-13 S iso885913
    ISO-8859-14 ISO-8859-14 S iso885914
    ISO-8859-15 ISO-8859-15 S iso885915 csisolatin9 l9 latin9
    ISO-8859-16 ISO-8859-16 S iso885916
    KOI8-R KOI8-R S koi8r koi8 koi cskoi8r
    KOI8-U KOI8-U S koi8u koi8ru
    macintosh macintosh S macintosh mac xmacroman csmacintosh macroman
    x-mac-cyrillic MAC-CYRILLIC S xmaccyrillic xmacukrainian
    windows-874 CP874 S windows874 cp874 dos874 iso885911 tis620
    Shift_JIS CP932 M shiftjis sjis xsjis mskanji csshiftjis ms932 cp932 windows31j
    EUC-JP EUC-JP-MS M eucjp xeucjp cseucpkdfmtjapanese
    ISO-2022-JP ISO-2022-JP E iso2022jp csiso2022jp
    GBK GB18030 M gbk xgbk gb2312 gb231280 gb2312801 csgb2312 csiso58gb231280 isoir58 chinese \
    euccn cp936 ms936
    GB18030 GB18030 M gb18030
    Big5 BIG5-HKSCS M big5 big5hkscs cnbig5 csbig5 xxbig5 cp950
    EUC-KR CP949 M euckr cseuckr ksc5601 ksc56011987 ksc56011989 korean csksc56011987 isoir149 \
    windows949 cp949 ms949 uhc
    windows-1250 CP1250 S windows1250 cp1250 xcp1250 win1250
    windows-1251 CP1251 S windows1251 cp1251 xcp1251 win1251
    windows-1253 CP1253 S windows1253 cp1253 xcp1253 win1253
    windows-1255 CP1255 S windows1255 cp1255 xcp1255 win1255
    windows-1256 CP1256 S windows1256 cp1256 xcp1256 win1256
    windows-1257 CP1257 S windows1257 cp1257 xcp1257 win1257
    windows-1258 CP1258 S windows1258 cp1258 xcp1258 win1258
    ibm437 CP437 S ibm437 cp437 437 csibm437
    ibm850 CP850 S ibm850 cp850 850 csibm850
    ibm852 CP852 S ibm852 cp852 852 csibm852
    ibm866 CP866 S ibm866 cp866 866 csibm866
    """
}

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
    // A table may begin with any letter, so two of them count.
    if bytes.count >= 4 {
      let units = [bytes[0], bytes[2]]
      if bytes[1] == 0, bytes[3] == 0, units.allSatisfy(isPrintable) {
        return .zeroBytes(.utf16(isBigEndian: false))
      }
      if units == [0, 0], isPrintable(bytes[1]), isPrintable(bytes[3]) {
        return .zeroBytes(.utf16(isBigEndian: true))
      }
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

  private static func isPrintable(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  private static func opensText(_ byte: UInt8) -> Bool {
    byte == 0x3C || byte == 0x7B || byte == 0x5B || ASCII.isSpace(byte)
  }
}
