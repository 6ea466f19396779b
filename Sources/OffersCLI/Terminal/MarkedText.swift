import OffersCore

/// One line of text with some of its words marked, fit for a terminal.
struct MarkedText {
  /// A stretch that is marked as a whole, or not at all.
  private struct Piece {
    var text: String
    let isMarked: Bool
  }

  private var pieces: [Piece]

  /// - Parameter ranges: what is marked, as offsets into the text's Unicode scalars, in order.
  init(_ text: String, ranges: [Range<Int>]) {
    let scalars = Array(text.unicodeScalars)
    var pieces: [Piece] = []
    var place = 0
    func add(_ end: Int, isMarked: Bool) {
      guard end > place else { return }
      var part = String.UnicodeScalarView()
      part.append(contentsOf: scalars[place..<end])
      pieces.append(Piece(text: Self.safe(String(part)), isMarked: isMarked))
      place = end
    }
    for range in ranges where range.lowerBound >= place && range.upperBound <= scalars.count {
      add(range.lowerBound, isMarked: false)
      add(range.upperBound, isMarked: true)
    }
    add(scalars.count, isMarked: false)
    self.pieces = pieces
  }

  /// As `DisplayText.oneLine`, but a line end at either end stays a space.
  private static func safe(_ text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return DisplayText.safe(lines.map { String(Substring($0)) }.joined(separator: " "))
  }

  /// Leaves out what stands further before the first mark than so many columns.
  func lead(_ columns: Int) -> MarkedText {
    guard let first = pieces.first, !first.isMarked, pieces.count > 1,
      DisplayText.width(first.text) > columns
    else { return self }
    var kept: [Character] = []
    var used = 1
    for character in first.text.reversed() {
      used += DisplayText.width(character)
      if used > columns { break }
      kept.append(character)
    }
    // Half a word says nothing.
    if let space = kept.lastIndex(of: " ") { kept.removeSubrange(space...) }
    var result = self
    result.pieces[0].text = "…" + String(kept.reversed()).drop { $0 == " " }
    return result
  }

  /// The text with its marks in bold, cut to at most so many columns.
  func text(_ columns: Int, _ style: Style) -> String {
    var left = DisplayText.fit(pieces.map(\.text).joined(), columns)[...]
    var result = ""
    for piece in pieces where !left.isEmpty {
      // The cut takes letters away and puts an ellipsis there.
      let part = left.prefix(piece.text.count)
      left = left.dropFirst(piece.text.count)
      let isWhole = part == piece.text
      guard piece.isMarked else {
        result += part
        continue
      }
      let marked = isWhole ? part : part.dropLast()
      result += style.bold(String(marked)) + (isWhole ? "" : part.suffix(1))
    }
    return result
  }
}
