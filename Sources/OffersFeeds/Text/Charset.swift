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
    case windows1252
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
  /// The name for glibc's iconv.
  let iconvName: String

  static let utf8 = Charset("UTF-8", .utf8)
  static let windows1252 = Charset("windows-1252", .windows1252)

  static func utf16(isBigEndian: Bool) -> Charset {
    Charset(isBigEndian ? "UTF-16BE" : "UTF-16LE", .utf16(isBigEndian: isBigEndian))
  }

  private init(_ name: String, _ kind: Kind, _ iconvName: String? = nil) {
    self.name = name
    self.kind = kind
    self.iconvName = iconvName ?? name
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

  private static let byLabel: [String: Charset] = {
    var labels: [String: Charset] = [:]
    for (charset, names) in all {
      for name in names.split(scalar: " ") { labels[String(name)] = charset }
    }
    return labels
  }()

  private static let all: [(Charset, labels: String)] =
    unicode + western + eastern
    + pages.map { page in
      let charset = Charset("windows-\(page)", .singleByte, "CP\(page)")
      return (charset, "windows\(page) cp\(page) xcp\(page) win\(page)")
    }
    + pcPages.map { page in
      (Charset("ibm\(page)", .singleByte, "CP\(page)"), "ibm\(page) cp\(page) \(page) csibm\(page)")
    }

  private static let pages = [1250, 1251, 1253, 1255, 1256, 1257, 1258]
  private static let pcPages = [437, 850, 852, 866]

  private static let unicode: [(Charset, labels: String)] = [
    (utf8, "utf8 unicode11utf8 utf8mb4 xunicode20utf8"),
    (Charset("UTF-16", .utf16(isBigEndian: nil)), "utf16 ucs2 unicode iso10646ucs2 csunicode"),
    (utf16(isBigEndian: false), "utf16le unicodefeff"),
    (utf16(isBigEndian: true), "utf16be unicodefffe"),
    (Charset("UTF-32", .utf32), "utf32 utf32le utf32be ucs4"),
  ]

  private static let western: [(Charset, labels: String)] = [
    (
      windows1252,
      """
      windows1252 cp1252 xcp1252 win1252 iso88591 iso885911987 iso88591:1987 isoir100 latin1 l1 \
      ibm819 cp819 csisolatin1 ascii usascii ansix3.41968
      """
    ),
    (
      Charset("windows-1254", .singleByte, "CP1254"),
      "windows1254 cp1254 xcp1254 win1254 iso88599 iso88599:1989 isoir148 latin5 l5 csisolatin5"
    ),
    (
      Charset("ISO-8859-2", .singleByte), "iso88592 iso88592:1987 isoir101 latin2 l2 csisolatin2"
    ),
    (
      Charset("ISO-8859-3", .singleByte), "iso88593 iso88593:1988 isoir109 latin3 l3 csisolatin3"
    ),
    (
      Charset("ISO-8859-4", .singleByte), "iso88594 iso88594:1988 isoir110 latin4 l4 csisolatin4"
    ),
    (Charset("ISO-8859-5", .singleByte), "iso88595 iso88595:1988 isoir144 cyrillic"),
    (Charset("ISO-8859-6", .singleByte), "iso88596 iso88596:1987 isoir127 arabic ecma114 asmo708"),
    (
      Charset("ISO-8859-7", .singleByte),
      "iso88597 iso88597:1987 isoir126 greek greek8 ecma118 elot928 suneugreek"
    ),
    (
      Charset("ISO-8859-8", .singleByte),
      "iso88598 iso88598:1988 isoir138 hebrew visual iso88598e iso88598i logical"
    ),
    (Charset("ISO-8859-10", .singleByte), "iso885910 isoir157 latin6 l6 csisolatin6"),
    (Charset("ISO-8859-13", .singleByte), "iso885913"),
    (Charset("ISO-8859-14", .singleByte), "iso885914"),
    (Charset("ISO-8859-15", .singleByte), "iso885915 csisolatin9 l9 latin9"),
    (Charset("ISO-8859-16", .singleByte), "iso885916"),
    (Charset("KOI8-R", .singleByte), "koi8r koi8 koi cskoi8r"),
    (Charset("KOI8-U", .singleByte), "koi8u koi8ru"),
    (Charset("macintosh", .singleByte), "macintosh mac xmacroman csmacintosh macroman"),
    (Charset("x-mac-cyrillic", .singleByte, "MAC-CYRILLIC"), "xmaccyrillic xmacukrainian"),
    (
      Charset("windows-874", .singleByte, "CP874"),
      "windows874 cp874 dos874 iso885911 tis620"
    ),
  ]

  private static let eastern: [(Charset, labels: String)] = [
    (
      // The variant of Windows: the original standard has a yen sign in place of the backslash.
      Charset("Shift_JIS", .multiByte, "CP932"),
      "shiftjis sjis xsjis mskanji csshiftjis ms932 cp932 windows31j"
    ),
    (Charset("EUC-JP", .multiByte, "EUC-JP-MS"), "eucjp xeucjp cseucpkdfmtjapanese"),
    (Charset("ISO-2022-JP", .shifting), "iso2022jp csiso2022jp"),
    (
      Charset("GBK", .multiByte, "GB18030"),
      "gbk xgbk gb2312 gb231280 gb2312801 csgb2312 csiso58gb231280 isoir58 chinese euccn cp936 ms936"
    ),
    (Charset("GB18030", .multiByte), "gb18030"),
    (Charset("Big5", .multiByte, "BIG5-HKSCS"), "big5 big5hkscs cnbig5 csbig5 xxbig5 cp950"),
    (
      Charset("EUC-KR", .multiByte, "CP949"),
      """
      euckr cseuckr ksc5601 ksc56011987 ksc56011989 ksc5601 korean csksc56011987 isoir149 \
      windows949 cp949 ms949 uhc
      """
    ),
  ]
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
