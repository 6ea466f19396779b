import GRDB
import GRDBSQLite
import OffersCore

/// Loads what a sync compares with, without making a value of any row.
///
/// SQLite hands each row to a function, which costs less than stepping to it and asking for its
/// columns costs.
enum KnownOffersQuery {
  private static let pointerType: StaticString = "known offers"

  static func fetch(feedKey: Int64, in database: Database) throws -> KnownOffers {
    let count = try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database)
    // Where rows came behind the triggers' backs, the offers themselves tell.
    if let kept = try KnownOffersTable.fetch(feedKey: feedKey, capacity: count, in: database),
      kept.currentCount == count
    {
      return kept
    }
    var known = KnownOffers(capacity: count)
    try scan(behind: .min, feedKey: feedKey, into: &known, in: database)
    return known
  }

  /// Adds all offers behind a key.
  static func scan(
    behind key: Int64, feedKey: Int64, into known: inout KnownOffers, in database: Database
  ) throws {
    // In the order of the table, not of the index. The terms of an AND may be looked at in any order,
    // those of a CASE may not.
    try collect(
      "offer NOT INDEXED WHERE offer_key > \(key) AND CASE WHEN feed_key = \(feedKey)",
      into: &known, in: database)
  }

  /// Adds the offers that are not as they are kept.
  static func addDoubtful(
    feedKey: Int64, to known: inout KnownOffers, in database: Database
  ) throws {
    try collect(
      """
      known_offers_doubt AS doubt CROSS JOIN offer USING (offer_key)
      WHERE doubt.feed_key = \(feedKey) AND CASE WHEN offer.feed_key = doubt.feed_key
      """, into: &known, in: database)
  }

  private static func collect(
    _ condition: String, into known: inout KnownOffers, in database: Database
  ) throws {
    // No row is found, so one step sees them all.
    let rows = try RawStatement(
      database,
      """
      SELECT 1 FROM \(condition)
        THEN collect_known(?1, offer_key, id, content_hash, gone_at) END
      """)
    defer { rows.reset() }
    try withUnsafeMutablePointer(to: &known) { known in
      rows.bind(1, pointer: UnsafeMutableRawPointer(known), type: pointerType)
      _ = try database.scanning { try rows.step() }
    }
  }

  /// Teaches a connection the function that takes the rows. It is never true.
  static func install(on connection: OpaquePointer?) {
    // It fails when memory runs out, and what asks for it then says that there is none.
    sqlite3_create_function_v2(
      connection, "collect_known", 5, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
      { context, _, values in
        guard let values, let pointer = KnownOffersQuery.target(context, values[0]),
          let id = sqlite3_value_text(values[2])
        else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
        sqlite3_result_int(context, 0)
        pointer.assumingMemoryBound(to: KnownOffers.self).pointee.insert(
          id: UnsafeRawBufferPointer(start: id, count: Int(sqlite3_value_bytes(values[2]))),
          contentHash: UInt64(bitPattern: sqlite3_value_int64(values[3])),
          key: sqlite3_value_int64(values[1]),
          isGone: sqlite3_value_type(values[4]) != SQLITE_NULL)
      }, nil, nil, nil)
  }

  /// What takes the rows. It is asked for by its type's name in the first row, and kept for the rest.
  private static func target(
    _ context: OpaquePointer?, _ value: OpaquePointer?
  ) -> UnsafeMutableRawPointer? {
    if let kept = sqlite3_get_auxdata(context, 0) { return kept }
    let found = RawStatement.pointer(value, pointerType)
    sqlite3_set_auxdata(context, 0, found, nil)
    return found
  }
}
