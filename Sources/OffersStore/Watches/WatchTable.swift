import Foundation
import OffersCore

/// The SQL for watches and for what they remember of offers.
package enum WatchTable {
  /// A watch as it is stored, whose texts are parsed only when it may concern an offer.
  struct Row: Sendable {
    let watch: Watch
    let user: User.ID
    /// See `SearchWords.firstWords`.
    let firstWords: String?
  }

  /// The most watches of a user.
  static let limit = 200

  private static let columns = """
    watch_key, name, selection, rule, repeats, is_urgent, created_at, paused_at, user_key, first_words
    """

  private static func row(_ row: any SQLRow, _ reader: any FilterTextReader) -> Row? {
    // A rule of a newer program is passed over.
    guard let rule = try? WatchRule(parsing: row.text(3), reader) else { return nil }
    let watch = Watch(
      id: row.number(0), name: row.findText(1), selection: row.text(2), rule: rule,
      repeats: Watch.Repeat(rawValue: row.text(4)) ?? .onEntry, isUrgent: row.flag(5),
      createdAt: row.date(6), pausedAt: row.findDate(7))
    return Row(watch: watch, user: row.number(8), firstWords: row.findText(9))
  }

  /// The watches of a user in the order in which they were added.
  static func list(
    of user: User.ID, _ reader: any FilterTextReader, in transaction: any Transaction
  ) throws -> [Watch] {
    try transaction.rows(
      "SELECT \(columns) FROM watch WHERE user_key = $1 ORDER BY watch_key", [.number(user)]
    ) { row($0, reader)?.watch }.compactMap(\.self)
  }

  /// A watch of a user.
  ///
  /// - Throws: `OffersError` with `notFound`.
  static func fetch(
    _ id: Watch.ID, of user: User.ID, _ reader: any FilterTextReader,
    in transaction: any Transaction
  ) throws -> Watch {
    let found = try transaction.first(
      "SELECT \(columns) FROM watch WHERE user_key = $1 AND watch_key = $2",
      [.number(user), .number(id)]
    ) { row($0, reader)?.watch }
    guard let watch = found.flatMap(\.self) else {
      throw missing(id)
    }
    return watch
  }

  static func missing(_ id: Watch.ID) -> OffersError {
    OffersError(
      .notFound, "There is no watch \(id).", hint: Hint("List them.", command: "offers watch list"))
  }

  /// Whether any watch is evaluated after a sync.
  static func isAny(in transaction: any Transaction) throws -> Bool {
    try transaction.exists("SELECT 1 FROM watch WHERE paused_at IS NULL LIMIT 1")
  }

  /// The watches of all users that are not paused and that may concern some offers: by their first words, or because
  /// they remember one of them.
  ///
  /// - Returns: the watches with the places of the offers in the batch, ascending.
  static func concerned(
    with batch: OfferBatch, remembered: [Int64: Set<Int>], _ reader: any FilterTextReader,
    in transaction: any Transaction
  ) throws -> [(row: Row, places: [Int])] {
    var found: [(row: Row, places: [Int])] = []
    try transaction.forEach(
      "SELECT \(columns) FROM watch WHERE paused_at IS NULL ORDER BY watch_key"
    ) { stored in
      var places = batch.places(with: stored.findText(9))
      if let others = remembered[stored.number(0)] {
        places = others.union(places).sorted()
      }
      if places.isEmpty { return }
      if let row = row(stored, reader) { found.append((row, places)) }
    }
    return found
  }

  /// The watches of all users that are not paused and whose offers may enter as time passes.
  static func timed(
    _ reader: any FilterTextReader, in transaction: any Transaction
  ) throws -> [Row] {
    try transaction.rows(
      "SELECT \(columns) FROM watch WHERE paused_at IS NULL AND is_timed ORDER BY watch_key"
    ) { row($0, reader) }.compactMap(\.self)
  }

  /// Some watches that are not paused.
  static func rows(
    of keys: [Int64], _ reader: any FilterTextReader, in transaction: any Transaction
  ) throws -> [Row] {
    try transaction.rows(
      """
      SELECT \(columns) FROM watch
      WHERE paused_at IS NULL AND \(transaction.dialect.isElement("watch_key", of: "$1"))
      ORDER BY watch_key
      """, [.numbers(keys)]
    ) { row($0, reader) }.compactMap(\.self)
  }

  /// Inserts a watch, or replaces its texts if it has an id.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for more than `limit` watches.
  static func put(
    _ draft: WatchDraft, id: Watch.ID?, of user: User.ID, at now: Date,
    in transaction: any Transaction
  ) throws -> Watch.ID {
    let values: [SQLValue] = [
      .number(user), .text(draft.name), .text(draft.selection.description),
      .text(try SearchWords(draft.selection.words).firstWords), .text(draft.rule.text),
      .text(draft.repeats.rawValue), .flag(draft.isUrgent), .flag(draft.isTimed),
    ]
    let same = try transaction.first(
      """
      SELECT watch_key FROM watch
      WHERE user_key = $1 AND selection = $2 AND rule = $3 AND repeats = $4
        AND ($5 IS NULL OR watch_key <> $5)
      LIMIT 1
      """,
      [
        .number(user), .text(draft.selection.description), .text(draft.rule.text),
        .text(draft.repeats.rawValue), .number(id),
      ]
    ) { $0.number(0) }
    if let same {
      throw OffersError(
        .invalidRequest, "Watch \(same) has this selection and rule already.",
        hint: Hint("Change it.", command: "offers watch edit \(same)"))
    }
    if let id {
      try transaction.run(
        """
        UPDATE watch SET name = $2, selection = $3, first_words = $4, rule = $5, repeats = $6,
          is_urgent = $7, is_timed = $8
        WHERE user_key = $1 AND watch_key = $9
        """, values + [.number(id)])
      return id
    }
    let count = try transaction.first(
      "SELECT count(*) FROM watch WHERE user_key = $1", [.number(user)]
    ) { $0.count(0) }
    if count ?? 0 >= limit {
      throw OffersError(
        .invalidRequest, "A user has at most \(limit) watches.",
        hint: Hint("Remove one.", command: "offers watch remove NUMBER"))
    }
    return try transaction.first(
      """
      INSERT INTO watch (user_key, name, selection, first_words, rule, repeats, is_urgent, is_timed,
        created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING watch_key
      """, values + [.date(now)]
    ) { $0.number(0) } ?? 0
  }

  /// The watches of a user for an export, also those of a newer program.
  static func exported(
    of user: User.ID, in transaction: any Transaction
  ) throws -> [ExportedUser.SavedWatch] {
    try transaction.rows(
      """
      SELECT name, selection, rule, repeats, is_urgent, created_at, paused_at FROM watch
      WHERE user_key = $1 ORDER BY watch_key
      """, [.number(user)]
    ) { row in
      ExportedUser.SavedWatch(
        name: row.findText(0), selection: row.text(1), rule: row.text(2),
        repeats: Watch.Repeat(rawValue: row.text(3)) ?? .onEntry, isUrgent: row.flag(4),
        createdAt: row.number(5), pausedAt: row.findNumber(6))
    }
  }

  /// Inserts a watch of an export, unless the user has one with the same texts, or as many as a user may have.
  ///
  /// - Returns: its number; nil if it was left.
  static func insert(
    _ watch: ExportedUser.SavedWatch, of user: User.ID, in transaction: any Transaction
  ) throws -> Watch.ID? {
    let selection = try SelectionText(parsing: watch.selection)
    return try transaction.first(
      """
      INSERT INTO watch (user_key, name, selection, first_words, rule, repeats, is_urgent, is_timed,
        created_at, paused_at)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
      WHERE NOT EXISTS (SELECT 1 FROM watch
          WHERE user_key = $1 AND selection = $3 AND rule = $5 AND repeats = $6)
        AND (SELECT count(*) FROM watch WHERE user_key = $1) < \(limit)
      RETURNING watch_key
      """,
      [
        .number(user), .text(watch.name), .text(watch.selection),
        .text(try SearchWords(selection.words).firstWords), .text(watch.rule),
        .text(watch.repeats.rawValue), .flag(watch.isUrgent),
        .flag(WatchDraft.isTimed(selection, watch.rule)), .number(watch.createdAt),
        .number(watch.pausedAt),
      ]
    ) { $0.number(0) }
  }

  /// Pauses a watch, or ends the pause for nil.
  static func setPaused(
    _ id: Watch.ID, at time: Date?, of user: User.ID, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "UPDATE watch SET paused_at = $3 WHERE user_key = $1 AND watch_key = $2",
      [.number(user), .number(id), .date(time)])
    try forget(id, in: transaction)
  }

  /// Removes a watch. Its notices stay.
  ///
  /// - Returns: whether there was one.
  static func remove(
    _ id: Watch.ID, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.run(
      "DELETE FROM watch WHERE user_key = $1 AND watch_key = $2", [.number(user), .number(id)]) > 0
  }

  /// Removes what a watch remembers of offers.
  static func forget(_ id: Watch.ID, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM watch_state WHERE watch_key = $1", [.number(id)])
  }
}

/// The SQL for what watches remember of offers.
enum WatchStateTable {
  /// A watch and an offer.
  struct Key: Hashable, Sendable {
    let offer: Int64
    let watch: Int64
  }

  /// What watches remember of some offers. A text that is no state is passed over, so that the watch begins anew.
  ///
  /// - Parameters:
  ///   - offers: the keys of the offers.
  ///   - watch: the watch; nil for all.
  ///   - transaction: runs the statement.
  static func states(
    of offers: [Int64], _ watch: Watch.ID? = nil, in transaction: any Transaction
  ) throws -> [Key: WatchState] {
    var found: [Key: WatchState] = [:]
    try transaction.forEach(
      """
      SELECT offer_key, watch_key, state FROM watch_state
      WHERE \(transaction.dialect.isElement("offer_key", of: "$1"))
        AND ($2 IS NULL OR watch_key = $2)
      """, [.numbers(offers), .number(watch)], fetchedCount: 2000
    ) { row in
      found[Key(offer: row.number(0), watch: row.number(1))] = WatchState(parsing: row.text(2))
    }
    return found
  }

  private static let remindedSource = """
    watch_state JOIN watch ON watch.watch_key = watch_state.watch_key
    JOIN offer ON offer.offer_key = watch_state.offer_key
    JOIN feed ON feed.feed_key = offer.feed_key
    """
  private static let isReminded = "watch.paused_at IS NULL AND feed.unsubscribed_at IS NULL"

  /// The offers of which watches must tell again, and the watches, the first due first.
  static func due(
    at now: Date, limit: Int, in transaction: any Transaction
  ) throws -> [Key] {
    try transaction.rows(
      """
      SELECT watch_state.offer_key, watch_state.watch_key
      FROM \(remindedSource)
      WHERE watch_state.remind_at <= $1 AND \(isReminded)
      ORDER BY watch_state.remind_at, watch_state.offer_key, watch_state.watch_key LIMIT $2
      """, [.date(now), .count(limit)]
    ) { Key(offer: $0.number(0), watch: $0.number(1)) }
  }

  /// The time at which the first watch must tell again of an offer; nil if none must.
  static func nextDueTime(in transaction: any Transaction) throws -> Date? {
    try transaction.first(
      """
      SELECT min(watch_state.remind_at)
      FROM \(remindedSource)
      WHERE watch_state.remind_at IS NOT NULL AND \(isReminded)
      """
    ) { $0.findDate(0) } ?? nil
  }

  /// Replaces states; nil deletes one. Of several for the same watch and offer, the last one counts.
  static func put(
    _ states: [(key: Key, state: WatchState?, remindAt: Date?)], in transaction: any Transaction
  ) throws {
    var last: [Key: Int] = [:]
    for (place, state) in states.enumerated() { last[state.key] = place }
    let wanted = last.values.sorted().map { states[$0] }
    for start in stride(from: 0, to: wanted.count, by: 5000) {
      try putPiece(Array(wanted[start..<min(start + 5000, wanted.count)]), in: transaction)
    }
  }

  private static func putPiece(
    _ states: [(key: Key, state: WatchState?, remindAt: Date?)], in transaction: any Transaction
  ) throws {
    let dialect = transaction.dialect
    let gone = states.filter { $0.state == nil }
    if !gone.isEmpty {
      let old = dialect.table(
        [
          "offer_key": .numbers(gone.map(\.key.offer)),
          "watch_key": .numbers(gone.map(\.key.watch)),
        ], as: "old", first: 1)
      try transaction.run(
        """
        DELETE FROM watch_state WHERE EXISTS (SELECT 1 FROM \(old.sql)
          WHERE old.offer_key = watch_state.offer_key AND old.watch_key = watch_state.watch_key)
        """, old.values)
    }
    let kept = states.filter { $0.state != nil }
    if kept.isEmpty { return }
    let new = dialect.table(
      [
        "offer_key": .numbers(kept.map(\.key.offer)), "watch_key": .numbers(kept.map(\.key.watch)),
        "state": .texts(kept.map { $0.state?.text }),
        "remind_at": .numbers(kept.map { $0.remindAt?.storedSeconds }),
      ], as: "new", first: 1)
    // A watch may have been removed since it was read.
    try transaction.run(
      """
      INSERT INTO watch_state (offer_key, watch_key, state, remind_at)
      SELECT new.offer_key, new.watch_key, new.state, new.remind_at FROM \(new.sql)
      WHERE EXISTS (SELECT 1 FROM watch
        WHERE watch.watch_key = new.watch_key \(dialect.forKeyShare))
      ON CONFLICT (offer_key, watch_key) DO UPDATE SET
        state = excluded.state, remind_at = excluded.remind_at
      """, new.values)
  }
}
