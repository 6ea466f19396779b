import Foundation
import OffersCore

/// The SQL for recent searches.
enum RecentSearchTable {
  static func list(of user: User.ID, in session: DatabaseSession) throws -> [RecentSearch] {
    try session.rows(
      """
      SELECT words, feed, searched_at FROM recent_search WHERE user_key = $1
      ORDER BY search_order DESC
      """, [.number(user)]
    ).map { row in
      let feed = row.text(1)
      return RecentSearch(
        words: row.text(0), feed: feed.isEmpty ? nil : feed, searchedAt: row.date(2))
    }
  }

  /// Moves or inserts a search at the top, unless it is there already with the same spelling, and keeps
  /// the last ones. The user must be locked.
  static func put(
    _ words: String, feed: String?, of user: User.ID, at date: Date, in session: DatabaseSession
  ) throws {
    let last = try list(of: user, in: session).first
    if let last, last.feed == feed, last.words.hasSameBytes(as: words) { return }
    // By which equal searches are recognized: the query, or the words if they have no letters or are too
    // many for a search.
    let search = try? SearchWords(words, by: LetterTokenizer())
    let key = search.flatMap { $0.isEmpty ? nil : $0.query } ?? words
    try session.run(
      "DELETE FROM recent_search WHERE user_key = $1 AND expression = $2 AND feed = $3",
      [.number(user), .text(key), .text(feed ?? "")])
    try session.run(
      """
      INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at)
      SELECT $1, coalesce(max(search_order), 0) + 1, $2, $3, $4, $5
      FROM recent_search WHERE user_key = $1
      """,
      [.number(user), .text(key), .text(feed ?? ""), .text(words), .date(date)])
    try session.run(
      """
      DELETE FROM recent_search WHERE user_key = $1 AND search_order <= (
        SELECT search_order FROM recent_search WHERE user_key = $1
        ORDER BY search_order DESC OFFSET \(RecentSearch.limit) LIMIT 1)
      """, [.number(user)])
  }

  /// Removes a search. Returns whether there was one.
  static func remove(
    _ id: RecentSearch.ID, of user: User.ID, in session: DatabaseSession
  ) throws -> Bool {
    try session.rows(
      """
      DELETE FROM recent_search WHERE user_key = $1 AND words = $2 AND feed = $3 RETURNING 1
      """,
      [.number(user), .text(SearchWords.spaced(id.words)), .text(id.feed ?? "")]
    ).count > 0
  }
}
