import Foundation
import GRDB
import OffersCore

/// The SQL that remembers what was searched for. A trigger keeps it to the last 10.
enum RecentSearchTable {
  static let listSQL = """
    SELECT words, feed, searched_at FROM recent_search ORDER BY search_order DESC
    """

  static func list(in database: Database) throws -> [RecentSearch] {
    try Row.fetchAll(database, sql: listSQL).map { row in
      let feed: String = row["feed"]
      return RecentSearch(
        words: row["words"], feed: feed.isEmpty ? nil : feed,
        searchedAt: OfferTable.date(row["searched_at"]))
    }
  }

  /// Whether a search is the latest already.
  static func isLatest(
    _ expression: SearchExpression, feed: String?, in database: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT expression = ? AND feed = ? AND words = ?
        FROM recent_search ORDER BY search_order DESC LIMIT 1
        """, arguments: [expression.match, feed ?? "", expression.text]) ?? false
  }

  /// Puts a search on top, whether it was there or not.
  static func put(
    _ expression: SearchExpression, feed: String?, at seconds: Int64, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM recent_search WHERE expression = ? AND feed = ?",
      arguments: [expression.match, feed ?? ""])
    try database.execute(
      sql: """
        INSERT INTO recent_search (search_order, expression, feed, words, searched_at)
        SELECT coalesce(max(search_order), 0) + 1, ?, ?, ?, ? FROM recent_search
        """,
      arguments: [expression.match, feed ?? "", expression.text, seconds])
  }
}
