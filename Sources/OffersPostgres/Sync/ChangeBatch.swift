import OffersCore

/// Changes to be recorded by one statement.
struct ChangeBatch {
  private var ids = ArrayParameter(.int8)
  private var keys = ArrayParameter(.int8)
  private var kinds = ArrayParameter(.text)
  private var counts = ArrayParameter(.int8)
  private var fields = ArrayParameter(.text)

  mutating func append(
    _ kind: OfferChange.Kind, _ key: Int64, id: Int64, offerCount: Int? = nil,
    fields text: String? = nil
  ) {
    ids.append(id)
    keys.append(key)
    kinds.append(kind.rawValue)
    counts.append(offerCount.map(Int64.init))
    fields.append(text)
  }

  var isFull: Bool { ids.count >= 5000 || fields.byteCount > 1 << 20 }

  /// Inserts the changes and empties the batch.
  mutating func insert(
    runID: Int64, feedKey: Int64, at time: Int64, in connection: Connection
  ) throws {
    if ids.count == 0 { return }
    try connection.run(
      """
      INSERT INTO change (run_id, feed_key, at, change_id, offer_key, kind, offer_count, fields)
      SELECT $1, $2, $3, new.* FROM unnest($4, $5, $6, $7, $8) AS new
      """,
      [
        .number(runID), .number(feedKey), .number(time), .array(ids), .array(keys), .array(kinds),
        .array(counts), .array(fields),
      ])
    self = ChangeBatch()
  }
}
