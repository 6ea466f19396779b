/// A word of a text.
package struct WordToken: Sendable {
  /// The word as it is looked up; see `LetterFolding`.
  package let folded: String
  /// Its place in the text, in bytes of UTF-8.
  package let range: Range<Int>

  package init(folded: String, range: Range<Int>) {
    self.folded = folded
    self.range = range
  }
}

/// The words of texts as the stores index them: runs of letters and digits, as `LetterFolding` has them.
package enum LetterTokenizer {
  /// The longest word, in bytes. A longer one counts as its beginning, in searches as well: PostgreSQL holds
  /// words of 2 KiB at most.
  package static let wordBytes = 256

  /// All words of a text, in order.
  package static func words(of text: String) -> [WordToken] {
    var words: [WordToken] = []
    forEachWord(of: text) { words.append(WordToken(folded: $0, range: $1)) }
    return words
  }

  /// Calls `body` with the words of a text and their places in bytes of UTF-8.
  package static func forEachWord(of text: String, _ body: (String, Range<Int>) -> Void) {
    var text = text
    text.withUTF8 {
      var reader = WordReader(UnsafeRawBufferPointer($0))
      while let range = reader.next() { body(String(decoding: reader.word, as: UTF8.self), range) }
    }
  }
}

/// Reads the words of a text in UTF-8 one after another.
struct WordReader {
  /// The last word that was read, in UTF-8.
  private(set) var word: [UInt8] = []
  private var reader: FoldedReader
  private var isCut = false

  init(_ text: UnsafeRawBufferPointer) { reader = FoldedReader(text) }

  /// Reads a word. Returns its place in bytes, with the accents behind it; nil at the end of the text.
  mutating func next() -> Range<Int>? {
    word.removeAll(keepingCapacity: true)
    isCut = false
    var start = reader.place
    var end = reader.place
    while let folded = reader.next() {
      if folded.isLetter {
        if word.isEmpty { start = end }
        append(folded.scalars)
      } else if !folded.isUnseen, !word.isEmpty {
        break
      }
      end = reader.place
    }
    return word.isEmpty ? nil : start..<end
  }

  @inline(__always)
  private mutating func append(_ scalars: LetterFolding.Folded.Scalars) {
    var scalars = scalars
    while let value = scalars.next() {
      if value < 0x80, word.count < LetterTokenizer.wordBytes, !isCut {
        word.append(UInt8(value))
      } else if let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) {
        isCut = isCut || word.count + bytes.count > LetterTokenizer.wordBytes
        if !isCut { word.append(contentsOf: bytes) }
      }
    }
  }
}
