/// Finds the word that somebody most likely meant.
package enum NearestWord {
  /// The word at most two edits away, or of which the text is the beginning or the other way
  /// round, or that differs in its ending; nil when none is near.
  package static func find(_ text: String, among words: [String]) -> String? {
    let typed = text.lowercased()
    let near = nearest(to: typed, among: words) { $0.lowercased() }
    if let near, near.distance <= max(1, near.word.count / 2) { return near.word }
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

  /// The first of the words at the least distance, two letters at most; nil when none is so near.
  ///
  /// - Parameter spelling: what of a word is compared.
  package static func nearest(
    to text: String, among words: [String], spelling: (String) -> String = { $0 }
  ) -> (word: String, distance: Int)? {
    if text.isEmpty { return nil }
    let edits = EditDistance(from: text, limit: 2)
    return words.compactMap { word in
      edits.distances(to: spelling(word)).whole.map { (word, $0) }
    }.min { $0.1 < $1.1 }
  }
}
