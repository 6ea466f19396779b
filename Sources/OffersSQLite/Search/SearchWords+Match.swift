import GRDB
import OffersCore

extension SearchWords {
  /// The words of a text as the index has them. FTS5's own tokenizer finds them, so no typed character
  /// has a special meaning: quotes, `AND` and `*` are words or separators.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text with too many characters or words.
  init(_ text: String, opensLetter: Bool = false, in database: Database) throws {
    try self.init(text, opensLetter: opensLetter, by: IndexTokenizer(database))
  }

  /// The search in FTS5's query syntax, with every word quoted. A possible prefix appears as a whole
  /// word as well, so that whole words rank higher.
  /// https://sqlite.org/fts5.html#full_text_query_syntax
  var match: String {
    parts.map { part in
      let phrase = "\"\(part.words.joined(separator: " "))\""
      return part.isOpen ? "(\(phrase) OR \(phrase) *)" : phrase
    }.joined(separator: " AND ")
  }
}
