import Foundation
import GRDB
import OffersCore

/// The SQL that searches offers in the index.
struct SearchTable {
  private let condition: String
  private let arguments: StatementArguments
  /// The terms that sort before the rank, each followed by a comma.
  private let order: String
  private let orderArguments: StatementArguments

  /// The maximum number of current offers of a feed for which the range of its keys is determined.
  /// For a larger feed, determining it costs more than it saves.
  private static let smallFeedCount = 50_000

  /// - Parameters:
  ///   - user: the user whose favorites count.
  ///   - feedKey: the feed to search; nil for all.
  ///   - favoritesOnly: whether to search favorites only, gone and expired ones included; otherwise
  ///     current offers are searched, and those that a search on a feed's server found.
  ///   - includesExpired: whether current offers that have expired are searched.
  ///   - now: the time at which offers count as expired.
  ///   - database: the database to search.
  init(
    of user: User.ID, feedKey: Int64?, favoritesOnly: Bool, includesExpired: Bool, now: Date,
    in database: Database
  ) throws {
    var parts: [String] = []
    var arguments: StatementArguments = []
    if favoritesOnly {
      // The unary plus makes SQLite evaluate the favorites once, instead of looking up each match.
      parts.append("+offer_search.rowid IN (\(FavoriteTable.offerKeys(of: user)))")
    } else {
      parts.append("(offer.gone_at IS NULL OR \(FoundOffers.isUnlisted))")
    }
    let isExpired = """
      EXISTS (SELECT 1 FROM offer_detail AS detail
        WHERE detail.offer_key = offer.offer_key AND detail.expires_at <= ?)
      """
    if favoritesOnly || includesExpired {
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
    let row: Row?
    if let user {
      row = try Row.fetchOne(
        database,
        sql: "SELECT min(offer_key), max(offer_key) FROM (\(FavoriteTable.offerKeys(of: user)))")
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

  /// Calls `body` with the keys of the offers that match a search, best first, one at a time, so that
  /// not all offers are in memory.
  ///
  /// FTS5 returns matches by rank; offers are joined only until the page is full, unless expired
  /// ones come last.
  func find(
    _ search: SearchWords, limit: Int, offset: Int, in database: Database,
    _ body: (Int64) throws -> Void
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT offer_search.rowid
        FROM offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid
        WHERE offer_search MATCH ? AND \(condition)
        ORDER BY \(order)offer_search.rank LIMIT ? OFFSET ?
        """)
    let keys = try Int64.fetchCursor(
      statement,
      arguments: [search.match] + arguments + orderArguments + [limit, offset])
    while let key = try keys.next() { try body(key) }
  }

  /// Whether a search has a match.
  func finds(_ search: SearchWords, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM offer_search CROSS JOIN offer ON offer.offer_key = offer_search.rowid
        WHERE offer_search MATCH ? AND \(condition) LIMIT 1
        """)
    return try Int.fetchOne(statement, arguments: [search.match] + arguments) != nil
  }

  /// Whether the index has longer words with a given prefix.
  static func hasLonger(_ word: String, in database: Database) throws -> Bool {
    // Tokens contain no character below a digit. The word itself is excluded, because the
    // vocabulary table would count all its offers.
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM search_term WHERE term >= ? AND term <= ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [word + "0", word + "\u{10FFFF}"]) != nil
  }

  /// Calls `body` with each indexed word and the number of offers that have it.
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
