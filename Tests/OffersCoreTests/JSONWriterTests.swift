import Foundation
import OffersCore
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
  private static func text(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    body(&json)
    return json.text
  }

  @Test("members keep the given order, and commas separate values only")
  func writesNestedValues() {
    let text = Self.text { json in
      json.object { json in
        json.key("z")
        json.array { json in
          json.value(1)
          json.array { _ in }
          json.object { _ in }
          json.object { json in
            json.key("b")
            json.value(true)
            json.key("a")
            json.value(false)
          }
          json.null()
        }
        json.key("y")
        json.object { _ in }
        json.key("x")
        json.number("2.5")
        json.key("w")
        json.value("end")
      }
    }
    #expect(text == #"{"z":[1,[],{},{"b":true,"a":false},null],"y":{},"x":2.5,"w":"end"}"#)
  }

  @Test("absent values are null")
  func writesNull() {
    let text = Self.text { json in
      json.array { json in
        json.value(nil as String?)
        json.value(nil as Int64?)
        json.value(nil as Date?)
        json.value(nil as Reward?)
        json.value("")
        json.value(0)
      }
    }
    #expect(text == #"[null,null,null,null,"",0]"#)
  }

  @Test("numbers of any size are written with all digits")
  func writesNumbers() {
    let text = Self.text { json in
      json.array { json in
        json.value(Int64.max)
        json.value(Int64.min)
        json.value(-1)
      }
    }
    #expect(text == "[9223372036854775807,-9223372036854775808,-1]")
  }

  static let escapes: [(text: String, json: String)] = [
    ("plain ~ text / 'quoted'", "plain ~ text / 'quoted'"),
    ("\"", #"\""#), ("\\", #"\\"#), ("\n\r\t", #"\n\r\t"#), ("\r\n", #"\r\n"#),
    ("\u{0}\u{1}\u{8}\u{C}\u{B}\u{1F}", #"\u0000\u0001\u0008\u000c\u000b\u001f"#),
    ("\u{1B}[31m", #"\u001b[31m"#), ("\u{7F}", #"\u007f"#),
    ("\u{80}\u{85}\u{9B}\u{9F}", #"\u0080\u0085\u009b\u009f"#), ("\u{A0}", "\u{A0}"),
    ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("é 日本 😀 \u{FFFD}", "é 日本 😀 \u{FFFD}"),
    ("e\u{301}", "e\u{301}"), ("a\\\"b\u{7}é", #"a\\\"b\u0007é"#), ("<&>", "<&>"),
    (
      "\u{61C}\u{200E}\u{200F}\u{2028}\u{202E}\u{2066}\u{2069}\u{FEFF}\u{7F}\u{80}\u{9F}",
      #"\u061c\u200e\u200f\u2028\u202e\u2066\u2069\ufeff\u007f\u0080\u009f"#
    ),
    (
      "\u{61B}\u{61D}\u{200D}\u{2010}\u{2027}\u{202F}\u{2065}\u{206A}\u{FEFE}\u{FF00}\u{A0}",
      "\u{61B}\u{61D}\u{200D}\u{2010}\u{2027}\u{202F}\u{2065}\u{206A}\u{FEFE}\u{FF00}\u{A0}"
    ),
  ]

  @Test(
    "quotes, backslashes and control characters are escaped, in member names, too",
    arguments: escapes)
  func escapesText(text: String, json expected: String) {
    let json = Self.text { json in
      json.object { json in
        json.key(text)
        json.value(text)
      }
    }
    #expect(Array(json.utf8) == Array("{\"\(expected)\":\"\(expected)\"}".utf8))
  }

  @Test("Foundation reads back every character of the first planes")
  func roundTripsEveryScalar() throws {
    let scalars = (0...0x30FF as ClosedRange<UInt32>).compactMap(UnicodeScalar.init)
    for start in stride(from: 0, to: scalars.count, by: 256) {
      let part = scalars[start..<min(start + 256, scalars.count)]
      var text = "\u{1F600}"
      text.unicodeScalars.append(contentsOf: part)
      let json = Self.text { $0.array { $0.value(text) } }
      #expect(!json.unicodeScalars.contains { $0.properties.generalCategory == .control })
      let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String]
      #expect(parsed?.first.map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test(
    "hundredths are written as an exact decimal number",
    arguments: [
      (0, "0"), (1, "0.01"), (10, "0.1"), (25, "0.25"), (100, "1"), (101, "1.01"), (250, "2.5"),
      (255, "2.55"), (500, "5"), (10_000, "100"), (Int64.max, "92233720368547758.07"),
      (-5, "-0.05"), (-250, "-2.5"), (-100, "-1"), (Int64.min, "-92233720368547758.08"),
    ] as [(Int64, String)])
  func writesHundredths(hundredths: Int64, text: String) {
    #expect(JSONWriter.decimal(hundredths: hundredths) == text)
  }
}
