import Foundation
import OffersCore

/// The SQL for recent searches.
package enum RecentSearchTable {
  package static func list(of user: User.ID, in transaction: any Transaction) throws
    -> [RecentSearch]
  {
    try transaction.rows(
      """
      SELECT words, feed, searched_at FROM recent_search WHERE user_key = $1
      ORDER BY search_order DESC
      """, [.number(user)]
    ) { row in
      let feed = row.text(1)
      return RecentSearch(
        words: row.text(0), feed: feed.isEmpty ? nil : feed, searchedAt: row.date(2))
    }
  }

  /// Whether a search is at the top, with the same spelling.
  static func isLatest(
    _ words: String, feed: String?, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    guard let last = try list(of: user, in: transaction).first else { return false }
    return last.feed == feed && last.words.hasSameBytes(as: words)
  }

  /// Moves or inserts a search at the top, and keeps the last ones. The user must be locked.
  package static func put(
    _ words: String, feed: String?, of user: User.ID, at date: Date,
    in transaction: any Transaction
  ) throws {
    let key = key(words)
    try transaction.run(
      """
      DELETE FROM recent_search WHERE user_key = $1 AND feed = $3 AND (expression = $2 OR words = $4)
      """, [.number(user), .text(key), .text(feed ?? ""), .text(words)])
    try transaction.run(
      """
      INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at)
      SELECT $1, coalesce(max(search_order), 0) + 1, $2, $3, $4, $5
      FROM recent_search WHERE user_key = $1
      """,
      [.number(user), .text(key), .text(feed ?? ""), .text(words), .date(date)])
    try transaction.run(
      """
      DELETE FROM recent_search WHERE user_key = $1 AND search_order <= (
        SELECT search_order FROM recent_search WHERE user_key = $1
        ORDER BY search_order DESC LIMIT 1 OFFSET \(RecentSearch.limit))
      """, [.number(user)])
  }

  /// By which equal searches are recognized: the folded words, or the words as they were typed if these
  /// have no letters or are too many for a search.
  private static func key(_ words: String) -> String {
    let search = try? SearchWords(words)
    return search.flatMap { $0.isEmpty ? nil : $0.key } ?? words
  }

  /// Removes a search. Returns whether there was one.
  static func remove(
    _ id: RecentSearch.ID, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.run(
      "DELETE FROM recent_search WHERE user_key = $1 AND words = $2 AND feed = $3",
      [.number(user), .text(SearchWords.spaced(id.words)), .text(id.feed ?? "")]) > 0
  }
}

extension SearchWords {
  /// The key by which `recent_search` recognizes equal searches: the folded words. “Café” and “cafe” have the
  /// same key.
  fileprivate var key: String {
    parts.map { $0.words.joined(separator: " ") + ($0.isOpen ? "*" : "") }.joined(separator: " & ")
  }
}
