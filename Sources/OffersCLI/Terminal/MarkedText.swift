import OffersCore

/// One line of text for a terminal, with highlighted ranges.
struct MarkedText {
  /// A run of text that is highlighted as a whole, or not at all.
  private struct Run {
    var text: String
    let isMarked: Bool
  }

  private var runs: [Run]

  /// - Parameters:
  ///   - text: the text, which need not be safe for a terminal.
  ///   - ranges: the highlighted ranges, as ascending offsets into the text's Unicode scalars. A
  ///     range that overlaps an earlier one or exceeds the text is ignored.
  init(_ text: String, ranges: [Range<Int>]) {
    let scalars = Array(text.unicodeScalars)
    var runs: [Run] = []
    var place = 0
    func add(_ end: Int, isMarked: Bool) {
      guard end > place else { return }
      var part = String.UnicodeScalarView()
      part.append(contentsOf: scalars[place..<end])
      runs.append(Run(text: Self.safe(String(part)), isMarked: isMarked))
      place = end
    }
    for range in ranges where range.lowerBound >= place && range.upperBound <= scalars.count {
      add(range.lowerBound, isMarked: false)
      add(range.upperBound, isMarked: true)
    }
    add(scalars.count, isMarked: false)
    self.runs = runs
  }

  /// Like `DisplayText.oneLine`, but every line feed becomes a space, because the runs are joined.
  private static func safe(_ text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return DisplayText.safe(lines.map { String(Substring($0)) }.joined(separator: " "))
  }

  /// The text with at most this many columns of context before the first highlighted run. If
  /// context is cut off, it begins with an ellipsis, which counts as a column.
  func lead(_ columns: Int) -> MarkedText {
    guard let first = runs.first, !first.isMarked, runs.count > 1,
      DisplayText.width(first.text) > columns
    else { return self }
    var kept: [Character] = []
    var used = 1
    for character in first.text.reversed() {
      used += DisplayText.width(character)
      if used > columns { break }
      kept.append(character)
    }
    // Removes everything up to the first space, so that the context begins with a whole word.
    if let space = kept.lastIndex(of: " ") { kept.removeSubrange(space...) }
    var result = self
    result.runs[0].text = "…" + String(kept.reversed()).drop { $0 == " " }
    return result
  }

  /// The text with its highlighted runs in bold, truncated to the given number of columns.
  func text(_ columns: Int, _ style: Style) -> PrintedText {
    var left = DisplayText.fit(runs.map(\.text).joined(), columns)[...]
    var result: PrintedText = ""
    for run in runs where !left.isEmpty {
      // In a truncated run the last character is the ellipsis, which is not highlighted.
      let part = left.prefix(run.text.count)
      left = left.dropFirst(run.text.count)
      let isWhole = part == run.text
      guard run.isMarked else {
        result += .text(String(part))
        continue
      }
      let marked = isWhole ? part : part.dropLast()
      result += "\(style.bold(String(marked)))\(isWhole ? "" : part.suffix(1))"
    }
    return result
  }
}
