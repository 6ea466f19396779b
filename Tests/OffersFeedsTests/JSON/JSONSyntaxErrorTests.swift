import OffersCore
import OffersFeeds
import Testing

/// Valid and invalid JSON according to RFC 8259, as a document and as a value that no field needs.
@Suite("Strict JSON syntax")
struct JSONSyntaxErrorTests {
  static let accepted = [
    "0", "-0", "7", "-12", "10", "0.0", "1.25", "-0.5", "1e3", "1E3", "1e+3", "1e-3", "0e0",
    "1.5E+10", "123456789012345678901234567890", "1e999", "true", "false", "null", #""""#,
    #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\uABCD\uabcd""#, #""\ud83d\ude00""#,
    #""\ud800""#, #""/""#, "\"\u{7F}\u{80}\u{2028}\u{FEFF}\"", "\"é日本🥑\"", #""'""#, "[]", "[ ]",
    "[1]", "[1,2]", "[ 1 , \"a\" , null ]", "[[],[[]],{}]", "{}", "{ }", #"{"":0}"#,
    #"{"a":1,"a":2}"#, #"{ "a" : { "b" : [ ] } }"#, #"{"\u0061":null}"#, "[\n1\r,\t2 ]",
    #"{"a":[{"b":[{"c":-1.0e-1}]}],"d":""}"#,
  ]

  static let refused = [
    "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e3", "1e", "1e+", "1E-", "1.5.2", "1e1.5", "-",
    "--1", "- 1", "1 2", "0x10", "1_000", "1a", "1;5", "Infinity", "-Infinity", "NaN", "nan", "１",
    "True", "TRUE", "tru", "truE", "truex", "nul", "nulll", "falsy", "undefined", "None", "a",
    "'a'", "`a`", #""a"#, #"a""#, #""a" "b""#, #""a"b"#, #""\x41""#, #""\a""#, #""\'""#,
    #""\U0041""#,
    #""\u""#, #""\u12""#, #""\u12G4""#, #""\u 041""#, #""\u+041""#, #""\""#, "\"\\\n\"",
    "\"a\tb\"", "\"a\nb\"", "\"a\r\nb\"", "\"\u{0}\"", "\"\u{1}\"", "\"\u{1F}\"",
    "[", "]", "[1", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[1]]", "[]]", "[][]",
    "{", "}", "{]", "[}", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1,}"#, #"{,"a":1}"#,
    #"{"a" 1}"#, #"{"a"::1}"#, #"{"a":1,,"b":2}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "{a:1}", "{1:2}",
    "{'a':1}", "{null:1}", #"{"a":1:2}"#, #"{"a","b"}"#, "{}}", "{}{}", "{} []", "{1}", "{[]:1}",
    "/* c */1", "1//c", "#c", "\u{C}1", "\u{B}1", "\u{A0}1", "\u{2060}1", "\u{0}1", "1\u{0}",
    "[1\u{0}]", "\\u0031", "<a>", "&amp;", "*", ":", ",",
  ]

  @Test("a valid value is accepted as a document", arguments: accepted)
  func acceptsDocument(text: String) throws {
    for sizes in [[], [1], [3]] {
      let code = try FeedReading(text, pieceSizes: sizes).error?.code
      #expect(code == nil || code == .unexpectedShape)
    }
  }

  @Test(
    "a valid value is skipped in a record, before the list and after it",
    arguments: accepted)
  func passesValue(text: String) throws {
    let record = #"[{"x":\#(text),"id":"1","y": \#(text) ,"name":"A","z":\#(text)}]"#
    for sizes in [[], [1], [3]] {
      let bare = try FeedReading(record, pieceSizes: sizes)
      #expect(bare.error == nil)
      #expect(bare.offers == [[.id: "1", .name: "A"]])
      let below = try FeedReading(
        #"{"x":\#(text),"feed":\#(record),"y":\#(text)}"#, as: .below("feed"), pieceSizes: sizes)
      #expect(below.error == nil)
      #expect(below.offers == [[.id: "1", .name: "A"]])
    }
  }

  @Test("an invalid value is refused as a document", arguments: refused)
  func refusesDocument(text: String) throws {
    for sizes in [[], [1], [3]] {
      #expect(try FeedReading(text, pieceSizes: sizes).error?.code == .malformedFeed)
    }
  }

  @Test(
    "an invalid value is refused in a field, in an unneeded member and as an item",
    arguments: refused)
  func refusesValue(text: String) throws {
    for document in [
      #"[{"id":"1","name":"A","terms":\#(text)}]"#, #"[{"id":"1","name":"A","x":\#(text)}]"#,
      #"[{"id":"1","name":"A","x":[[\#(text)]]}]"#, "[[\(text)]]",
    ] {
      for sizes in [[], [1], [3]] {
        #expect(
          try FeedReading(document, pieceSizes: sizes).error?.code == .malformedFeed,
          "\(document)")
      }
    }
    #expect(
      try FeedReading(#"{"x":\#(text),"feed":[]}"#, as: .below("feed")).error?.code
        == .malformedFeed)
  }

  @Test("an error in a skipped item is reported")
  func checksSkippedItems() throws {
    for item in ["[1,]", #""\q""#, "01", "nulL", #"[{"a":}]"#] {
      #expect(try FeedReading("[\(item)]").error?.code == .malformedFeed)
    }
  }
}
