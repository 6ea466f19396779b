import Foundation
import GRDB
import OffersCore

/// The SQL for recent searches. The trigger `recent_search_holds_10` of migration 20 keeps the last 10
/// of each user.
enum RecentSearchTable {
  static let listSQL = """
    SELECT words, feed, searched_at FROM recent_search WHERE user_key = ?
    ORDER BY search_order DESC
    """

  static func list(of user: User.ID, in database: Database) throws -> [RecentSearch] {
    try Row.fetchAll(database, sql: listSQL, arguments: [user]).map { row in
      let feed: String = row["feed"]
      return RecentSearch(
        words: row["words"], feed: feed.isEmpty ? nil : feed,
        searchedAt: Date(storedSeconds: row["searched_at"]))
    }
  }

  /// The key by which equal searches are recognized: the FTS5 expression, or the words if they
  /// contain no token or are too many for a search.
  private static func key(_ words: String, in database: Database) -> String {
    let search = try? SearchWords(words, in: database)
    return search.flatMap { $0.isEmpty ? nil : $0.match } ?? words
  }

  /// Whether a search is already the latest one, with the same spelling.
  static func isLatest(
    _ words: String, feed: String?, of user: User.ID, in database: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT expression = ? AND feed = ? AND words = ?
        FROM recent_search WHERE user_key = ? ORDER BY search_order DESC LIMIT 1
        """, arguments: [key(words, in: database), feed ?? "", words, user]) ?? false
  }

  /// Moves or inserts a search at the top.
  static func put(
    _ words: String, feed: String?, of user: User.ID, at seconds: Int64, in database: Database
  ) throws {
    let key = key(words, in: database)
    try database.execute(
      sql: "DELETE FROM recent_search WHERE user_key = ? AND expression = ? AND feed = ?",
      arguments: [user, key, feed ?? ""])
    try database.execute(
      sql: """
        INSERT INTO recent_search (search_order, user_key, expression, feed, words, searched_at)
        SELECT coalesce(max(search_order), 0) + 1, ?, ?, ?, ?, ? FROM recent_search
        """,
      arguments: [user, key, feed ?? "", words, seconds])
  }

  /// Removes a search. Returns whether there was one.
  static func remove(
    _ id: RecentSearch.ID, of user: User.ID, in database: Database
  ) throws -> Bool {
    try database.execute(
      sql: "DELETE FROM recent_search WHERE user_key = ? AND words = ? AND feed = ?",
      arguments: [user, SearchWords.spaced(id.words), id.feed ?? ""])
    return database.changesCount > 0
  }
}
