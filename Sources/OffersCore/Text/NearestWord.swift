/// Finds the word that a mistyped text most likely stands for.
package enum NearestWord {
  /// The nearest word, ignoring case: one at most two edits away, otherwise one that is a prefix of
  /// the text or vice versa, otherwise one that differs only in its ending; nil when there is none.
  package static func find(_ text: String, among words: [String]) -> String? {
    let typed = text.lowercased()
    let near = nearest(to: typed, among: words) { $0.lowercased() }
    if let near, near.distance <= max(1, near.word.count / 2) { return near.word }
    guard typed.count >= 2 else { return nil }
    let beginning = words.first { word in
      let word = word.lowercased()
      return word.hasPrefix(typed) || (word.count >= 3 && typed.hasPrefix(word))
    }
    // A different ending of the same word, such as childs for children.
    return beginning
      ?? words.first { word in
        let sharedCount = zip(typed, word.lowercased()).prefix { $0 == $1 }.count
        return sharedCount >= max(4, typed.count - 2) && word.count <= typed.count + 3
      }
  }

  /// The most words in a list; a longer list is cut off.
  private static let listLimit = 12

  /// A sentence that lists the first twelve words after a title, such as `Users: ana, ben.`
  package static func list(_ words: [String], title: String) -> String {
    if words.isEmpty { return "\(title): none." }
    let shown = words.prefix(listLimit).joined(separator: ", ")
    let rest = words.count - listLimit
    return rest > 0 ? "\(title): \(shown) and \(rest) more." : "\(title): \(shown)."
  }

  /// A hint that suggests the nearest word, if there is one, and lists the first twelve.
  package static func hint(for text: String, among words: [String], title: String) -> String {
    let all = list(words, title: title)
    return find(text, among: words).map { "Did you mean \($0)? \(all)" } ?? all
  }

  /// The first word at the smallest distance, at most two edits; nil when there is none. `spelling`
  /// maps a word to the text that is compared.
  package static func nearest(
    to text: String, among words: [String], spelling: (String) -> String = { $0 }
  ) -> (word: String, distance: Int)? {
    if text.isEmpty { return nil }
    let edits = EditDistance(from: text, limit: 2)
    return words.compactMap { word in
      edits.distance(to: spelling(word)).map { (word, $0) }
    }.min { $0.1 < $1.1 }
  }
}

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
