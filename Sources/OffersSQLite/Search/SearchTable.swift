import GRDB
import OffersCore

/// The SQL that finds offers by their words.
struct SearchTable {
  private let condition: String
  private let arguments: StatementArguments

  /// Above this it takes longer to find between which keys a feed's offers lie than it saves.
  private static let smallFeedCount = 50_000

  /// - Parameters:
  ///   - feedKey: only this feed; nil for all.
  ///   - favoritesOnly: only favorites, gone ones too; else only what is current.
  init(feedKey: Int64?, favoritesOnly: Bool, in database: Database) throws {
    var parts: [String] = []
    var arguments: StatementArguments = []
    if favoritesOnly {
      // Found once, and not for each offer that has the words: that would look up all of them.
      parts.append("+offer_search.rowid IN (\(FavoriteTable.offerKeys))")
    } else {
      parts.append("offer.gone_at IS NULL")
    }
    if let feedKey {
      // The plus keeps SQLite from going by the index on ids.
      parts.append("+offer.feed_key = ?")
      arguments += [feedKey]
    }
    if let keys = try Self.bounds(feedKey: feedKey, favoritesOnly: favoritesOnly, in: database) {
      // The index passes over what lies outside without ranking it.
      parts.append("offer_search.rowid >= ? AND offer_search.rowid <= ?")
      arguments += [keys.lowerBound, keys.upperBound]
    }
    condition = parts.joined(separator: " AND ")
    self.arguments = arguments
  }

  /// Between which keys the offers lie that are looked for; nil where that says little.
  private static func bounds(
    feedKey: Int64?, favoritesOnly: Bool, in database: Database
  ) throws -> ClosedRange<Int64>? {
    let row: Row?
    if favoritesOnly {
      row = try Row.fetchOne(
        database, sql: "SELECT min(offer_key), max(offer_key) FROM (\(FavoriteTable.offerKeys))")
    } else if let feedKey,
      try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database) <= smallFeedCount
    {
      row = try Row.fetchOne(
        database, sql: "SELECT min(offer_key), max(offer_key) FROM offer WHERE feed_key = ?",
        arguments: [feedKey])
    } else {
      return nil
    }
    guard let row, let first = row[0] as Int64?, let last = row[1] as Int64? else { return 0...0 }
    return first...last
  }

  /// An offer that was found, and its texts with marks around the words.
  struct Found {
    let key: Int64
    /// In the order of `SearchIndex.fields`.
    let texts: [String?]
  }

  /// The offers that an expression finds, best first.
  ///
  /// The index gives them ranked; the offers themselves are looked at only until the page is full.
  ///
  /// - Parameter body: is given one after another. Not all of them are in memory at once.
  func find(
    _ expression: SearchExpression, marks: SearchMarks, limit: Int, offset: Int,
    in database: Database, _ body: (Found) throws -> Void
  ) throws {
    let texts = SearchIndex.fields.indices.map { "highlight(offer_search, \($0), ?1, ?2)" }
    let statement = try database.cachedStatement(
      sql: """
        SELECT offer_search.rowid, \(texts.joined(separator: ", "))
        FROM offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid
        WHERE offer_search MATCH ?3 AND \(condition)
        ORDER BY offer_search.rank LIMIT ? OFFSET ?
        """)
    let rows = try Row.fetchCursor(
      statement,
      arguments: [marks.start, marks.end, expression.match] + arguments + [limit, offset])
    while let row = try rows.next() {
      try body(Found(key: row[0], texts: SearchIndex.fields.indices.map { row[$0 + 1] }))
    }
  }

  /// Whether an expression finds anything.
  func finds(_ expression: SearchExpression, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid
        WHERE offer_search MATCH ? AND \(condition) LIMIT 1
        """)
    return try Int.fetchOne(statement, arguments: [expression.match] + arguments) != nil
  }

  /// Whether there are words that a word is the beginning of, itself aside.
  static func hasLonger(_ word: String, in database: Database) throws -> Bool {
    // No sign below a digit is in a word. The word itself is not looked at: counting the offers
    // that have it would take as long as finding them.
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM search_term WHERE term >= ? AND term <= ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [word + "0", word + "\u{10FFFF}"]) != nil
  }

  /// Hands over all words there are, with the number of offers that have them.
  static func forEachTerm(
    in database: Database, _ body: (_ term: UnsafeRawBufferPointer, _ count: Int64) -> Void
  ) throws {
    let rows = try RawStatement(cached: "SELECT term, doc FROM search_term", database)
    defer { rows.reset() }
    while try rows.step() {
      if let term = rows.text(0) { body(term, rows.number(1)) }
    }
  }
}
