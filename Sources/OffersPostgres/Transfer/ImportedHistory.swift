import OffersCore

/// Merges the runs and changes of an export with those of the database, in which they are collected in
/// temporary tables first; see `ImportStore.mergeHistory`.
final class ImportedHistory {
  private let connection: Connection
  /// The numbers before the import.
  private let order: CommitOrder
  private var isRenumbered = false
  /// The probable first sync of each feed that has none here, once all runs are known.
  private var firstRuns: [Int64: (id: Int64, startedAt: Int64)]?
  private var changeCount: Int64 = 0

  private static let countColumns = ExportedRun.countNames.map { "\($0)_count" }
  private static let runColumns =
    [
      "feed_key", "source", "started_at", "duration_milliseconds", "outcome", "bytes",
      "error_code", "error_message", "error_hint",
    ] + countColumns

  init(_ connection: Connection, _ order: CommitOrder) throws {
    self.connection = connection
    self.order = order
    try connection.script(
      """
      CREATE TEMP TABLE imported_run ON COMMIT DROP AS
      SELECT 0::bigint AS number, run_id AS known_id, run_id, \(Self.runColumns.joined(separator: ", "))
      FROM sync_run WITH NO DATA;
      CREATE TEMP TABLE run_order (run_id BIGINT, old_id BIGINT, number BIGINT) ON COMMIT DROP;
      CREATE TEMP TABLE imported_change (
        number BIGINT, run_number BIGINT, offer_key BIGINT, kind TEXT, fields TEXT
      ) ON COMMIT DROP;
      -- For offers that the export saw earlier than this database: the first sighting here.
      CREATE TEMP TABLE seen_earlier (
        offer_key BIGINT PRIMARY KEY, first_seen_at BIGINT
      ) ON COMMIT DROP;
      """)
  }

  func fetchMarks() throws -> [RunMark: Int64] {
    var known: [RunMark: Int64] = [:]
    try connection.forEachRow(
      "known_run",
      """
      SELECT run_id, feed_key, started_at, duration_milliseconds, outcome,
        \(Self.countColumns.joined(separator: ", "))
      FROM sync_run ORDER BY run_id
      """
    ) { row in
      let mark = RunMark(
        feedKey: row.number(1), startedAt: row.number(2), durationMilliseconds: row.number(3),
        outcome: row.text(4), counts: Self.countColumns.indices.map { row.number(5 + $0) })
      known[mark] = row.number(0)
    }
    return known
  }

  func add(_ run: ExportedRun, number: Int, known: Int64?, feedKey: Int64) throws {
    let columns = (["number", "known_id"] + Self.runColumns).joined(separator: ", ")
    let places = (1...Self.runColumns.count + 2).map { "$\($0)" }.joined(separator: ", ")
    try connection.run(
      "INSERT INTO imported_run (\(columns)) VALUES (\(places))",
      [
        .number(Int64(number)), .number(known), .number(feedKey), .text(run.source),
        .number(run.startedAt), .number(run.durationMilliseconds), .text(run.outcome.rawValue),
        .number(run.bytes), .text(run.error?.code), .text(run.error?.message),
        .text(run.error?.hint),
      ] + run.counts.map { .number($0) })
  }

  func note(seenEarlier offers: [(key: Int64, firstSeenHereAt: Int64)]) throws {
    if offers.isEmpty { return }
    try connection.run(
      "INSERT INTO seen_earlier SELECT new.* FROM unnest($1, $2) AS new ON CONFLICT DO NOTHING",
      [.numbers(offers.map(\.key)), .numbers(offers.map(\.firstSeenHereAt))])
  }

  func add(_ changes: [(change: ExportedChange, offerKey: Int64)]) throws {
    if changes.isEmpty { return }
    var fields = ArrayParameter(.text)
    for (change, _) in changes { fields.append(change.fields) }
    let numbers = changes.indices.map { changeCount + Int64($0) + 1 }
    changeCount += Int64(changes.count)
    try connection.run(
      "INSERT INTO imported_change SELECT new.* FROM unnest($1, $2, $3, $4, $5) AS new",
      [
        .numbers(numbers), .numbers(changes.map { Int64($0.change.run) }),
        .numbers(changes.map(\.offerKey)), .texts(changes.map { Self.kind(of: $0.change) }),
        .array(fields),
      ])
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
    let rows = try connection.rows(
      """
      SELECT DISTINCT ON (feed_key) feed_key, run_id, started_at FROM imported_run
      WHERE known_id IS NULL AND new_count > 0 AND position('{query}' IN source) = 0
        AND NOT EXISTS (
          SELECT 1 FROM sync_run
          WHERE sync_run.feed_key = imported_run.feed_key AND sync_run.new_count > 0)
      ORDER BY feed_key, source = 'sample', run_id
      """)
    var runs: [Int64: (id: Int64, startedAt: Int64)] = [:]
    for row in rows.map({ $0 }) { runs[row.number(0)] = (row.number(1), row.number(2)) }
    return runs
  }

  // Merging.

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
      try connection.run("UPDATE reader SET change_id = $1", [.number(order.lastChangeID)])
    }
  }

  private func flag(_ sql: String) throws -> Bool {
    try connection.rows(sql).first?.flag(0) ?? false
  }

  /// Gives all new runs their numbers, and the own ones as well if they are renumbered.
  ///
  /// No number is given again: renumbered runs and changes come after all that there were. So nothing
  /// appears behind a cursor; one from before sees the merged history anew.
  private func orderRuns(renumbers: Bool) throws {
    try connection.script(
      """
      DELETE FROM run_order;
      INSERT INTO run_order
      SELECT row_number() OVER (ORDER BY at, side, old_id, number), old_id, number FROM (
        SELECT run_id AS old_id, NULL::bigint AS number, 1 AS side,
          max(started_at) OVER (ORDER BY run_id) AS at
        FROM sync_run
        UNION ALL
        SELECT NULL, number, 0, max(started_at) OVER (ORDER BY number)
        FROM imported_run WHERE known_id IS NULL
      ) AS both_sides;
      """)
    isRenumbered = try renumbers || isMixed()
    if isRenumbered {
      try connection.run("UPDATE run_order SET run_id = run_id + $1", [.number(order.lastRunID)])
    } else {
      try connection.run(
        """
        UPDATE run_order SET run_id = coalesce(
          old_id, run_id - (SELECT count(*) FROM sync_run) + $1)
        """, [.number(order.lastRunID)])
    }
    // Together they are all: a run of the document is new, or both sides have it.
    try connection.script(
      """
      UPDATE imported_run SET run_id = run_order.run_id FROM run_order
      WHERE run_order.number = imported_run.number;
      UPDATE imported_run SET run_id = run_order.run_id FROM run_order
      WHERE run_order.old_id = imported_run.known_id;
      """)
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
    try connection.run(
      """
      INSERT INTO sync_run (run_id, \(columns)) SELECT run_id, \(columns)
      FROM imported_run WHERE known_id IS NULL ORDER BY run_id
      """)
    let last = try connection.rows("SELECT coalesce(max(run_id), 0) FROM run_order").first
    order.skip(runsThrough: last?.number(0) ?? 0)
  }

  /// The order in which a sync writes the changes of its run; see `DifferenceWriter`.
  private static let rank = """
    CASE kind WHEN 'first' THEN 1 WHEN 'new' THEN 1 WHEN 'gone' THEN 2 ELSE 0 END
    """

  /// Collects the changes to be written in `merged_change`: the imported ones, and the own ones if all
  /// are renumbered, each offer of a first sync with a row of its own.
  private func collectChanges() throws {
    try connection.script(
      """
      CREATE TEMP TABLE merged_change ON COMMIT DROP AS
      SELECT NULL::bigint AS old_id, imported_change.number, imported_change.offer_key,
        imported_run.run_id, imported_change.kind, imported_change.fields
      FROM imported_change JOIN imported_run ON imported_run.number = imported_change.run_number
      """)
    if !isRenumbered { return }
    try connection.script(
      """
      -- An offer that the export saw earlier was not new when this database first saw it.
      INSERT INTO merged_change
      SELECT change.change_id, 0, change.offer_key, run_order.run_id, change.kind, change.fields
      FROM change JOIN run_order ON run_order.old_id = change.run_id
      JOIN offer ON offer.offer_key = change.offer_key
      WHERE change.kind <> 'first' AND NOT (change.kind = 'new' AND EXISTS (
        SELECT 1 FROM seen_earlier WHERE seen_earlier.offer_key = change.offer_key));
      INSERT INTO merged_change
      SELECT change.change_id, 0, offer.offer_key, run_order.run_id, 'new', NULL
      FROM change JOIN run_order ON run_order.old_id = change.run_id
      JOIN offer ON offer.feed_key = change.feed_key AND offer.first_run_id = change.run_id
      WHERE change.kind = 'first' AND NOT EXISTS (
        SELECT 1 FROM seen_earlier WHERE seen_earlier.offer_key = offer.offer_key);
      """)
  }

  /// Removes the own changes, which are in `merged_change`, and gives the own runs their new numbers.
  private func takeOutChanges() throws {
    try connection.script(
      """
      DELETE FROM change;
      UPDATE sync_run SET run_id = run_order.run_id FROM run_order
      WHERE run_order.old_id = sync_run.run_id;
      """)
  }

  /// Writes `merged_change`. The changes of the first sync of a feed become one; it is the first run of
  /// the feed that found offers and knew none. The sample does not count for a feed that has another
  /// source.
  private func writeChanges(_ order: inout CommitOrder) throws {
    try connection.script(
      """
      CREATE TEMP TABLE first_run ON COMMIT DROP AS
      SELECT run_id, new_count FROM sync_run
      WHERE run_id IN (
          SELECT coalesce(min(CASE WHEN source <> 'sample' THEN run_id END), min(run_id))
          FROM sync_run WHERE new_count > 0 AND position('{query}' IN source) = 0
          GROUP BY feed_key)
        AND changed_count + back_count + unchanged_count = 0;
      CREATE TEMP TABLE change_order ON COMMIT DROP AS
      SELECT row_number() OVER (ORDER BY run_id, \(Self.rank),
          CASE kind WHEN 'new' THEN offer_key ELSE 0 END, old_id NULLS FIRST, number) AS place,
        merged.*
      FROM (
        SELECT old_id, number, offer_key, run_id, kind, fields, NULL::bigint AS offer_count
        FROM merged_change
        WHERE NOT (kind = 'new' AND run_id IN (SELECT first_run.run_id FROM first_run))
        UNION ALL
        SELECT max(old_id), 0, max(offer_key), run_id, 'first', NULL, max(new_count)
        FROM merged_change JOIN first_run USING (run_id) WHERE kind = 'new' GROUP BY run_id
      ) AS merged;
      """)
    let last: Parameter = .number(order.lastChangeID)
    if isRenumbered {
      try connection.run(
        """
        UPDATE reader SET change_id = $1 + coalesce(
          (SELECT min(place) - 1 FROM change_order WHERE old_id > reader.change_id),
          (SELECT max(place) FROM change_order WHERE old_id IS NOT NULL), 0)
        """, [last])
    }
    let count = try connection.run(
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
    try connection.run(
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
    try connection.rows(
      """
      SELECT change_id FROM change
      WHERE run_id <= (SELECT run_id FROM imported_run WHERE number = $1)
      ORDER BY change_id DESC LIMIT 1
      """, [.number(Int64(run))]
    ).first?.number(0) ?? 0
  }
}
