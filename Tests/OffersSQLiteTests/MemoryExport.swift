import OffersCore

@testable import OffersSQLite

/// An export in memory.
struct MemoryExport: ExportRecordSource {
  var records: [ExportRecord] = []

  func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
    for record in records { try body(record) }
  }

  var offers: [ExportedOffer] {
    records.compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
  }

  var feeds: [String] {
    records.compactMap { if case .feed(let feed) = $0 { feed.name } else { nil } }
  }

  var runs: [ExportedRun] {
    records.compactMap { if case .run(let run) = $0 { run } else { nil } }
  }

  var users: [ExportedUser] {
    records.compactMap { if case .user(let user) = $0 { user } else { nil } }
  }

  var favorites: [ExportedFavorite] {
    records.compactMap { if case .favorite(let favorite) = $0 { favorite } else { nil } }
  }

  /// The exported document, for comparison.
  func text() throws -> String {
    var bytes: [UInt8] = []
    var writer = try ExportWriter { bytes += $0 }
    for record in records { try writer.add(record) }
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Store {
  func exported(favoritesOnly: Bool = false, allUsers: Bool = false) async throws -> MemoryExport {
    try await Self.exported(database, favoritesOnly: favoritesOnly, allUsers: allUsers)
  }

  static func exported(
    _ database: OffersDatabase, favoritesOnly: Bool = false, allUsers: Bool = false
  ) async throws -> MemoryExport {
    try await database.export(favoritesOnly: favoritesOnly, allUsers: allUsers) { records in
      var kept = MemoryExport()
      try records.forEachRecord { kept.records.append($0) }
      return kept
    }
  }

  @discardableResult
  func take(_ kept: MemoryExport, selections: Set<String> = []) async throws -> ImportSummary {
    try await database.importRecords(
      from: kept, feeds: kept.feeds, selections: selections)
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
        WINDOW w AS (ORDER BY change_id)
      ) WHERE last_run > run_id OR last_run = run_id AND last_rank > rank
        OR last_run = run_id AND last_rank = 1 AND rank = 1 AND last_key >= offer_key
      """)
      + rows(
        """
        SELECT 'twice new', offer_key FROM \(Store.eachChange) WHERE kind = 'new'
        GROUP BY 2 HAVING count(*) > 1
        """)
      + rows(
        "SELECT 'number twice', change_id FROM \(Store.eachChange) GROUP BY 2 HAVING count(*) > 1")
      + rows("PRAGMA foreign_key_check")
      + rows(
        """
        SELECT 'count', name FROM feed WHERE current_count <>
          (SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key AND gone_at IS NULL)
        """)
  }
}
