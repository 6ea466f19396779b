/// How many letters two words differ by: letters that are put in, left out or exchanged, and
/// neighbours that are swapped, each place once (the optimal string alignment distance).
package struct EditDistance {
  private let word: [Unicode.Scalar]
  private let limit: Int

  /// - Parameters:
  ///   - word: not empty.
  ///   - limit: what is above it need not be told apart.
  package init(from word: String, limit: Int) {
    self.word = Array(word.unicodeScalars)
    self.limit = limit
  }

  /// The distance to another word, and to the nearest beginning of it; nil above the limit.
  package func distances(to other: String) -> (whole: Int?, beginning: Int?) {
    // What stands further behind differs too much anyway.
    let other = Array(other.unicodeScalars.prefix(word.count + limit + 1))
    var rows = (before: [Int](), last: Array(0...word.count))
    var beginning = word.count
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
      beginning = min(beginning, row[word.count])
      rows = (rows.last, row)
      // A swap looks two rows back.
      if !rows.before.contains(where: { $0 <= limit }), !row.contains(where: { $0 <= limit }) {
        return (nil, Self.within(limit, beginning))
      }
    }
    return (Self.within(limit, rows.last[word.count]), Self.within(limit, beginning))
  }

  private static func within(_ limit: Int, _ distance: Int) -> Int? {
    distance > limit ? nil : distance
  }
}
