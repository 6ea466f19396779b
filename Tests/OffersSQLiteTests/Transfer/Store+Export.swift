import OffersCore
import OffersTestSupport

@testable import OffersSQLite

extension Store {
  func exported(favoritesOnly: Bool = false, allUsers: Bool = false) async throws -> MemoryExport {
    try await database.exported(favoritesOnly: favoritesOnly, allUsers: allUsers)
  }

  @discardableResult
  func take(_ kept: MemoryExport, selections: Set<String> = []) async throws -> ImportSummary {
    try await database.take(kept, selections: selections)
  }

  /// Violations of the order of changes that queries rely on, invalid references and wrong counts.
  func disorder() throws -> [String] {
    try rows(
      """
      SELECT * FROM (
        SELECT change_id, run_id, rank,
          lag(run_id) OVER w AS last_run, lag(rank) OVER w AS last_rank,
          offer_key, lag(offer_key) OVER w AS last_key
        FROM (SELECT *, CASE kind WHEN 'new' THEN 1 WHEN 'gone' THEN 2 ELSE 0 END AS rank
          FROM \(Store.eachChange))
        WINDOW w AS (ORDER BY change_id, offer_key)
      ) WHERE last_run > run_id OR last_run = run_id AND last_rank > rank
        OR last_run = run_id AND last_rank = 1 AND rank = 1 AND last_key >= offer_key
      """)
      + rows(
        """
        SELECT 'twice new', offer_key FROM \(Store.eachChange) WHERE kind = 'new'
        GROUP BY 2 HAVING count(*) > 1
        """)
      + rows("PRAGMA foreign_key_check")
      + rows(
        """
        SELECT 'count', name FROM feed WHERE (current_count, gone_count) <> (
          SELECT count(*) FILTER (WHERE gone_at IS NULL AND found_at IS NULL), count(gone_at)
          FROM offer WHERE offer.feed_key = feed.feed_key)
        """)
  }
}
