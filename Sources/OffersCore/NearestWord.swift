/// Finds the word that somebody most likely meant.
package enum NearestWord {
  /// The word at most two edits away, or of which the text is the beginning or the other way
  /// round, or that differs in its ending; nil when none is near.
  package static func find(_ text: String, among words: [String]) -> String? {
    let typed = text.lowercased()
    let ranked = words.map { ($0, distance(typed, $0.lowercased())) }
    if let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= min(2, max(1, best.0.count / 2)) {
      return best.0
    }
    guard typed.count >= 2 else { return nil }
    let beginning = words.first { word in
      let word = word.lowercased()
      return word.hasPrefix(typed) || (word.count >= 3 && typed.hasPrefix(word))
    }
    // Another ending of the same word, as in childs for children.
    return beginning
      ?? words.first { word in
        let sharedCount = zip(typed, word.lowercased()).prefix { $0 == $1 }.count
        return sharedCount >= max(4, typed.count - 2) && word.count <= typed.count + 3
      }
  }

  /// More words than this help nobody to choose.
  private static let listLimit = 12

  /// The words behind a title, the first twelve of them.
  package static func list(_ words: [String], title: String) -> String {
    let shown = words.prefix(listLimit).joined(separator: ", ")
    let rest = words.count - listLimit
    return rest > 0 ? "\(title): \(shown) and \(rest) more." : "\(title): \(shown)."
  }

  /// A hint that names the nearest word, if there is one, and the first twelve.
  package static func hint(for text: String, among words: [String], title: String) -> String {
    let all = list(words, title: title)
    return find(text, among: words).map { "Did you mean \($0)? \(all)" } ?? all
  }

  /// How many characters must be put in, taken out or replaced to get from one to the other.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (line, character) in left.prefix(100).enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, other) in right.enumerated() {
        let above = row[column + 1]
        row[column + 1] = min(
          diagonal + (character == other ? 0 : 1), row[column] + 1, above + 1)
        diagonal = above
      }
    }
    return row[right.count]
  }
}
