import OffersCore

/// The SQL that keeps the words of all offers.
enum SearchWordTable {
  /// Adds words, in an order of their own: two transactions that add the same words would otherwise wait
  /// for each other.
  static func add(_ words: Set<String>, in session: DatabaseSession) throws {
    let sorted = words.sorted()
    for start in stride(from: 0, to: sorted.count, by: 10_000) {
      let piece = sorted[start..<min(start + 10_000, sorted.count)]
      try session.run(
        """
        INSERT INTO search_word (word) SELECT new.word FROM unnest($1) AS new (word)
        WHERE NOT EXISTS (SELECT 1 FROM search_word WHERE search_word.word = new.word)
        ON CONFLICT DO NOTHING
        """, [.texts(piece)])
    }
  }
}
