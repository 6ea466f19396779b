import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("The next page in a Link header")
struct LinkHeaderTests {
  @Test(
    "is the target with the relation next",
    arguments: [
      (#"</first>; rel="first", <next?page=2>; rel="next""#, "next?page=2"),
      ("</a>; rel=prev, </b>; REL = Next", "/b"),
      (#"</a>;title="a, <b>; rel=next";rel="prev next""#, "/a"),
      (#"</a>; rel="first"; rel="next", </b>; rel=next"#, "/b"),
      ("</a>;rel=next", "/a"), ("</a>; rel=nextish", nil), (#"</a>; rel="next-archive""#, nil),
      ("</a>; relation=next", nil), ("</a", nil), ("", nil), ("rel=next", nil), ("</a>;;;", nil),
      (#"</a>; rel="next"#, nil),
    ] as [(String, String?)])
  func target(header: String, expected: String?) {
    #expect(Self.next(in: [header]) == expected)
  }

  @Test("is not looked for behind the first 8 KiB of a header")
  func longHeader() {
    let filler = "</a>; rel=\"" + String(repeating: "next-archive ", count: 1000) + "\""
    #expect(Self.next(in: [filler + ", </b>; rel=next"]) == nil)
    #expect(Self.next(in: [filler, "</b>; rel=next"]) == "/b")
  }

  @Test("is found or missing in corrupted headers, never another text than between < and >")
  func corrupted() {
    let tokens = [
      "<", ">", ";", ",", "\"", "=", " rel=next", "rel=\"next\"", "title=", "\\", "é", "\t",
    ]
    var random = SeededGenerator(number: 3)
    for _ in 0..<2000 {
      let header = (0..<(1 + random.below(30))).map { _ in tokens[random.below(tokens.count)] }
        .joined()
      guard let target = Self.next(in: [header]) else { continue }
      #expect(header.contains("<\(target)>"), "\(header)")
    }
  }

  private static func next(in values: [String]) -> String? {
    DocumentMetadata(fields: values.map { HeaderField("Link", $0) }).nextLink
  }
}
