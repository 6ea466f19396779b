/// The edit distance between two words: insertions, deletions, substitutions and transpositions of
/// adjacent letters, with no substring edited twice (the optimal string alignment distance).
package struct EditDistance {
  /// The maximum length of the word given to `init(from:limit:)`, in Unicode scalars; of the other
  /// word, only as many are read as matter. The work grows with the square of the length, and
  /// documents and requests choose the length.
  package static let longestWord = 64

  private let word: [Unicode.Scalar]
  private let limit: Int

  /// - Parameters:
  ///   - word: not empty.
  ///   - limit: distances above it are reported as nil.
  package init(from word: String, limit: Int) {
    self.word = Array(word.unicodeScalars)
    self.limit = limit
  }

  /// The distance to another word; nil above the limit, and if the first word is longer than
  /// `longestWord`.
  package func distance(to other: String) -> Int? {
    if word.count > Self.longestWord { return nil }
    // A longer word exceeds the limit whatever the rest of it is.
    let other = Array(other.unicodeScalars.prefix(word.count + limit + 1))
    var rows = (before: [Int](), last: Array(0...word.count))
    for place in other.indices {
      var row = [place + 1]
      for column in 1...word.count {
        let isSame = word[column - 1] == other[place]
        var cost = min(
          rows.last[column] + 1, row[column - 1] + 1, rows.last[column - 1] + (isSame ? 0 : 1))
        if place > 0, column > 1, word[column - 1] == other[place - 1],
          word[column - 2] == other[place]
        {
          cost = min(cost, rows.before[column - 2] + 1)
        }
        row.append(cost)
      }
      rows = (rows.last, row)
      // A transposition uses the row before the last, so both must exceed the limit.
      if !rows.before.contains(where: { $0 <= limit }), !row.contains(where: { $0 <= limit }) {
        return nil
      }
    }
    let distance = rows.last[word.count]
    return distance > limit ? nil : distance
  }
}
