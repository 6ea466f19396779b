import Testing

@testable import OffersCLI

@Suite("Printed text")
struct PrintedTextTests {
  /// All control characters, and those that reorder a line.
  private static let controls: [Unicode.Scalar] =
    (Array(0..<0x20) + Array(0x7F..<0xA0) + [0x061C, 0x200E, 0x200F] + Array(0x2028...0x202E)
    + Array(0x2066...0x2069)).compactMap { Unicode.Scalar($0 as UInt32) }

  private static var hostile: String {
    var text = String.UnicodeScalarView()
    for scalar in controls { text.append(contentsOf: ["a", scalar, "b"]) }
    return String(text)
  }

  private static func controls(in text: String) -> Set<Unicode.Scalar> {
    Set(text.unicodeScalars).intersection(controls)
  }

  @Test("text is harmless in a pipe and on a terminal, with and without a style")
  func harmless() {
    for isTerminal in [false, true] {
      let plain = PrintedText.text(Self.hostile).rendered(isTerminal: isTerminal)
      #expect(Self.controls(in: plain) == ["\t", "\n"])
      let literal: PrintedText = "name: \(Self.hostile)!"
      #expect(Self.controls(in: literal.rendered(isTerminal: isTerminal)) == ["\t", "\n"])
      let styled = PrintedText.styled(Self.hostile, .bold).rendered(isTerminal: isTerminal)
      #expect(styled.hasPrefix("\u{1B}[1m") && styled.hasSuffix("\u{1B}[0m"))
      #expect(Self.controls(in: String(styled.dropFirst(4).dropLast(4))) == ["\t", "\n"])
    }
  }

  @Test("data is exact in a pipe, and harmless on a terminal with its line ends")
  func data() {
    let data = PrintedText.data("\(Self.hostile)\r\nx\ry")
    #expect(data.rendered(isTerminal: false) == "\(Self.hostile)\r\nx\ry")
    let shown = data.rendered(isTerminal: true)
    #expect(Self.controls(in: shown) == ["\t", "\n", "\r"])
    #expect(shown.hasSuffix("\r\nx␍y"))
  }

  @Test("an interpolated text keeps its styles, and joined texts keep theirs")
  func interpolation() {
    let bold = PrintedText.styled("b", .bold)
    let text: PrintedText = "a \(bold) \(1)"
    #expect(text.rendered(isTerminal: true) == "a \u{1B}[1mb\u{1B}[0m 1")
    #expect(
      ["a", bold, ""].joined(separator: "\n").rendered(isTerminal: true)
        == "a\n\u{1B}[1mb\u{1B}[0m\n")
    #expect(PrintedText.text("a  ").withoutTrailingSpaces() == "a")
    #expect(PrintedText.line("a\nb").rendered(isTerminal: true) == "a b")
  }
}
