/// A word of a text.
package struct SearchWord: Sendable {
  /// The word as it is looked up: without case and accents.
  package let folded: String
  /// Its place in the text, in bytes of UTF-8.
  package let range: Range<Int>

  package init(folded: String, range: Range<Int>) {
    self.folded = folded
    self.range = range
  }
}

/// Divides texts into words as the index of a store does.
package protocol WordTokenizer {
  /// All words of a text, in order.
  func words(of text: String) throws -> [SearchWord]
}
