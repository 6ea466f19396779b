import Foundation
import GRDB
import OffersCore

/// The SQL for the fetch state: validators, back-off and due times of a feed's server.
enum FetchStateTable {
  private static let columns = [
    "etag", "last_modified", "validated_mark", "validated_rules", "full_fetch_at", "next_due_at",
    "wait_until", "failure_count", "failing_since", "stopped_at", "moved_from", "moved_to",
    "moved_count", "held_count", "held_since", "held_new_count", "held_until",
  ]

  /// The columns for a query over `feed_fetch`, which may have no row for a feed.
  static let selection = columns.map { "feed_fetch.\($0)" }.joined(separator: ", ")

  private static let saveSQL = """
    INSERT INTO feed_fetch (feed_key, \(columns.joined(separator: ", ")))
    VALUES (\((0...columns.count).map { _ in "?" }.joined(separator: ", ")))
    ON CONFLICT (feed_key) DO UPDATE
    SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    """

  /// Inserts or replaces the whole state.
  static func save(_ state: FetchState, feedKey: Int64, in database: Database) throws {
    try database.cachedStatement(sql: saveSQL).execute(
      arguments: [
        feedKey, state.etag, state.lastModified, state.validatedMark,
        state.validatedRules.map { Int64(bitPattern: $0) }, state.fullFetchAt?.storedSeconds,
        state.nextDueAt?.storedSeconds, state.waitUntil?.storedSeconds, state.failureCount,
        state.failingSince?.storedSeconds, state.stoppedAt?.storedSeconds, state.movedFrom,
        state.movedTo, state.movedCount, state.held?.missingCount ?? 0,
        state.held?.since.storedSeconds, state.held?.waitingCount ?? 0,
        state.held?.until?.storedSeconds,
      ])
  }

  /// The state in a row of a query of `selection`; the default state if the feed has none.
  static func state(from row: Row) -> FetchState {
    var state = FetchState()
    state.etag = row["etag"]
    state.lastModified = row["last_modified"]
    state.validatedMark = row["validated_mark"]
    state.validatedRules = (row["validated_rules"] as Int64?).map { UInt64(bitPattern: $0) }
    state.fullFetchAt = date(row["full_fetch_at"])
    state.nextDueAt = date(row["next_due_at"])
    state.waitUntil = date(row["wait_until"])
    state.failureCount = row["failure_count"] ?? 0
    state.failingSince = date(row["failing_since"])
    state.stoppedAt = date(row["stopped_at"])
    state.movedFrom = row["moved_from"]
    state.movedTo = row["moved_to"]
    state.movedCount = row["moved_count"] ?? 0
    if let since = date(row["held_since"]) {
      state.held = HeldBack(
        missingCount: row["held_count"], waitingCount: row["held_new_count"], since: since,
        until: date(row["held_until"]))
    }
    return state
  }

  private static func date(_ seconds: Int64?) -> Date? { seconds.map(Date.init(storedSeconds:)) }
}
