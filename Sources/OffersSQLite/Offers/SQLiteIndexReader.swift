import Foundation
import GRDB
import OffersCore
import OffersStore

/// The SQL that searches offers in the index.
struct SQLiteIndexReader: SearchedIndex {
  private let user: User.ID
  let database: Database
  private let conditions: SearchConditions
  /// The time at which expired offers come last; nil if they do not.
  private let expiryTime: Date?

  /// The maximum number of current offers of a feed for which the range of its keys is determined.
  /// For a larger feed, determining it costs more than it saves.
  private static let smallFeedCount = 50_000

  /// - Parameters:
  ///   - query: the search.
  ///   - conditions: those of its selection.
  ///   - user: the user whose favorites count.
  ///   - database: the database to search.
  init(
    _ query: SearchQuery, _ conditions: SearchConditions, of user: User.ID, in database: Database
  ) throws {
    self.user = user
    self.database = database
    self.conditions = conditions
    expiryTime = query.selection.sortsExpiredLast ? query.now ?? Date() : nil
    bounds = try Self.bounds(
      feedKey: conditions.feedKey,
      favoritesOf: query.favoritesOnly ? user : nil, in: database)
  }

  /// A range of keys that contains all searched offers; nil if it is not worth determining.
  private let bounds: ClosedRange<Int64>?

  /// Determines the range of the keys of one feed, unless it is large, or of the favorites.
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

  /// The tables and conditions of a search, and its parameters. FTS5 returns matches by rank, and skips
  /// rowids outside of the range without ranking them; offers are joined only until the page is full, unless
  /// expired ones come last.
  private func source(
    _ words: SearchWords, isRanked: Bool
  ) -> (sql: String, bindings: Bindings) {
    var bindings = conditions.bindings
    var parts = conditions.parts
    var tables = "offer"
    var key = "offer.offer_key"
    if !words.unwanted.isEmpty, words.isEmpty {
      parts.append(Dialect.sqlite.hasWords(words, &bindings))
    } else if !words.isEmpty {
      tables = "offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid"
      key = "offer_search.rowid"
      let rank = isRanked ? ["offer_search.rank MATCH \(bindings.add(.text(words.rank)))"] : []
      let match = "offer_search MATCH \(bindings.add(.text(words.match)))"
      parts = [match] + rank + parts
    }
    if let bounds {
      let (first, last) = (
        bindings.add(.number(bounds.lowerBound)), bindings.add(.number(bounds.upperBound))
      )
      parts.append("\(key) >= \(first) AND \(key) <= \(last)")
    }
    return (
      "\(tables) WHERE \(parts.isEmpty ? "true" : parts.joined(separator: " AND "))", bindings
    )
  }

  func forEachOffer(
    with words: SearchWords, limit: Int, offset: Int, _ body: (UserOffer) throws -> Void
  ) throws {
    var (source, bindings) = source(words, isRanked: true)
    let transaction = SQLiteTransaction(database)
    let rank = words.isEmpty ? "offer.offer_key" : "offer_search.rank"
    let order =
      expiryTime.map { "coalesce(offer.expires_at <= \(bindings.add(.date($0))), 0), " } ?? ""
    let keys = try transaction.rows(
      """
      SELECT offer.offer_key FROM \(source) ORDER BY \(order)\(rank)
      LIMIT \(bindings.add(.count(limit))) OFFSET \(bindings.add(.count(offset)))
      """, bindings.values
    ) { $0.number(0) }
    for key in keys {
      if let offer = try OfferTable.find(key: key, of: user, in: transaction) { try body(offer) }
    }
  }

  func finds(_ words: SearchWords) throws -> Bool {
    let (source, bindings) = source(words, isRanked: false)
    return try SQLiteTransaction(database).exists(
      "SELECT 1 FROM \(source) LIMIT 1", bindings.values)
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
  /// The function that ranks the results of `match`.
  var rank: String {
    let parts = parts.map { $0.phrases.map { $0.isOpen ? "wb" : "w" }.joined() }
    return "offer_rank('\(parts.joined(separator: ","))')"
  }
}
