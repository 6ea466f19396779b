import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("The letters that browsers are given")
struct LetterTableTests {
  @Test("with them a browser folds each character, and ends words and parts, as the server does")
  func agrees() {
    let table = LetterTable()
    var folded = Dictionary(
      uniqueKeysWithValues: table.folded.map { ($0.character.value, $0.text) })
    let syllables = LetterTable.syllableLetters.reduce([""]) { texts, letters in
      texts.flatMap { text in letters.map { text + $0 } }
    }
    for (value, text) in zip(LetterTable.syllables, syllables) { folded[value] = text }
    let classes = [table.letters, table.digits, table.singles, table.followers, table.joints]
      .map(Self.marks)
    let unseen = Self.marks(table.unseen)
    let spaces = Self.marks(table.spaces)
    var differing: [String] = []
    for value in UInt32(1)..<0x11_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let meaning = LetterFolding.fold(value)
      let kind = meaning.isLetter ? meaning.kind : nil
      let isSame =
        classes.map { $0[Int(value)] } == [
          kind == .letter || kind == .follower, kind == .digit, kind == .single, kind == .follower,
          meaning.joinsWords,
        ] && unseen[Int(value)] == meaning.isUnseen
        && spaces[Int(value)] == (SearchWords.spaced("a\(scalar)b") == "a b")
        && (folded[value] ?? String(scalar)).utf8.elementsEqual(meaning.text.utf8)
      if !isSame { differing.append("U+\(String(value, radix: 16))") }
    }
    #expect(differing == [])
  }

  /// Whether a class has each of the characters.
  private static func marks(_ characters: CharacterClass) -> [Bool] {
    var marks = [Bool](repeating: false, count: 0x11_0000)
    for range in characters.ranges {
      for value in range.lowerBound.value...range.upperBound.value { marks[Int(value)] = true }
    }
    return marks
  }

  @Test("they are few, and the weights are those of the server")
  func json() throws {
    #expect(LetterTable.json.count < 110_000)
    let table = try #require(
      try JSONSerialization.jsonObject(with: Data(LetterTable.json)) as? [String: Any])
    let weights = try #require(table["weights"] as? [String: Int])
    #expect(
      weights == [
        "name": 20, "retailer": 10, "description": 6, "categories": 6, "attributes": 3, "terms": 3,
      ])
    #expect(table["whole"] as? Int == 2)
    #expect((table["letters"] as? String)?.hasPrefix("A-Za-z") == true)
    #expect((table["digits"] as? String)?.hasPrefix("0-9") == true)
    #expect((table["joints"] as? String)?.hasPrefix(#"\u{26}-\u{27}\u{2d}-\u{2e}"#) == true)
    let folded = try #require(table["folded"] as? [String: String])
    #expect(
      folded["ß"] == "ss" && folded["é"] == "e" && folded["’"] == "'" && folded["®"] == "")
  }
}
