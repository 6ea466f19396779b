import GRDB
import GRDBSQLite
import OffersCore

/// Finds the words of texts by the tokenizer of the search index, so that a search and its marks have
/// the words that the index has.
struct IndexTokenizer: WordTokenizer {
  private let tokenizer: any FTS5Tokenizer

  init(_ database: Database) throws {
    tokenizer = try database.makeTokenizer(.unicode61(diacritics: .remove))
  }

  /// The words, without the unseen characters that the view `search_text` leaves out as well.
  func words(of text: String) throws -> [SearchWord] {
    guard let seen = SeenText(of: text) else { return try found(in: text) }
    return try found(in: seen.text).map {
      SearchWord(folded: $0.folded, range: seen.whole($0.range))
    }
  }

  private func found(in text: String) throws -> [SearchWord] {
    var text = text
    var words: [SearchWord] = []
    let code = text.withUTF8 { text in
      withUnsafeMutablePointer(to: &words) { words in
        tokenizer.tokenize(
          context: UnsafeMutableRawPointer(words), tokenization: .query,
          pText: UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self),
          nText: CInt(text.count)
        ) { words, _, token, count, start, end in
          guard let words, let token, start <= end else { return SQLITE_ERROR }
          let folded = UnsafeRawBufferPointer(start: token, count: Int(count))
          words.assumingMemoryBound(to: [SearchWord].self).pointee.append(
            SearchWord(
              folded: String(decoding: folded, as: UTF8.self), range: Int(start)..<Int(end)))
          return SQLITE_OK
        }
      }
    }
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return words
  }
}
