import Testing

@testable import OffersCore

@Suite("Texts before and after a change")
struct TextChangeTests {
  private static func change(_ old: String, _ new: String) -> [String?] {
    let change = TextChange(.terms, from: old, to: new)
    return [change.old, change.new]
  }

  private static let words = String(repeating: "Buy two cups of tea. ", count: 8)

  @Test("a long text is shortened around the part that differs, to whole words")
  func shortens() {
    #expect(Self.change("Tea", "Jam") == ["Tea", "Jam"])
    #expect(
      Self.change(
        Self.words + "Ends today" + Self.words, Self.words + "Ends on Monday" + Self.words)
        == [
          "…cups of tea. Ends todayBuy two cups of…",
          "…cups of tea. Ends on MondayBuy two cups of…",
        ])
  }

  @Test("very long texts are shortened to the same", arguments: ["", "é", "👩‍👩‍👧"])
  func veryLong(letter: String) {
    let short = Self.words + letter
    let (old, new) = (short + "Ends today " + short, short + "Ends on Monday " + short)
    let rest = String(repeating: letter + Self.words, count: 1000)
    #expect(Self.change(rest + old + rest, rest + new + rest) == Self.change(old, new))
    let other = Self.change(rest, String(repeating: "x", count: 100_000))
    #expect(other[0]?.hasSuffix("…") == true && (other[0]?.count ?? 0) <= 82)
    #expect(other[1] == String(repeating: "x", count: 80) + "…")
  }
}
