import GRDB
import OffersCore

/// Merges the runs and changes of an export with those of the database, in which they are collected in
/// temporary tables first; see `ImportStore.mergeHistory`.
final class ImportedHistory {
  private let database: Database
  private let addRun: RawStatement
  private let addChange: RawStatement
  private let addEarlier: RawStatement
  private let findEarlier: RawStatement
  private var isRenumbered = false

  private static let tables = [
    "imported_run", "imported_change", "seen_earlier", "run_order", "change_order",
  ]
  private static let countColumns = ExportedRun.countNames.map { "\($0)_count" }
  private static let runColumns =
    [
      "feed_key", "source", "started_at", "duration_milliseconds", "outcome", "bytes",
      "error_code", "error_message", "error_hint",
    ] + countColumns

  init(_ database: Database) throws {
    self.database = database
    let columns = Self.runColumns.joined(separator: ", ")
    try database.execute(
      sql: """
        CREATE TEMP TABLE imported_run (number INTEGER PRIMARY KEY, run_id, \(columns));
        CREATE TEMP TABLE imported_change (
          number INTEGER PRIMARY KEY, run_number INTEGER, offer_key INTEGER, kind TEXT, fields TEXT
        );
        -- For offers that the export saw earlier than this database: the first sighting here.
        CREATE TEMP TABLE seen_earlier (offer_key INTEGER PRIMARY KEY, first_seen_at INTEGER);
        """)
    let parameters = (0..<Self.runColumns.count + 2).map { "?\($0 + 1)" }.joined(separator: ", ")
    addRun = try RawStatement(
      database, "INSERT INTO imported_run (number, run_id, \(columns)) VALUES (\(parameters))")
    addChange = try RawStatement(
      database,
      "INSERT INTO imported_change (run_number, offer_key, kind, fields) VALUES (?1, ?2, ?3, ?4)")
    addEarlier = try RawStatement(
      database,
      "INSERT INTO seen_earlier (offer_key, first_seen_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
    findEarlier = try RawStatement(
      database, "SELECT first_seen_at FROM seen_earlier WHERE offer_key = ?1")
  }

  func fetchMarks() throws -> [RunMark: Int64] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT run_id, feed_key, started_at, duration_milliseconds, outcome,
          \(Self.countColumns.joined(separator: ", "))
        FROM sync_run ORDER BY run_id
        """)
    var known: [RunMark: Int64] = [:]
    while let row = try rows.next() {
      let mark = RunMark(
        feedKey: row[1], startedAt: row[2], durationMilliseconds: row[3], outcome: row[4],
        counts: (5..<5 + Self.countColumns.count).map { row[$0] })
      known[mark] = row[0]
    }
    return known
  }

  func add(_ run: ExportedRun, number: Int, known runID: Int64?, feedKey: Int64) throws {
    addRun.bind(1, Int64(number))
    addRun.bind(2, number: runID)
    addRun.bind(3, feedKey)
    addRun.bind(4, copying: run.source)
    addRun.bind(5, run.startedAt)
    addRun.bind(6, run.durationMilliseconds)
    addRun.bind(7, copying: run.outcome.rawValue)
    addRun.bind(8, run.bytes)
    addRun.bind(9, copying: run.error?.code)
    addRun.bind(10, copying: run.error?.message)
    addRun.bind(11, copying: run.error?.hint)
    for (index, count) in run.counts.enumerated() { addRun.bind(Int32(12 + index), count) }
    try addRun.run()
  }

  /// Records that the export saw an offer earlier than this database did.
  func note(offerKey: Int64, firstSeenHereAt seconds: Int64) throws {
    addEarlier.bind(1, offerKey)
    addEarlier.bind(2, seconds)
    try addEarlier.run()
  }

  func add(_ change: ExportedChange, offerKey: Int64) throws {
    addChange.bind(1, Int64(change.run))
    addChange.bind(2, offerKey)
    addChange.bind(3, copying: change.kind.rawValue)
    addChange.bind(4, copying: change.fields)
    try addChange.run()
  }

  /// The first sighting here of an offer that the export saw earlier.
  func findFirstSightHere(_ offerKey: Int64) throws -> Int64? {
    findEarlier.bind(1, offerKey)
    defer { findEarlier.reset() }
    return try findEarlier.step() ? findEarlier.number(0) : nil
  }

  func merge(renumbers: Bool) throws {
    try orderRuns()
    let hadChanges =
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM change)") ?? false
    isRenumbered = try renumbers || isMixed()
    if isRenumbered {
      try renumber()
    } else {
      try append()
    }
    if !hadChanges {
      // Readers of an empty history have read everything; they are not notified of years of
      // imported changes.
      try database.execute(
        sql: "UPDATE reader SET change_id = (SELECT coalesce(max(change_id), 0) FROM change)")
    }
    try FirstSyncTable.derive(in: database)
  }

  /// The number of the last change of a run of the document and of all runs before it, once the
  /// histories are merged; 0 if there is none.
  func findLastChange(through run: Int) throws -> Int64 {
    let known =
      isRenumbered
      ? "SELECT run_order.run_id FROM run_order JOIN imported_run ON old_id = imported_run.run_id"
      : "SELECT imported_run.run_id FROM imported_run"
    let id = try Int64.fetchOne(
      database,
      sql: """
        SELECT coalesce(
          (SELECT run_id FROM run_order WHERE number = ?1),
          (\(known) WHERE imported_run.number = ?1))
        """, arguments: [run])
    guard let id else { return 0 }
    return try ChangeTable.fetchLastID(beforeRun: id.adding(clamped: 1), upTo: .max, in: database)
  }

  /// Removes the temporary tables.
  func finish() throws {
    for table in Self.tables { try database.execute(sql: "DROP TABLE IF EXISTS temp.\(table)") }
  }

  /// Numbers the runs of both sides from 1 by their start; the order on each side is kept.
  private func orderRuns() throws {
    try database.execute(
      sql: """
        CREATE TEMP TABLE run_order (
          run_id INTEGER PRIMARY KEY, old_id INTEGER, number INTEGER UNIQUE
        );
        INSERT INTO run_order (old_id, number)
        SELECT old_id, number FROM (
          SELECT run_id AS old_id, NULL AS number, 1 AS side,
            max(started_at) OVER (ORDER BY run_id) AS at
          FROM main.sync_run
          UNION ALL
          SELECT NULL, number, 0, max(started_at) OVER (ORDER BY number)
          FROM imported_run WHERE run_id IS NULL
        ) ORDER BY at, side, old_id, number;
        CREATE UNIQUE INDEX temp.run_order_by_old_id ON run_order (old_id);
        """)
  }

  /// Whether an imported run comes before one of the database's own.
  private func isMixed() throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT (SELECT min(run_id) FROM run_order WHERE number IS NOT NULL)
          < (SELECT max(run_id) FROM run_order WHERE old_id IS NOT NULL)
        """) ?? false
  }

  /// Appends runs and changes to the existing ones.
  private func append() throws {
    try database.execute(
      sql: """
        UPDATE run_order SET run_id =
          -(run_id - (SELECT count(*) FROM main.sync_run)
            + (SELECT coalesce(max(run_id), 0) FROM main.sync_run))
        WHERE number IS NOT NULL;
        UPDATE run_order SET run_id = -run_id WHERE run_id < 0;
        """)
    try insertRuns()
    try database.execute(
      sql: """
        INSERT INTO change (offer_key, run_id, kind, fields)
        SELECT offer_key, run_order.run_id, kind, fields
        FROM imported_change JOIN run_order ON run_order.number = imported_change.run_number
        ORDER BY run_order.run_id, \(Self.rank), imported_change.number
        """)
  }

  /// The order in which a sync writes the changes of its run; see `DifferenceWriter`.
  private static let rank = """
    CASE kind WHEN 'new' THEN 1 WHEN 'gone' THEN 2 ELSE 0 END,
    CASE kind WHEN 'new' THEN offer_key ELSE 0 END
    """

  private func insertRuns() throws {
    let columns = Self.runColumns.joined(separator: ", ")
    try database.execute(
      sql: """
        INSERT INTO main.sync_run (run_id, \(columns))
        SELECT run_order.run_id, \(columns)
        FROM run_order JOIN imported_run USING (number) ORDER BY run_order.run_id
        """)
  }

  /// Renumbers all runs and changes, and adjusts the marks of readers.
  private func renumber() throws {
    // `finish` derives the first syncs anew.
    try database.execute(sql: "DELETE FROM first_sync")
    // The new numbers are negative at first, because a positive one may still be used by another
    // run.
    try database.execute(
      sql: """
        UPDATE main.sync_run SET run_id =
          -(SELECT run_order.run_id FROM run_order WHERE old_id = sync_run.run_id);
        UPDATE main.sync_run SET run_id = -run_id;
        """)
    try insertRuns()
    try database.execute(
      sql: """
        CREATE TEMP TABLE change_order (
          change_id INTEGER PRIMARY KEY, old_id INTEGER, offer_key INTEGER, run_id INTEGER,
          kind TEXT, fields TEXT
        );
        INSERT INTO change_order (old_id, offer_key, run_id, kind, fields)
        SELECT old_id, offer_key, run_id, kind, fields FROM (
          SELECT \(ChangeSpan.offerID) AS old_id, 0 AS number, offer.offer_key,
            run_order.run_id, kind, fields
          FROM main.\(ChangeSpan.rows) CROSS JOIN main.\(ChangeSpan.offers(after: "0"))
          CROSS JOIN run_order ON run_order.old_id = change.run_id
          UNION ALL
          SELECT NULL, number, offer_key,
            coalesce(
              (SELECT run_order.run_id FROM run_order WHERE number = imported_change.run_number),
              (SELECT run_order.run_id FROM run_order JOIN imported_run
                ON run_order.old_id = imported_run.run_id
                WHERE imported_run.number = imported_change.run_number)),
            kind, fields
          FROM imported_change
        ) ORDER BY run_id, \(Self.rank), old_id, number;
        """)
    try database.execute(
      sql: """
        -- An offer that the export saw earlier was not new when this database first saw it.
        DELETE FROM change_order WHERE kind = 'new' AND old_id IS NOT NULL
          AND offer_key IN (SELECT offer_key FROM seen_earlier);
        UPDATE reader SET change_id = coalesce(
          (SELECT min(change_id) - 1 FROM change_order WHERE old_id > reader.change_id),
          (SELECT max(change_id) FROM change_order WHERE old_id IS NOT NULL), 0);
        DELETE FROM new_offers;
        DELETE FROM main.change;
        INSERT INTO main.change (change_id, offer_key, run_id, kind, fields)
        SELECT change_id, offer_key, run_id, kind, fields FROM change_order ORDER BY change_id;
        """)
  }
}
