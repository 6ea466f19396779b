import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Hostile HTML")
struct HostileHTMLTests {
  static func text(_ html: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    html.withUnsafeBytes { HTMLText.append($0, to: &out) }
    return out
  }

  static let pieces = [
    "<", "<!--", "&", "<a \"", "<a b=\"", "<a b=\">", "<a b=\"'>", "<a b='\"x' c=\"><", "</", "<!",
    "<?",
    "<title>", "<style/>", "<script/>", "<script>", "<title></titl", "<p", "<p>", "<li>", "<ul>",
    "</ul>", "&#", "&#x1", "&#99999", "&amp", "&thetasy", "&nbsp;", "<br>", "--", "-->", "<!-",
    "<a =\"", "<a b=\"\"", ">", "\"", " ", "\u{A0}", "<script></script", "<div><!---->",
  ]

  @Test("a repeated fragment is read in linear time", arguments: pieces)
  func isLinear(piece: String) {
    let byteCount = TestSize.isLong ? 1_000_000 : 200_000
    for tail in ["", ">", "\">"] {
      let html = Array((String(repeating: piece, count: byteCount / piece.utf8.count) + tail).utf8)
      var length = 0
      let time = ContinuousClock().measure { length = Self.text(html).count }
      // Far above the time that linear work takes, and far below that of quadratic work.
      #expect(time < .seconds(20), "\(piece) with \(tail)")
      #expect(length <= html.count * 3)
    }
  }

  @Test("the text of any fragments is valid UTF-8 without blank ends or doubled blank lines")
  func staysInShape() {
    var random = SeededGenerator(number: 3)
    let words = Self.pieces + ["a", "é", "😀", "\n", "</p>", "</li>", "<td>", "&#xD800;", "<h1>"]
    for _ in 0..<TestSize.scaled(30_000) {
      let count = Int.random(in: 0...12, using: &random)
      let html = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
      let out = Self.text(Array(html.utf8))
      guard let text = String(validating: out, as: UTF8.self) else {
        Issue.record("\(html) gave no UTF-8")
        return
      }
      let isBlankAtEnds = text.first == " " || text.first == "\n" || text.last?.isNewline == true
      #expect(!isBlankAtEnds && text.last != " ", "\(html)")
      #expect(!text.contains("\n\n\n") && !text.contains(" \n") && !text.contains("  "), "\(html)")
    }
  }

  @Test("no bytes crash the reader, and valid UTF-8 stays valid")
  func survivesAnyBytes() {
    var random = SeededGenerator(number: 5)
    let common = Array("<>&;#x\"'=-!/ \nabpli0189".utf8)
    for round in 0..<TestSize.scaled(40_000) {
      let count = Int.random(in: 0...40, using: &random)
      var html = (0..<count).map { _ in
        Bool.random(using: &random)
          ? common.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
      }
      if round % 2 == 0 {
        html = Array(String(decoding: html, as: UTF8.self).utf8)
        if String(validating: Self.text(html), as: UTF8.self) == nil {
          Issue.record("\(html) gave no UTF-8")
          return
        }
      } else {
        #expect(Self.text(html).count <= html.count * 3)
      }
    }
  }
}
