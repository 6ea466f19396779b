import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Encodings of documents")
struct TextTranscoderTests {
  private static let sizes: [[Int]] = [[], [1], [2], [3, 7], [100], [4096], [5000]]

  /// A list of facts with Western European letters.
  private static let facts = """
    {
    "title":"About Canada",
    "rows":[
      {"title":"Qu\u{E9}bec","description":"Caf\u{E9}s, cr\u{EA}pes & \u{AB}po\u{FB}tine\u{BB}"},
      {"title":"\u{C9}tait","description":null}
    ]}
    """

  static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBigEndian ? [high, low] : [low, high]
    }
  }

  private static func expect(
    _ document: [UInt8], _ charset: String? = nil, isCertain: Bool = false, becomes text: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    for sizes in Self.sizes {
      let result = StageRun.transcoding(
        document, charset: charset, isCertain: isCertain, pieceSizes: sizes)
      #expect(result.error == nil, sourceLocation: location)
      #expect(result.text == text, "pieces \(sizes)", sourceLocation: location)
    }
  }

  @Test(
    "ISO-8859-1 is read with a right, a wrong and no header",
    arguments: [nil, "iso-8859-1", "ISO_8859-1", "latin1", "utf-8", "windows-1252", "us-ascii"])
  func readsLatin(charset: String?) {
    Self.expect(Self.latin(Self.facts), charset, becomes: Self.facts)
  }

  @Test(
    "UTF-8 is read with a right, a wrong and no header",
    arguments: [nil, "utf-8", "UTF8", "iso-8859-1", "windows-1251", "\"utf-8\"", "koi8-r"])
  func readsUTF8(charset: String?) {
    Self.expect(Array(Self.facts.utf8), charset, becomes: Self.facts)
    Self.expect(
      Array("\u{FEFF}\(Self.facts)".utf8), charset, becomes: Self.facts)
  }

  @Test("UTF-8 is detected after a long run of ASCII, divided at any byte")
  func readsLateUTF8() {
    let text = "[\"" + String(repeating: "a", count: 5000) + "日本語 😀\"]"
    Self.expect(Array(text.utf8), "iso-8859-1", becomes: text)
    Self.expect(Array(text.utf8), becomes: text)
  }

  @Test("a single valid sequence does not outweigh invalid ones after it")
  func looksAhead() {
    let text = "[\"Ã©\", \"\u{E9}t\u{E9}\"]"
    Self.expect(Self.latin(text), "iso-8859-1", becomes: text)
    let far = "[\"Ã©\"," + String(repeating: " ", count: 4096) + "\"\u{E9}\"]"
    let result = StageRun.transcoding(Self.latin(far), charset: "iso-8859-1")
    #expect(result.bytes == Self.latin(far))
  }

  @Test("invalid bytes pass once UTF-8 is detected")
  func passesWrongBytes() {
    let bytes: [UInt8] = Array("[\"é\",\"".utf8) + [0xE9, 0x80, 0xFF] + Array("\"]".utf8)
    for sizes in Self.sizes {
      let result = StageRun.transcoding(bytes, pieceSizes: sizes)
      #expect(result.bytes == bytes)
    }
  }

  @Test("a sequence that the end of the document cuts off is not UTF-8")
  func endsWithinSequence() {
    Self.expect(Array("[\"caf".utf8) + [0xC3], becomes: "[\"cafÃ")
  }

  @Test("every byte of windows-1252 is decoded as in the standard")
  func knowsWindows1252() {
    let bytes = (0x80...0xFF).map { UInt8($0) }
    let controls = "\u{81}\u{8D}\u{8F}\u{90}\u{9D}"
    let result = StageRun.transcoding(bytes, charset: "cp1252", isCertain: true)
    #expect(
      result.text.hasPrefix("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ\u{A0}¡"))
    #expect(result.text.hasSuffix("ýþÿ"))
    #expect(controls.allSatisfy { result.text.contains($0) })
    #expect(result.text.unicodeScalars.count == 128)
  }

  @Test("an XML declaration takes precedence over the header, and the bytes over both")
  func readsDeclaration() {
    func xml(_ encoding: String, _ body: String) -> String {
      "<?xml version=\"1.0\" encoding=\(encoding) standalone='yes'?>\n<a>\(body)</a>"
    }
    let latin = xml("\"ISO-8859-1\"", "caf\u{E9}")
    Self.expect(Self.latin(latin), "utf-8", becomes: latin)
    Self.expect(Array(latin.utf8), "iso-8859-1", becomes: latin)
    let cyrillic = xml("'windows-1251'", "скидка")
    let bytes = cyrillic.unicodeScalars.map {
      $0.value < 0x80 ? UInt8($0.value) : UInt8($0.value - 0x430 + 0xE0)
    }
    Self.expect(bytes, "iso-8859-1", becomes: cyrillic)
    Self.expect([0x0A, 0x20] + bytes, becomes: "\n " + cyrillic)
    let wrong = Array(xml("\"UTF-8\"", "").utf8.dropLast(4)) + bytes.suffix(10)
    Self.expect(
      wrong, "windows-1251", becomes: xml("\"UTF-8\"", "скидка"))
    let late = "<?xml version='1.0' \(String(repeating: " ", count: 1100))encoding='koi8-r'?>é"
    Self.expect(Self.latin(late), becomes: late)
  }

  @Test("text that looks like a declaration within JSON is ignored")
  func ignoresOtherDeclarations() {
    for text in ["{\"a\":\"<?xml encoding='koi8-r'?>\u{E9}\"}", "<a encoding='koi8-r'>\u{E9}</a>"] {
      Self.expect(Self.latin(text), becomes: text)
    }
  }

  @Test("UTF-16 is read with a byte order mark and without", arguments: [false, true])
  func readsUTF16(isBigEndian: Bool) {
    let name = isBigEndian ? "UTF-16BE" : "UTF-16LE"
    for text in ["<a>é 😀 日本</a>", "{\"a\":1}", "[]", "\n [\"é\"]", "<", Self.facts] {
      let bytes = Self.utf16(text, isBigEndian: isBigEndian)
      for charset in [nil, "utf-8", "utf-16", "iso-8859-1"] {
        Self.expect(bytes, charset, becomes: text)
        let mark = Self.utf16("\u{FEFF}", isBigEndian: isBigEndian)
        Self.expect(mark + bytes, charset, becomes: text)
      }
    }
    let bare = Self.utf16("\"a\"", isBigEndian: isBigEndian)
    Self.expect(bare, "UTF-16", becomes: "\"a\"")
    Self.expect(bare, name, isCertain: true, becomes: "\"a\"")
  }

  @Test("unpaired surrogates and an incomplete end become U+FFFD")
  func replacesSurrogates() {
    let units: [UInt16] = [0x5B, 0xD83D, 0x41, 0xDE00, 0xD83D, 0xD83D, 0xDE00, 0xD800]
    var bytes: [UInt8] = []
    for unit in units { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    bytes.append(0x41)
    Self.expect(
      bytes, becomes: "[\u{FFFD}A\u{FFFD}\u{FFFD}😀\u{FFFD}")
  }

  @Test("a header with UTF-16 is ignored if the bytes are not UTF-16")
  func doubtsUTF16() {
    Self.expect(Array("[\"é\"]".utf8), "utf-16", becomes: "[\"é\"]")
  }

  @Test("UTF-32 is refused by name")
  func refusesUTF32() throws {
    let documents: [[UInt8]] = [
      [0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0], [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x5B],
      [0x3C, 0, 0, 0, 0x61, 0, 0, 0], [0, 0, 0, 0x7B],
    ]
    for document in documents {
      for sizes in [[], [1]] {
        let result = StageRun.transcoding(document, pieceSizes: sizes)
        let error = try #require(result.error)
        #expect(error.code == .malformedFeed)
        #expect(error.message.contains("UTF-32"))
        #expect(result.bytes.isEmpty)
      }
    }
  }

  @Test("East Asian encodings are decoded by the system")
  func readsEasternEncodings() {
    let samples: [(String, [UInt8], String)] = [
      ("shift_jis", [0x93, 0xFA, 0x96, 0x7B, 0x5C, 0x22], "日本\\\""),
      ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
      ("gb2312", [0xC8, 0xD5, 0xB1, 0xBE], "日本"),
      ("gbk", [0x80 + 1, 0x40], "丂"),
      ("big5", [0xA4, 0xE9, 0xA5, 0xBB], "日本"),
      ("ks_c_5601-1987", [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
    ]
    for (charset, bytes, text) in samples {
      let document = Array("[\"a\",\"".utf8) + bytes + Array("\"]".utf8)
      Self.expect(document, charset, becomes: "[\"a\",\"\(text)\"]")
      Self.expect(document, charset, isCertain: true, becomes: "[\"a\",\"\(text)\"]")
    }
  }

  @Test("invalid characters of East Asian encodings become U+FFFD")
  func replacesInvalidBytes() {
    let bytes: [UInt8] = [0x5B, 0x93, 0xFA, 0xFF, 0x93, 0x22, 0x41, 0x93]
    let text = "[日\u{FFFD}\u{FFFD}\"A\u{FFFD}"
    Self.expect(bytes, "shift_jis", becomes: text)
    let page: [UInt8] = [0x5B, 0xAA, 0xC1, 0x5D]
    Self.expect(page, "windows-1253", becomes: "[\u{FFFD}Α]")
    Self.expect([0x5B, 0x61, 0x8A, 0x61, 0x5D], "windows-1258", becomes: "[a\u{FFFD}a]")
  }

  @Test("an invalid byte costs as little as a valid character")
  func replacesManyInvalidBytes() {
    let bytes = [UInt8](repeating: 0xFF, count: 1 << 20)
    var result: StageRun?
    let time = ContinuousClock().measure {
      result = StageRun.transcoding(bytes, charset: "shift_jis", isCertain: true)
    }
    #expect(result?.bytes.count == 3 << 20)
    #expect(result?.text.unicodeScalars.allSatisfy { $0 == "\u{FFFD}" } == true)
    #expect(time < .seconds(5))
  }

  @Test("single-byte encodings are decoded with tables")
  func readsSingleByteEncodings() {
    let samples: [(String, [UInt8], String)] = [
      ("iso-8859-1", [0x41, 0x96, 0x80, 0x93], "A–€“"),
      ("windows-1250", [0xB9, 0x9C], "ąś"),
      ("iso-8859-2", [0xB1, 0xB6], "ąś"),
      ("windows-1251", [0xDE, 0xFF], "Юя"),
      ("koi8-r", [0xC0, 0xD1], "юя"),
      ("iso-8859-15", [0xA4], "€"),
      ("iso-8859-9", [0xFE, 0x80], "ş€"),
      ("windows-1255", [0xF9, 0xEC], "של"),
      ("windows-1258", [0xFE, 0xE2], "₫â"),
      ("macintosh", [0x8E], "é"),
      ("ibm850", [0x82], "é"),
    ]
    for (charset, bytes, text) in samples {
      let document = Array("[\"".utf8) + bytes + Array("\"]".utf8)
      Self.expect(document, charset, becomes: "[\"\(text)\"]")
    }
  }

  @Test("a letter and a combining accent of a single-byte encoding stay apart")
  func keepsAccentsApart() {
    let samples: [(String, [UInt8], String)] = [
      (
        "windows-1258", [0x61, 0xEC, 0xFD, 0xEC, 0xE2, 0xF2], "a\u{301}\u{1B0}\u{301}\u{E2}\u{323}"
      ),
      ("windows-1255", [0xF9, 0xD1, 0xE1, 0xCC], "\u{5E9}\u{5C1}\u{5D1}\u{5BC}"),
    ]
    for (charset, bytes, text) in samples {
      for sizes in [[], [1], [3]] {
        let result = StageRun.transcoding(
          bytes, charset: charset, isCertain: true, pieceSizes: sizes)
        // Strings would compare equal when composed.
        #expect(result.bytes == Array(text.utf8), "\(charset), pieces \(sizes)")
      }
    }
  }

  @Test("the encoding of a definition always applies")
  func followsDefinition() {
    Self.expect(
      Array("[\"é\"]".utf8), "iso-8859-1", isCertain: true, becomes: "[\"Ã©\"]")
    let xml = "<?xml version='1.0' encoding='utf-8'?><a>é</a>"
    Self.expect(
      Self.latin(xml), "windows-1252", isCertain: true, becomes: xml)
    Self.expect(
      Array("\u{FEFF}[\"é\"]".utf8), "windows-1252", isCertain: true, becomes: "[\"é\"]")
    let wrong: [UInt8] = [0x5B, 0xE9, 0x5D]
    #expect(StageRun.transcoding(wrong, charset: "utf-8", isCertain: true).bytes == wrong)
  }

  @Test("an unsupported encoding is an error only if the bytes are not UTF-8")
  func refusesUnknownNames() throws {
    Self.expect(Array("[1]".utf8), "x-unheard", becomes: "[1]")
    Self.expect(Array("[\"é\"]".utf8), "x-unheard", becomes: "[\"é\"]")
    for (charset, isCertain) in [
      ("x-unheard", false), ("x-unheard", true), ("utf-8//IGNORE", true),
    ] {
      for sizes in Self.sizes {
        let result = StageRun.transcoding(
          Self.latin("[\"\u{E9}\"]"), charset: charset, isCertain: isCertain, pieceSizes: sizes)
        let error = try #require(result.error)
        #expect(error.code == .malformedFeed)
        #expect(
          error.message == "The document declares the encoding \(charset), which is not supported.")
        #expect(error.hint?.text.contains("encoding:") == true)
      }
    }
    let xml = "<?xml version='1.0' encoding='x-unheard'?><a>\u{E9}</a>"
    Self.expect(Self.latin(xml), "iso-8859-1", becomes: xml)
  }

  @Test("ASCII and UTF-8 are passed on without copying")
  func passesWithoutCopying() throws {
    let stage = TextTranscoder(charset: "iso-8859-1")
    let ascii = [UInt8](repeating: 0x61, count: 10_000)
    try ascii.withUnsafeBytes { bytes in
      try stage.consume(bytes) { #expect($0.baseAddress == bytes.baseAddress) }
    }
    let text = Array(String(repeating: "é", count: 5000).utf8)
    for _ in 0..<2 {
      try text.withUnsafeBytes { bytes in
        try stage.consume(bytes) {
          #expect($0.baseAddress == bytes.baseAddress && $0.count == bytes.count)
        }
      }
    }
  }

  @Test("an empty document has empty output")
  func readsNothing() {
    for charset in [nil, "utf-8", "koi8-r", "shift_jis", "utf-16"] {
      Self.expect([], charset, becomes: "")
    }
  }

  @Test("a large document in each encoding gives the same result in any chunks")
  func readsLargeDocuments() {
    let words = (0..<20_000).map { "\u{E9}t\u{E9} \($0)" }.joined(separator: ", ")
    Self.expect(Self.latin(words), becomes: words)
    let units = "<" + words
    Self.expect(
      Self.utf16(units, isBigEndian: false), becomes: units)
    let pairs = (0..<90_000).map { ([0x93, 0xFA, 0x41] as [UInt8])[$0 % 3] }
    let text = String(repeating: "日A", count: 30_000)
    Self.expect(pairs, "shift_jis", becomes: text)
  }
}
