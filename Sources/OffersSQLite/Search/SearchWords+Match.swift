import OffersCore

extension SearchWords {
  /// The search in FTS5's query syntax, with every word quoted. A possible prefix appears as a whole
  /// word as well, so that whole words rank higher; see `SearchFunctions`.
  /// https://sqlite.org/fts5.html#full_text_query_syntax
  var match: String {
    parts.map { part in
      let phrase = "\"\(part.words.joined(separator: " "))\""
      return part.isOpen ? "(\(phrase) OR \(phrase) *)" : phrase
    }.joined(separator: " AND ")
  }

  /// The function that ranks the results of `match`.
  var rank: String { "offer_rank(\(parts.contains(where: \.isOpen) ? 1 : 0))" }
}
