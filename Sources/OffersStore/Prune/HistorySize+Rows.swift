import OffersCore

extension HistorySize {
  /// The number of changes that are read for the estimate.
  private static let sampleCount = 1000

  /// Counts the changes, and estimates their size from the newest.
  package init(in transaction: any Transaction) throws {
    let measure = transaction.dialect.historyMeasure
    let count = try transaction.first(measure.count) { $0.count(0) } ?? 0
    let sample = try transaction.first(
      """
      SELECT CAST(coalesce(sum(\(measure.fieldBytes)), 0) AS BIGINT), count(*) FROM (
        SELECT fields FROM change ORDER BY change_id DESC LIMIT \(Self.sampleCount)) AS newest
      """
    ) { (bytes: $0.count(0), rows: $0.count(1)) }
    let average = sample.map { $0.rows == 0 ? 0 : Double($0.bytes) / Double($0.rows) } ?? 0
    let bytes = Double(count) * (average + Double(measure.rowBytes))
    self.init(
      count: count, bytes: Int(clamped: bytes), limit: Int(HistoryLimit.standard.count),
      maximumBytes: HistoryLimit.standard.bytes)
  }
}

/// The SQL that measures the recorded changes in an engine.
package struct HistoryMeasure: Sendable {
  /// A query for a size that the changes do not exceed, in bytes.
  let mostBytes: String
  /// A query for the number of the changes.
  let count: String
  /// The size of the column `fields`, in bytes; NULL for NULL.
  let fieldBytes: String
  /// The size of a row without its fields, and of its entries in the indexes, in bytes.
  let rowBytes: Int

  /// The whole file counts, also its free pages.
  static let sqlite = HistoryMeasure(
    mostBytes: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    count: "SELECT count(*) FROM change", fieldBytes: "length(CAST(fields AS BLOB))",
    rowBytes: 50)

  /// The server has an estimate of the number of rows, which is good enough for many.
  static let postgres = HistoryMeasure(
    mostBytes: "SELECT pg_total_relation_size('change')",
    count: """
      SELECT CASE WHEN reltuples >= 100000 THEN CAST(reltuples AS BIGINT)
        ELSE (SELECT count(*) FROM change) END
      FROM pg_class WHERE oid = 'change'::regclass
      """, fieldBytes: "octet_length(fields)", rowBytes: 160)
}
