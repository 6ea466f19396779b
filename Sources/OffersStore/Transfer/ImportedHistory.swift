import OffersCore

/// Merges the runs and changes of an export with those of the database, in which they are collected in
/// temporary tables first.
final class ImportedHistory {
  private let transaction: any Transaction
  /// The numbers before the import.
  private let order: CommitOrder
  private var isRenumbered = false
  /// For each feed without a first sync in this database, the run of the export that probably was it; nil
  /// until all runs were read.
  private var firstRuns: [Int64: (id: Int64, startedAt: Int64)]?
  private var changeCount: Int64 = 0
  private var tables: [String] = []

  private static let countColumns = ExportedRun.countNames.map { "\($0)_count" }
  private static let runColumns =
    [
      "feed_key", "source", "started_at", "duration_milliseconds", "outcome", "bytes",
      "error_code", "error_message", "error_hint",
    ] + countColumns

  init(_ transaction: any Transaction, _ order: CommitOrder) throws {
    self.transaction = transaction
    self.order = order
    try makeTable(
      "imported_run",
      """
      AS SELECT run_id AS number, run_id AS known_id, run_id, \(Self.runColumns.joined(separator: ", "))
      FROM sync_run WHERE run_id < 0
      """)
    try makeTable("run_order", "(run_id BIGINT, old_id BIGINT, number BIGINT)")
    try makeTable(
      "imported_change",
      "(number BIGINT, run_number BIGINT, offer_key BIGINT, kind TEXT, fields TEXT)")
    // For offers that the export saw earlier than this database: the first sighting here.
    try makeTable("seen_earlier", "(offer_key BIGINT PRIMARY KEY, first_seen_at BIGINT)")
  }

  private func makeTable(_ name: String, _ definition: String) throws {
    try transaction.run("CREATE TEMP TABLE \(name) \(definition)")
    tables.append(name)
  }

  /// Drops the temporary tables, which would otherwise stay as long as the connection.
  func dropTables() throws {
    for table in tables { try transaction.run("DROP TABLE \(table)") }
    tables = []
  }

  /// The runs of the store by what identifies them.
  func fetchMarks() throws -> [RunFingerprint: Int64] {
    var known: [RunFingerprint: Int64] = [:]
    try transaction.forEach(
      """
      SELECT run_id, feed_key, started_at, duration_milliseconds, outcome,
        \(Self.countColumns.joined(separator: ", "))
      FROM sync_run ORDER BY run_id
      """
    ) { row in
      let mark = RunFingerprint(
        feedKey: row.number(1), startedAt: row.number(2), durationMilliseconds: row.number(3),
        outcome: row.text(4), counts: Self.countColumns.indices.map { row.number(5 + $0) })
      known[mark] = row.number(0)
    }
    return known
  }

  /// Keeps a run of the document until `merge`.
  ///
  /// - Parameters:
  ///   - run: the run.
  ///   - number: its number in the document, from 1.
  ///   - known: its key, if the store has it.
  ///   - feedKey: the key of its feed.
  func add(_ run: ExportedRun, number: Int, known: Int64?, feedKey: Int64) throws {
    let columns = (["number", "known_id"] + Self.runColumns).joined(separator: ", ")
    let places = (1...Self.runColumns.count + 2).map { "$\($0)" }.joined(separator: ", ")
    try transaction.run(
      "INSERT INTO imported_run (\(columns)) VALUES (\(places))",
      [
        .number(Int64(number)), .number(known), .number(feedKey), .text(run.source),
        .number(run.startedAt), .number(run.durationMilliseconds), .text(run.outcome.rawValue),
        .number(run.bytes), .text(run.error?.code), .text(run.error?.message),
        .text(run.error?.hint),
      ] + run.counts.map { .number($0) })
  }

  /// Keeps the times at which the store first saw offers that the export saw earlier. The first one
  /// that is kept for an offer counts.
  func note(seenEarlier offers: [(key: Int64, firstSeenHereAt: Int64)]) throws {
    if offers.isEmpty { return }
    let new = transaction.dialect.table(
      [
        "offer_key": .numbers(offers.map(\.key)),
        "first_seen_at": .numbers(offers.map(\.firstSeenHereAt)),
      ], as: "new")
    try transaction.run(
      """
      INSERT INTO seen_earlier SELECT new.offer_key, new.first_seen_at FROM \(new.sql) WHERE true
      ON CONFLICT DO NOTHING
      """, new.values)
  }

  /// Keeps changes of the document until `merge`, in their order.
  func add(_ changes: [(change: ExportedChange, offerKey: Int64)]) throws {
    if changes.isEmpty { return }
    let numbers = changes.indices.map { changeCount + Int64($0) + 1 }
    changeCount += Int64(changes.count)
    let new = transaction.dialect.table(
      [
        "number": .numbers(numbers), "run_number": .numbers(changes.map { Int64($0.change.run) }),
        "offer_key": .numbers(changes.map(\.offerKey)),
        "kind": .texts(changes.map { Self.kind(of: $0.change) }),
        "fields": .texts(changes.map(\.change.fields)),
      ], as: "new")
    try transaction.run(
      """
      INSERT INTO imported_change
      SELECT new.number, new.run_number, new.offer_key, new.kind, new.fields FROM \(new.sql)
      """, new.values)
  }

  /// The kind as it is stored: `up` and `down` are kinds of their own here.
  private static func kind(of change: ExportedChange) -> String {
    guard change.kind == .changed, let rewards = change.fields.map(ChangedFields.init)?.rewards
    else { return change.kind.rawValue }
    let direction = OfferChange.Kind.direction(from: rewards.old, to: rewards.new)
    return (direction ?? .changed).rawValue
  }

  /// The run that probably has the `new` change of an offer which is inserted, if it is the first sync
  /// of its feed. Known now, it needs no update of the offer later; see `setFirstRuns`.
  func guessFirstRun(of offer: ExportedOffer, feedKey: Int64) throws -> Int64? {
    let runs = try firstRuns ?? findFirstRuns()
    firstRuns = runs
    return runs[feedKey].flatMap { $0.startedAt == offer.firstSeenAt ? $0.id : nil }
  }

  private func findFirstRuns() throws -> [Int64: (id: Int64, startedAt: Int64)] {
    try orderRuns(renumbers: false)
    var runs: [Int64: (id: Int64, startedAt: Int64)] = [:]
    try transaction.forEach(
      """
      SELECT feed_key, run_id, started_at FROM imported_run
      WHERE known_id IS NULL AND new_count > 0 AND \(Self.isOfDocument)
        AND NOT EXISTS (
          SELECT 1 FROM sync_run
          WHERE sync_run.feed_key = imported_run.feed_key AND sync_run.new_count > 0)
      ORDER BY feed_key, source = 'sample' DESC, run_id DESC
      """
    ) { row in
      // The last one of each feed stays.
      runs[row.number(0)] = (row.number(1), row.number(2))
    }
    return runs
  }

  /// A condition that a run is not a search on the server of a feed.
  private static let isOfDocument = "source NOT LIKE '%{query}%'"

  // Merging.

  /// Writes the runs and changes that were kept.
  ///
  /// If all of them come after the store's own, they are appended. Otherwise both are sorted by time
  /// and all are renumbered, and the marks of readers adjusted, because queries of changes rely on
  /// their order. On each side the order of runs is kept, also for runs that overlapped or whose clock
  /// jumped.
  ///
  /// - Parameters:
  ///   - renumbers: whether to renumber in any case, because changes belong to runs of the store, or
  ///     because offers are not new any more where the store recorded them as new.
  ///   - order: the numbers after the import.
  func merge(renumbers: Bool, _ order: inout CommitOrder) throws {
    try orderRuns(renumbers: renumbers)
    let hadChanges = try flag("SELECT EXISTS (SELECT 1 FROM change)")
    try collectChanges()
    if isRenumbered { try takeOutChanges() }
    try insertRuns(&order)
    try writeChanges(&order)
    try setFirstRuns()
    if !hadChanges {
      // Readers of an empty history have read everything; they are not notified of years of
      // imported changes.
      try transaction.run("UPDATE reader SET change_id = $1", [.number(order.lastChangeID)])
    }
  }

  private func flag(_ sql: String) throws -> Bool {
    try transaction.first(sql) { $0.flag(0) } ?? false
  }

  /// Gives all new runs their numbers, and the own ones as well if they are renumbered.
  ///
  /// No number is given again: renumbered runs and changes come after all that there were. So nothing
  /// appears behind a cursor; one from before sees the merged history anew.
  private func orderRuns(renumbers: Bool) throws {
    try transaction.run("DELETE FROM run_order")
    try transaction.run(
      """
      INSERT INTO run_order
      SELECT row_number() OVER (ORDER BY at, side, old_id, number), old_id, number FROM (
        SELECT run_id AS old_id, CAST(NULL AS BIGINT) AS number, 1 AS side,
          max(started_at) OVER (ORDER BY run_id) AS at
        FROM sync_run
        UNION ALL
        SELECT NULL, number, 0, max(started_at) OVER (ORDER BY number)
        FROM imported_run WHERE known_id IS NULL
      ) AS both_sides
      """)
    isRenumbered = try renumbers || isMixed()
    if isRenumbered {
      try transaction.run("UPDATE run_order SET run_id = run_id + $1", [.number(order.lastRunID)])
    } else {
      try transaction.run(
        """
        UPDATE run_order SET run_id = coalesce(
          old_id, run_id - (SELECT count(*) FROM sync_run) + $1)
        """, [.number(order.lastRunID)])
    }
    // Together they are all: a run of the document is new, or both sides have it.
    for match in ["number = imported_run.number", "old_id = imported_run.known_id"] {
      try transaction.run(
        """
        UPDATE imported_run SET run_id = run_order.run_id FROM run_order WHERE run_order.\(match)
        """)
    }
  }

  /// Whether an imported run comes before one of the database's own.
  private func isMixed() throws -> Bool {
    try flag(
      """
      SELECT coalesce((SELECT min(run_id) FROM run_order WHERE number IS NOT NULL)
        < (SELECT max(run_id) FROM run_order WHERE old_id IS NOT NULL), false)
      """)
  }

  private func insertRuns(_ order: inout CommitOrder) throws {
    let columns = Self.runColumns.joined(separator: ", ")
    try transaction.run(
      """
      INSERT INTO sync_run (run_id, \(columns)) SELECT run_id, \(columns)
      FROM imported_run WHERE known_id IS NULL ORDER BY run_id
      """)
    let last = try transaction.first("SELECT max(run_id) FROM run_order") { $0.number(0) }
    order.skip(runsThrough: last ?? 0)
  }

  /// The order in which a sync writes the changes of its run; see `DifferenceWriter`.
  private static let rank = """
    CASE kind WHEN 'first' THEN 1 WHEN 'new' THEN 1 WHEN 'gone' THEN 2 ELSE 0 END
    """

  /// Collects the changes to be written in `merged_change`: the imported ones, and the own ones if all
  /// are renumbered, each offer of a first sync with a row of its own.
  private func collectChanges() throws {
    try makeTable(
      "merged_change",
      """
      AS SELECT CAST(NULL AS BIGINT) AS old_id, imported_change.number, imported_change.offer_key,
        imported_run.run_id, imported_change.kind, imported_change.fields
      FROM imported_change JOIN imported_run ON imported_run.number = imported_change.run_number
      """)
    if !isRenumbered { return }
    // An offer that the export saw earlier was not new when this database first saw it.
    try transaction.run(
      """
      INSERT INTO merged_change
      SELECT change.change_id, 0, change.offer_key, run_order.run_id, change.kind, change.fields
      FROM change JOIN run_order ON run_order.old_id = change.run_id
      JOIN offer ON offer.offer_key = change.offer_key
      WHERE change.kind <> 'first' AND NOT (change.kind = 'new' AND EXISTS (
        SELECT 1 FROM seen_earlier WHERE seen_earlier.offer_key = change.offer_key))
      """)
    try transaction.run(
      """
      INSERT INTO merged_change
      SELECT change.change_id, 0, offer.offer_key, run_order.run_id, 'new', NULL
      FROM change JOIN run_order ON run_order.old_id = change.run_id
      JOIN offer ON offer.feed_key = change.feed_key AND offer.first_run_id = change.run_id
      WHERE change.kind = 'first' AND NOT EXISTS (
        SELECT 1 FROM seen_earlier WHERE seen_earlier.offer_key = offer.offer_key)
      """)
  }

  /// Removes the own changes, which are in `merged_change`, and gives the own runs their new numbers.
  private func takeOutChanges() throws {
    try transaction.run("DELETE FROM change")
    try transaction.run(
      """
      UPDATE sync_run SET run_id = run_order.run_id FROM run_order
      WHERE run_order.old_id = sync_run.run_id
      """)
  }

  /// Writes `merged_change`. The changes of the first sync of a feed become one; it is the first run of
  /// the feed that found offers and knew none. The sample does not count for a feed that has another
  /// source.
  private func writeChanges(_ order: inout CommitOrder) throws {
    try makeTable(
      "first_run",
      """
      AS SELECT run_id, new_count FROM sync_run
      WHERE run_id IN (
          SELECT coalesce(min(CASE WHEN source <> 'sample' THEN run_id END), min(run_id))
          FROM sync_run WHERE new_count > 0 AND \(Self.isOfDocument)
          GROUP BY feed_key)
        AND changed_count + back_count + unchanged_count = 0
      """)
    try makeTable(
      "change_order",
      """
      AS SELECT row_number() OVER (ORDER BY run_id, \(Self.rank),
          CASE kind WHEN 'new' THEN offer_key ELSE 0 END, old_id NULLS FIRST, number) AS place,
        merged.*
      FROM (
        SELECT old_id, number, offer_key, run_id, kind, fields, CAST(NULL AS BIGINT) AS offer_count
        FROM merged_change
        WHERE NOT (kind = 'new' AND run_id IN (SELECT first_run.run_id FROM first_run))
        UNION ALL
        SELECT max(old_id), 0, max(offer_key), run_id, 'first', NULL, max(new_count)
        FROM merged_change JOIN first_run USING (run_id) WHERE kind = 'new' GROUP BY run_id
      ) AS merged
      """)
    let last: SQLValue = .number(order.lastChangeID)
    if isRenumbered {
      try transaction.run(
        """
        UPDATE reader SET change_id = $1 + coalesce(
          (SELECT min(place) - 1 FROM change_order WHERE old_id > reader.change_id),
          (SELECT max(place) FROM change_order WHERE old_id IS NOT NULL), 0)
        """, [last])
    }
    let count = try transaction.run(
      """
      INSERT INTO change (
        change_id, run_id, feed_key, offer_key, kind, at, offer_count, fields)
      SELECT $1 + place, run_id, feed_key, offer_key, kind, started_at, offer_count, fields
      FROM change_order JOIN sync_run USING (run_id) ORDER BY place
      """, [last])
    order.skip(changes: Int64(count))
  }

  /// Sets the first sync of the offers whose change it is: of all, or else of the imported ones. Most
  /// are right already; see `guessFirstRun`.
  private func setFirstRuns() throws {
    try transaction.run(
      """
      UPDATE offer SET first_run_id = wanted.run_id FROM (
        SELECT offer.offer_key, change.run_id
        FROM offer LEFT JOIN (
          SELECT offer_key, run_id FROM merged_change
          WHERE kind = 'new' AND run_id IN (SELECT first_run.run_id FROM first_run)
        ) AS change ON change.offer_key = offer.offer_key
        WHERE offer.offer_key > $1 AND offer.first_run_id IS DISTINCT FROM change.run_id
      ) AS wanted
      WHERE wanted.offer_key = offer.offer_key
      """, [.number(isRenumbered ? 0 : order.lastOfferKey)])
  }

  /// The number of the last change of a run of the document and of all runs before it, once the
  /// histories are merged; 0 if there is none.
  func findLastChange(through run: Int) throws -> Int64 {
    try transaction.first(
      """
      SELECT change_id FROM change
      WHERE run_id <= (SELECT run_id FROM imported_run WHERE number = $1)
      ORDER BY change_id DESC LIMIT 1
      """, [.number(Int64(run))]
    ) { $0.number(0) } ?? 0
  }
}
