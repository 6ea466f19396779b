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
