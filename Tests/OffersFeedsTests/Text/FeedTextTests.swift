import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Texts in a feed")
struct FeedTextTests {
  /// The JSON text between quotes, and the decoded text.
  static let sound: [(json: String, text: String)] = [
    (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#"\u00e9\u00E9\u20AC\uFFFF\u007f"#, "éé€\u{FFFF}\u{7F}"),
    (#"\ud83d\ude00 \uD83D\uDE00 \ud800\udc00 \udbff\udfff"#, "😀 😀 \u{10000} \u{10FFFF}"),
    (#"a\r\nb\r\n\r\nc"#, "a\nb\n\nc"),
    (#"a\u000d\u000ab\u000D\nc\r\u000Ad"#, "a\nb\nc\nd"),
    (#"a\rb\r"#, "a\rb\r"),
    (#"a\n\rb"#, "a\n\rb"),
    (#"\r\r\n"#, "\r\n"),
    (#"&amp; &lt;b&gt; &#39; &eacute;"#, "&amp; &lt;b&gt; &#39; &eacute;"),
    (#"  two  spaces\t "#, "  two  spaces\t "),
    (#"\\u0041 \\n \\ud800"#, #"\u0041 \n \ud800"#),
    (#"\ufffd"#, "\u{FFFD}"),
    ("\u{FFFD} \u{FEFF}x", "\u{FFFD} \u{FEFF}x"),
    (
      "e\u{301} é 日本語 👩‍👩‍👧 \u{A0}\u{202E}\u{7F}\u{2028}",
      "e\u{301} é 日本語 👩‍👩‍👧 \u{A0}\u{202E}\u{7F}\u{2028}"
    ),
    ("\u{10FFFF}\u{D7FF}\u{E000}\u{80}", "\u{10FFFF}\u{D7FF}\u{E000}\u{80}"),
  ]

  @Test(
    "escapes are decoded, CRLF becomes LF, and other characters are unchanged", arguments: sound)
  func keepsSoundText(json: String, text: String) throws {
    let reading = try FeedReading(record: #"{"id":"1","name":"A","terms":"\#(json)"}"#)
    #expect(reading.mends.isEmpty)
    let kept = try #require(reading.offers.first?[.terms])
    #expect(Array(kept.utf8) == Array(text.utf8))
  }

  @Test("adjacent escapes of all kinds are decoded", arguments: 1...TestSize.scaled(20))
  func decodesAnyOrder(number: Int) throws {
    var random = SeededGenerator(number: number)
    let parts: [(json: String, text: String)] = [
      (#"\r"#, "\r"), (#"\r"#, "\r"), (#"\n"#, "\n"), (#"\n"#, "\n"), (#"\u000d"#, "\r"),
      (#"\u000A"#, "\n"), (#"\\"#, "\\"), (#"\""#, "\""), (#"\u00ae"#, "®"), ("r", "r"),
      ("n", "n"), ("é", "é"),
      ("a plain text of more than sixteen bytes", "a plain text of more than sixteen bytes"),
    ]
    for _ in 0..<50 {
      let chosen = (0..<Int.random(in: 1...30, using: &random)).compactMap { _ in
        parts.randomElement(using: &random)
      }
      let json = chosen.map(\.json).joined()
      let reading = try FeedReading(record: #"{"id":"1","name":"A","terms":"\#(json)"}"#)
      let kept = try #require(reading.offers.first?[.terms])
      var expected: [UInt8] = []
      for byte in chosen.map(\.text).joined().utf8 {
        if byte == 0x0A, expected.last == 0x0D { expected.removeLast() }
        expected.append(byte)
      }
      #expect(Array(kept.utf8) == expected, "\(json)")
    }
  }

  /// The JSON text between quotes, and the repaired text.
  static let broken: [(json: String, text: String)] = [
    (#"a\ud83d"#, "a\u{FFFD}"),
    (#"\ud83dz"#, "\u{FFFD}z"),
    (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"),
    (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
    (#"\ud83d\n"#, "\u{FFFD}\n"),
    (#"\ud83d\u0041"#, "\u{FFFD}A"),
    (#"\ud83d\\ude00"#, #"�\ude00"#),
    (#"\udfff"#, "\u{FFFD}"),
    (#"a\u0000b"#, "a\u{FFFD}b"),
    (#"\u0000"#, "\u{FFFD}"),
  ]

  @Test("an unpaired surrogate or a NUL is replaced and reported", arguments: broken)
  func mendsText(json: String, text: String) throws {
    let reading = try FeedReading(record: #"{"id":"1","name":"A","terms":"\#(json)"}"#)
    #expect(
      reading.events == [
        .mended(position: 1, reason: "terms is not valid Unicode, marked with \u{FFFD}"),
        .offer(position: 1, texts: [.id: "1", .name: "A", .terms: text]),
      ])
  }

  static let invalidBytes: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
    [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE9, 0x20],
  ]

  @Test("invalid UTF-8 is replaced, with and without escapes", arguments: invalidBytes)
  func mendsInvalidBytes(bad: [UInt8]) throws {
    for escape in ["", #"\u0041"#] {
      let bytes =
        Array(#"[{"id":"1","name":"café"#.utf8) + bad + Array(#"z\#(escape)"}]"#.utf8)
      let reading = try FeedReading(bytes)
      #expect(reading.mends == ["name is not valid Unicode, marked with \u{FFFD}"])
      let name = try #require(reading.offers.first?[.name])
      #expect(name.hasPrefix("café\u{FFFD}"))
      #expect(name.hasSuffix(escape.isEmpty ? "z" : "zA"))
    }
  }

  @Test("a repaired name is a valid name")
  func keepsMendedName() throws {
    let reading = try FeedReading(record: #"{"id":"1","name":"\ud800"}"#)
    #expect(reading.offers == [[.id: "1", .name: "\u{FFFD}"]])
    #expect(reading.mends.count == 1)
  }

  @Test("invalid text in an unneeded key or value is ignored")
  func passesUnknownText() throws {
    let bytes =
      Array(#"[{"x\ud800":"\udc00\u0000","y"#.utf8) + [0xFF]
      + Array(#"":[""#.utf8) + [0xC3] + Array(#""],"id":"1","name":"A"}]"#.utf8)
    #expect(
      try FeedReading(bytes).events == [.offer(position: 1, texts: [.id: "1", .name: "A"])])
  }

  @Test("texts of every length are kept, with a quote at every offset of a word")
  func keepsEveryLength() throws {
    for length in 0...70 {
      let text = String((0..<length).map { Character(UnicodeScalar(UInt8(0x21 + $0 % 0x3B))) })
        .replacing("\"", with: "q")
      let reading = try FeedReading(
        record: #"{"id":"1\#(text)","name":"n\#(text)","terms":"\n\#(text)\t"}"#)
      #expect(
        reading.offers == [[.id: "1" + text, .name: "n" + text, .terms: "\n" + text + "\t"]])
    }
  }
}
