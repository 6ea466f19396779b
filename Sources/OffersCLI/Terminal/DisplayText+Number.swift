extension DisplayText {
  /// The width of the first number in a text, with the sign or word of its unit; 0 without a number.
  static func numberWidth(_ text: String) -> Int {
    findNumber(in: text).map { width(String($0)) } ?? 0
  }

  /// Truncates a text as `fit` does, but never within its first number. If nothing else fits, the words
  /// before the number give way, too; a number that is too wide stays whole.
  static func fitNumber(_ text: String, _ columns: Int) -> String {
    guard width(text) > columns, let number = findNumber(in: text) else {
      return fit(text, columns)
    }
    if width(String(text[..<number.endIndex])) < columns { return fit(text, columns) }
    let start = number.startIndex > text.startIndex ? "…" : ""
    let end = number.endIndex < text.endIndex ? "…" : ""
    return [start + number + end, number + end].map { String($0) }.first { width($0) <= columns }
      ?? String(number)
  }

  /// The widest number that is kept. More digits are no amount, but a text that a feed made up.
  private static let widest = 24

  /// The word with the first digit. Bare digits are one number with the groups of digits and the unit of
  /// at most three characters behind them, such as `1 299,00 kr`, or with the unit before, as in
  /// `CHF 12.90`.
  private static func findNumber(in text: String) -> Substring? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.firstIndex(where: { $0.contains(where: isDigit) }) else { return nil }
    var range = first...first
    func isBare(_ index: Int) -> Bool {
      words[index].allSatisfy { isDigit($0) || ".,'’".contains($0) }
    }
    func isUnit(_ index: Int) -> Bool {
      words.indices.contains(index) && words[index].count <= 3
        && !words[index].contains(where: isDigit)
    }
    while isBare(range.upperBound), words.indices.contains(range.upperBound + 1),
      words[range.upperBound + 1].first.map(isDigit) == true
    {
      range = first...range.upperBound + 1
    }
    if isBare(first), isBare(range.upperBound) {
      if isUnit(range.upperBound + 1) {
        range = first...range.upperBound + 1
      } else if isUnit(first - 1) {
        range = first - 1...range.upperBound
      }
    }
    let number = text[words[range.lowerBound].startIndex..<words[range.upperBound].endIndex]
    return width(String(number)) > widest ? nil : number
  }

  private static func isDigit(_ character: Character) -> Bool { character.isWholeNumber }
}
