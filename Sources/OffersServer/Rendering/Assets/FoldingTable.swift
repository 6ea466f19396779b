import Foundation
import OffersCore

/// The letters and the weights by which the service worker searches and compares the offers that it stores, so
/// that it finds and sorts what the server does.
enum FoldingTable {
  /// The characters that stand for others and are no accents: letters with a case, ligatures, wide and
  /// mathematical letters, and the signs that names take for one. Elsewhere there are none.
  private static let ranges: [Range<UInt32>] = [
    0x41..<0x5B, 0x80..<0x3400, 0xA640..<0xAC00, 0xF900..<0x1_0000, 0x1_0400..<0x1_0600,
    0x1_0780..<0x1_07C0, 0x1_0C80..<0x1_0D90, 0x1_0EAD..<0x1_0EAE, 0x1_18A0..<0x1_18E0,
    0x1_6E40..<0x1_6EE0, 0x1_D400..<0x1_D800, 0x1_E030..<0x1_E070, 0x1_E900..<0x1_E950,
    0x1_EE00..<0x1_EF00,
  ]

  /// The characters with what stands for them, but for those of which a browser knows it: an accent stands for
  /// nothing, a letter that Unicode decomposes for its parts, and any other character for itself.
  static let letters: [(letter: String, folded: String)] = ranges.joined().compactMap { value in
    guard let scalar = Unicode.Scalar(value) else { return nil }
    let (letter, folded) = (String(Character(scalar)), LetterFolding.text(of: scalar))
    return folded == known(letter) ? nil : (letter, folded)
  }

  private static func known(_ letter: String) -> String {
    let parts = letter.decomposedStringWithCanonicalMapping.unicodeScalars
    if parts.count == 1, parts.first == letter.unicodeScalars.first {
      return parts.allSatisfy(isUnseen) ? "" : letter
    }
    return parts.map { isUnseen($0) ? "" : LetterFolding.text(of: $0) }.joined()
  }

  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// The letters as `{"letters": {"Ø": "o", …}, "weights": {"name": 20, …}, "whole": 2}`; see `SearchRank`.
  static let json: [UInt8] = {
    var json = JSONWriter()
    json.object { json in
      json.member("letters") { json in
        json.object { json in
          for (letter, folded) in letters { json.member(letter, folded) }
        }
      }
      json.member("weights") { json in
        json.object { json in
          for field in SearchMatch.Field.allCases {
            json.member(field.rawValue, SearchRank.weight(of: field))
          }
        }
      }
      json.member("whole", SearchRank.wholeFactor)
    }
    return json.bytes
  }()
}
