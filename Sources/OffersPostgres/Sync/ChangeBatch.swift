import OffersCore
import OffersStore

/// Changes to be recorded by one statement.
struct ChangeBatch {
  private var ids = ArrayParameter(.int8)
  private var runs = ArrayParameter(.int8)
  private var feeds = ArrayParameter(.int8)
  private var times = ArrayParameter(.int8)
  private var keys = ArrayParameter(.int8)
  private var kinds = ArrayParameter(.text)
  private var counts = ArrayParameter(.int8)
  private var fields = ArrayParameter(.text)

  mutating func append(_ change: RecordedChange) {
    ids.append(change.id)
    runs.append(change.runID)
    feeds.append(change.feedKey)
    times.append(change.at)
    keys.append(change.offerKey)
    kinds.append(change.kind.rawValue)
    counts.append(change.offerCount.map(Int64.init))
    fields.append(change.fields)
  }

  var isFull: Bool { ids.count >= 5000 || fields.byteCount > 1 << 20 }

  /// Inserts the changes and empties the batch.
  mutating func insert(in connection: Connection) throws {
    if ids.count == 0 { return }
    try connection.run(
      """
      INSERT INTO change (change_id, run_id, feed_key, at, offer_key, kind, offer_count, fields)
      SELECT new.* FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS new
      """,
      [
        .array(ids), .array(runs), .array(feeds), .array(times), .array(keys), .array(kinds),
        .array(counts), .array(fields),
      ])
    self = ChangeBatch()
  }
}
