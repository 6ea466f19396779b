/// The words of an offer's fields as texts of a search index, each word followed by a space.
package enum SearchDocument {
  /// A sign that is no part of a word. It stands between the texts of a list, so that no words follow each
  /// other across them.
  package static let gap = "¶"

  /// Appends the words of a text in UTF-8.
  package static func append(_ text: UnsafeRawBufferPointer, to words: inout [UInt8]) {
    var reader = WordReader(text)
    while reader.next() != nil {
      words.append(contentsOf: reader.word)
      words.append(0x20)
    }
  }

  /// Appends the words of some texts of a JSON list; see `JSONTexts`.
  ///
  /// - Parameters:
  ///   - json: the list in UTF-8.
  ///   - isWanted: whether to append the words of the text with a number, from 0 on.
  ///   - words: the words before them.
  package static func append(
    _ json: UnsafeRawBufferPointer, where isWanted: (Int) -> Bool, to words: inout [UInt8]
  ) {
    var number = 0
    JSONTexts.forEach(in: json) { text in
      if isWanted(number) {
        if !words.isEmpty { words.append(contentsOf: "\(gap) ".utf8) }
        append(text, to: &words)
      }
      number += 1
    }
  }
}
