/// Characters within words that nobody sees or types: soft hyphens, zero-width spaces and joiners,
/// and marks of the direction. Searches and the search index ignore them.
///
/// The view `search_text` of the SQLite schema leaves out the same characters.
package enum UnseenCharacters {
  package static let all: [Unicode.Scalar] = [
    "\u{AD}", "\u{34F}", "\u{61C}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}",
    "\u{200F}", "\u{2060}", "\u{FEFF}",
  ]

  package static func contain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0xAD && all.contains(scalar)
  }
}

/// A text without its unseen characters.
package struct SeenText {
  package let text: String
  /// Where characters were left out, in bytes of UTF-8 of `text`, with the number of their bytes.
  private let gaps: [(place: Int, bytes: Int)]

  /// Returns nil for a text without unseen characters.
  package init?(of whole: String) {
    guard whole.unicodeScalars.contains(where: UnseenCharacters.contain) else { return nil }
    var seen = ""
    var gaps: [(place: Int, bytes: Int)] = []
    var place = 0
    for scalar in whole.unicodeScalars {
      let width = UTF8.width(scalar)
      if UnseenCharacters.contain(scalar) {
        gaps.append((place, width))
      } else {
        seen.unicodeScalars.append(scalar)
        place += width
      }
    }
    text = seen
    self.gaps = gaps
  }

  /// The place in the whole text of a range in `text`, both in bytes of UTF-8. Characters that were
  /// left out at its ends are not in it.
  package func whole(_ range: Range<Int>) -> Range<Int> {
    func left(_ isBefore: (Int) -> Bool) -> Int {
      gaps.reduce(0) { isBefore($1.place) ? $0 + $1.bytes : $0 }
    }
    let start = range.lowerBound + left { $0 <= range.lowerBound }
    return start..<max(start, range.upperBound + left { $0 < range.upperBound })
  }
}
