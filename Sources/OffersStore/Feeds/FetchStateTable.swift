import OffersCore

/// The SQL for the fetch state: validators, back-off and due times of a feed's server.
package enum FetchStateTable {
  private static let columns = [
    "etag", "last_modified", "validated_mark", "validated_rules", "full_fetch_at", "next_due_at",
    "wait_until", "failure_count", "failing_since", "stopped_at", "moved_from", "moved_to",
    "moved_count", "held_count", "held_since", "held_new_count", "held_until",
  ]

  /// The columns for a query over `feed_fetch`, which may have no row for a feed.
  static let selection = columns.map { "feed_fetch.\($0)" }.joined(separator: ", ")

  private static let saveSQL = """
    INSERT INTO feed_fetch (feed_key, \(columns.joined(separator: ", ")))
    VALUES (\((1...columns.count + 1).map { "$\($0)" }.joined(separator: ", ")))
    ON CONFLICT (feed_key) DO UPDATE
    SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    """

  /// Inserts or replaces the whole state.
  package static func save(
    _ state: FetchState, feedKey: Int64, in transaction: any Transaction
  ) throws {
    try transaction.run(
      saveSQL,
      [
        .number(feedKey), .text(state.etag), .text(state.lastModified), .text(state.validatedMark),
        .number(state.validatedRules.map { Int64(bitPattern: $0) }), .date(state.fullFetchAt),
        .date(state.nextDueAt), .date(state.waitUntil), .count(state.failureCount),
        .date(state.failingSince), .date(state.stoppedAt), .text(state.movedFrom),
        .text(state.movedTo), .count(state.movedCount), .count(state.held?.missingCount ?? 0),
        .date(state.held?.since), .count(state.held?.waitingCount ?? 0), .date(state.held?.until),
      ])
  }

  package static func delete(feedKey: Int64, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM feed_fetch WHERE feed_key = $1", [.number(feedKey)])
  }

  /// Forgets what the server vouched for, because the stored offers are another document.
  static func forgetValidators(feedKey: Int64, in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed_fetch SET
        etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL
      WHERE feed_key = $1
      """, [.number(feedKey)])
  }

  /// The state in the columns of `selection` from an index on; the default state if the feed has
  /// none.
  static func state(_ row: any SQLRow, from column: Int) -> FetchState {
    var state = FetchState()
    state.etag = row.findText(column)
    state.lastModified = row.findText(column + 1)
    state.validatedMark = row.findText(column + 2)
    state.validatedRules = row.findNumber(column + 3).map { UInt64(bitPattern: $0) }
    state.fullFetchAt = row.findDate(column + 4)
    state.nextDueAt = row.findDate(column + 5)
    state.waitUntil = row.findDate(column + 6)
    state.failureCount = row.count(column + 7)
    state.failingSince = row.findDate(column + 8)
    state.stoppedAt = row.findDate(column + 9)
    state.movedFrom = row.findText(column + 10)
    state.movedTo = row.findText(column + 11)
    state.movedCount = row.count(column + 12)
    if let since = row.findDate(column + 14) {
      state.held = HeldBack(
        missingCount: row.count(column + 13), waitingCount: row.count(column + 15),
        since: since, until: row.findDate(column + 16))
    }
    return state
  }
}
