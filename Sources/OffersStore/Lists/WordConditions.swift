import OffersCore

extension Dialect {
  /// The condition that an offer has the words of a search.
  ///
  /// - Parameters:
  ///   - words: the words; without any, no offer has them.
  ///   - bindings: the parameters of the statement.
  ///   - isRare: whether most offers of the statement lack the words. They are found in the index, once, then.
  package func hasWords(
    _ words: SearchWords, _ bindings: inout Bindings, isRare: Bool = false
  ) -> String {
    if words.isEmpty, words.unwanted.isEmpty { return "false" }
    if self == .postgres {
      let match = "search @@ \(bindings.add(.text(words.query)))::tsquery"
      return isRare
        ? "offer.offer_key IN (SELECT offer_key FROM offer AS worded WHERE worded.\(match))"
        : "offer.\(match)"
    }
    let isIn = words.isEmpty ? "NOT IN" : "IN"
    let match = bindings.add(.text(words.isEmpty ? words.unwantedMatch : words.match))
    return """
      offer.offer_key \(isIn) (SELECT rowid FROM offer_search WHERE offer_search MATCH \(match))
      """
  }
}

extension SearchWords {
  /// The search in FTS5's query syntax, with every word quoted. A possible prefix appears as a whole
  /// word as well, so that whole words rank higher.
  /// https://sqlite.org/fts5.html#full_text_query_syntax
  package var match: String {
    let wanted = parts.map { part in
      let phrases = part.phrases.map { phrase in
        let words = "\"\(phrase.words.joined(separator: " "))\""
        return phrase.isOpen ? "\(words) OR \(words) *" : words
      }
      return "(\(phrases.joined(separator: " OR ")))"
    }.joined(separator: " AND ")
    return unwanted.isEmpty ? wanted : "(\(wanted)) NOT (\(unwantedMatch))"
  }

  /// The unwanted phrases in FTS5's query syntax.
  fileprivate var unwantedMatch: String {
    unwanted.map { "\"\($0.words.joined(separator: " "))\"" }.joined(separator: " OR ")
  }

  /// The search as the text of a `tsquery`.
  package var query: String {
    let others = unwanted.map { "!" + Part(text: "", words: $0.words).query() }
    return (parts.map { $0.query() } + others).joined(separator: " & ")
  }
}

extension SearchWords.Part {
  /// The part as the text of a `tsquery`.
  ///
  /// - Parameters:
  ///   - weight: the weight that all words must have; empty for any.
  ///   - isWhole: whether the last word must be whole, although it is open.
  package func query(weight: String = "", isWhole: Bool = false) -> String {
    let phrases = phrases.map { phrase in
      let terms = phrase.words.enumerated().map { index, word in
        let isPrefix = phrase.isOpen && !isWhole && index == phrase.words.count - 1
        let mark = (isPrefix ? "*" : "") + weight
        return "'\(word)'" + (mark.isEmpty ? "" : ":\(mark)")
      }
      return "(\(terms.joined(separator: " <-> ")))"
    }
    return "(\(phrases.joined(separator: " | ")))"
  }
}
