import Foundation
import OffersCore
import Testing

@testable import OffersServer

@Suite("The letters that browsers are given")
struct FoldingTableTests {
  @Test("with them a browser folds each character as the server does")
  func agrees() {
    // By scalar, because canonically equal texts are one key for Swift.
    let letters = Dictionary(
      FoldingTable.letters.flatMap { entry in
        entry.letter.unicodeScalars.map { ($0, entry.folded) }
      }, uniquingKeysWith: { one, _ in one })
    var differing: [String] = []
    for value in UInt32(0x20)..<0x3_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      // Of the many Chinese characters and Korean syllables, some.
      if (0x3400..<0xD7A4).contains(value) && !(0xA640..<0xAC00).contains(value), value % 97 > 0 {
        continue
      }
      if value >= 0x2_0000, value % 97 > 0 { continue }
      let folded = Self.fold(scalar, letters)
      if Array(folded.utf8) != Array(LetterFolding.text(of: scalar).utf8) {
        differing.append("U+\(String(value, radix: 16)): \(folded)")
      }
    }
    #expect(differing == [])
  }

  /// A character as the service worker folds it: by the table, or else by what a browser knows of it.
  private static func fold(_ scalar: Unicode.Scalar, _ table: [Unicode.Scalar: String]) -> String {
    if let folded = table[scalar] { return folded }
    let letter = String(Character(scalar))
    let plain = letter.decomposedStringWithCanonicalMapping.unicodeScalars
    if Array(plain) != [scalar] { return plain.map { fold($0, table) }.joined() }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return ""
    default: return letter
    }
  }

  @Test("they are few, and the weights are those of the server")
  func json() throws {
    #expect(FoldingTable.json.count < 80_000)
    let table = try #require(
      try JSONSerialization.jsonObject(with: Data(FoldingTable.json)) as? [String: Any])
    let weights = try #require(table["weights"] as? [String: Int])
    #expect(
      weights == [
        "name": 20, "retailer": 10, "description": 6, "categories": 6, "attributes": 3, "terms": 3,
      ])
    #expect(table["whole"] as? Int == 2)
    let letters = try #require(table["letters"] as? [String: String])
    #expect(
      letters["ß"] == "ss" && letters["é"] == nil && letters["’"] == "'" && letters["®"] == "")
  }
}
