import OffersCore

/// The SQL that keeps the words of all offers.
enum SearchWordTable {
  /// Adds words, in an order of their own: two transactions that add the same words would otherwise wait
  /// for each other.
  static func add(_ words: Set<String>, in connection: Connection) throws {
    let sorted = words.sorted()
    for start in stride(from: 0, to: sorted.count, by: 10_000) {
      let piece = sorted[start..<min(start + 10_000, sorted.count)]
      try connection.run(
        """
        INSERT INTO search_word (word) SELECT new.word FROM unnest($1) AS new (word)
        WHERE NOT EXISTS (SELECT 1 FROM search_word WHERE search_word.word = new.word)
        ON CONFLICT DO NOTHING
        """, [.texts(Array(piece))])
    }
  }

  /// Removes words that no offer has any more. The transaction must have the lock of `CommitOrder`, so that no
  /// other one adds offers with them meanwhile.
  ///
  /// - Parameters:
  ///   - word: the words after it are looked at.
  ///   - limit: the number of words to look at.
  ///   - connection: runs the statements.
  /// - Returns: the last word that was looked at; nil if there was none.
  static func deleteUnused(
    after word: String, limit: Int, in connection: Connection
  ) throws -> String? {
    let last = try connection.rows(
      """
      SELECT max(word) FROM (
        SELECT word FROM search_word WHERE word > $1 ORDER BY word LIMIT \(limit)) AS piece
      """, [.text(word)]
    ).first?.findText(0)
    guard let last else { return nil }
    try connection.run(
      """
      DELETE FROM search_word WHERE word > $1 AND word <= $2 AND (
        SELECT 1 FROM offer WHERE offer.search @@ (quote_literal(search_word.word))::tsquery LIMIT 1
      ) IS NULL
      """, [.text(word), .text(last)])
    return last
  }
}
