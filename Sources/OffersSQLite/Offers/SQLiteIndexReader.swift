import Foundation
import GRDB
import OffersCore
import OffersStore

/// The SQL that searches offers in the index.
struct SQLiteIndexReader: SearchedIndex {
  private let user: User.ID
  let database: Database
  private let condition: String
  private let arguments: StatementArguments
  /// The terms that sort before the rank, each followed by a comma.
  private let order: String
  private let orderArguments: StatementArguments

  /// The maximum number of current offers of a feed for which the range of its keys is determined.
  /// For a larger feed, determining it costs more than it saves.
  private static let smallFeedCount = 50_000

  /// - Parameters:
  ///   - query: the search. With `favoritesOnly`, gone and expired favorites are searched as well; otherwise
  ///     current offers are, and those that a search on a feed's server found.
  ///   - user: the user whose favorites count.
  ///   - feedKey: the feed to search; nil for all.
  ///   - database: the database to search.
  init(
    _ query: SearchQuery, of user: User.ID, feedKey: Int64?, in database: Database
  ) throws {
    self.user = user
    self.database = database
    let now = query.now ?? Date()
    let favoritesOnly = query.favoritesOnly
    var parts: [String] = []
    var arguments: StatementArguments = []
    if favoritesOnly {
      // The unary plus makes SQLite evaluate the favorites once, instead of looking up each match.
      parts.append("+offer_search.rowid IN (\(FavoriteTable.offerKeys(of: "\(user)")))")
    } else {
      parts.append("offer.gone_at IS NULL")
    }
    let isExpired = "coalesce(offer.expires_at <= ?, 0)"
    if favoritesOnly || query.includesExpired {
      order = "\(isExpired), "
      orderArguments = [now.storedSeconds]
    } else {
      order = ""
      orderArguments = []
      parts.append("NOT \(isExpired)")
      arguments += [now.storedSeconds]
    }
    if let feedKey {
      // The unary plus keeps SQLite from using the index on ids.
      parts.append("+offer.feed_key = ?")
      arguments += [feedKey]
    }
    if let keys = try Self.bounds(
      feedKey: feedKey, favoritesOf: favoritesOnly ? user : nil, in: database)
    {
      // FTS5 skips rowids outside of the range without ranking them.
      parts.append("offer_search.rowid >= ? AND offer_search.rowid <= ?")
      arguments += [keys.lowerBound, keys.upperBound]
    }
    condition = parts.joined(separator: " AND ")
    self.arguments = arguments
  }

  /// A range of keys that contains all searched offers; nil if it is not worth determining, for all
  /// feeds and for a large one.
  private static func bounds(
    feedKey: Int64?, favoritesOf user: User.ID?, in database: Database
  ) throws -> ClosedRange<Int64>? {
    let transaction = SQLiteTransaction(database)
    let searched: String
    if let user {
      searched = "(\(FavoriteTable.offerKeys(of: "\(user)")))"
    } else if let feedKey,
      try FeedTable.fetchCurrentCount(feedKey: feedKey, in: transaction) <= smallFeedCount
    {
      searched = "offer WHERE feed_key = $1"
    } else {
      return nil
    }
    return try transaction.first(
      "SELECT min(offer_key), max(offer_key) FROM \(searched)", [.number(feedKey)]
    ) { $0.number(0)...$0.number(1) }
  }

  /// FTS5 returns matches by rank; offers are joined only until the page is full, unless expired
  /// ones come last.
  func forEachOffer(
    with words: SearchWords, limit: Int, offset: Int, _ body: (UserOffer) throws -> Void
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT offer_search.rowid
        FROM offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid
        WHERE offer_search MATCH ? AND offer_search.rank MATCH ? AND \(condition)
        ORDER BY \(order)offer_search.rank LIMIT ? OFFSET ?
        """)
    let keys = try Int64.fetchCursor(
      statement,
      arguments: [words.match, words.rank] + arguments + orderArguments + [limit, offset])
    while let key = try keys.next() {
      if let offer = try OfferTable.find(key: key, of: user, in: SQLiteTransaction(database)) {
        try body(offer)
      }
    }
  }

  func finds(_ words: SearchWords) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid
        WHERE offer_search MATCH ? AND \(condition) LIMIT 1
        """)
    return try Int.fetchOne(statement, arguments: [words.match] + arguments) != nil
  }
}

extension SQLiteIndexReader {
  func candidates(for words: [MisspelledWord]) throws -> [[SpellingCandidate]] {
    var best = words.map { _ in [SpellingCandidate]() }
    let distances = words.map(\.distance)
    try forEachTerm { bytes, count in
      for (index, word) in words.enumerated() {
        // A Unicode scalar has at most four bytes in UTF-8.
        if abs(word.text.utf8.count - bytes.count) > 4 * word.limit { continue }
        if bytes.first != word.text.utf8.first { continue }
        let term = String(decoding: bytes, as: UTF8.self)
        guard let candidate = word.candidate(term, at: distances[index], offerCount: count) else {
          continue
        }
        let rank = best[index].firstIndex { candidate.isBetter(than: $0) } ?? best[index].count
        best[index].insert(candidate, at: rank)
        if best[index].count > SpellingCandidate.limit { best[index].removeLast() }
      }
    }
    return best
  }

  /// Calls `body` with each indexed word and the number of offers that have it.
  private func forEachTerm(
    _ body: (_ term: UnsafeRawBufferPointer, _ count: Int64) -> Void
  ) throws {
    try SQLiteTransaction(database).forEach("SELECT term, doc FROM search_term") { row in
      if let term = row.findUTF8(0) { body(term, row.number(1)) }
    }
  }
}

extension SearchWords {
  /// The search in FTS5's query syntax, with every word quoted. A possible prefix appears as a whole
  /// word as well, so that whole words rank higher; see `SearchFunctions`.
  /// https://sqlite.org/fts5.html#full_text_query_syntax
  var match: String {
    parts.map { part in
      let phrases = part.phrases.map { phrase in
        let words = "\"\(phrase.words.joined(separator: " "))\""
        return phrase.isOpen ? "\(words) OR \(words) *" : words
      }
      return "(\(phrases.joined(separator: " OR ")))"
    }.joined(separator: " AND ")
  }

  /// The function that ranks the results of `match`.
  var rank: String {
    let parts = parts.map { $0.phrases.map { $0.isOpen ? "wb" : "w" }.joined() }
    return "offer_rank('\(parts.joined(separator: ","))')"
  }
}
