import GRDB
import OffersCore

extension HistoryLimit {
  /// The number up to which changes are surplus; nil while there are few enough, or if all older
  /// ones concern favorites.
  func findSurplus(in database: Database) throws -> Int64? {
    let last = try ChangeTable.fetchLastID(in: database)
    let count = try findCount(in: database)
    // Most databases end here.
    guard last > count else { return nil }
    let spans = try Self.spans(in: database)
    // The rows before the first removable one are those of favorites, which are scanned.
    guard let surplus = Self.cut(keeping: count, before: last, spans),
      try PruneTable.hasRemovable(through: surplus, in: database)
    else { return nil }
    // An eighth less is left, so that not every sync removes some.
    return Self.cut(keeping: Self.left(of: count), before: last, spans)
  }

  /// The number of changes to keep: `count`, or fewer if they are large. The size is estimated only
  /// if the whole file is larger than the bound.
  private func findCount(in database: Database) throws -> Int64 {
    let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
    let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
    guard pages.multiplied(clamped: pageBytes) > bytes else { return count }
    return self.count(for: try HistorySize(in: database))
  }

  /// The numbers of changes and offers of the rows that stand for several offers, newest first.
  /// There are few, one for each feed.
  private static func spans(in database: Database) throws -> [(id: Int64, offerCount: Int64)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT change_id, offer_count FROM new_offers WHERE \(ChangeSpan.isPossible)
        ORDER BY change_id DESC
        """
    ).map { ($0[0], $0[1]) }
  }

  /// The number that is followed by `count` numbers, of which those that share a row count once; nil
  /// if there are fewer.
  private static func cut(
    keeping count: Int64, before last: Int64, _ spans: [(id: Int64, offerCount: Int64)]
  ) -> Int64? {
    var cut = last.subtracting(clamped: count)
    for span in spans where span.id > cut {
      cut = cut.subtracting(clamped: span.offerCount.subtracting(clamped: 1))
    }
    return cut > 0 ? cut : nil
  }
}

extension HistorySize {
  /// The number of rows that are read for the estimate.
  private static let sampleCount = 1000
  /// The size of a row without its fields, and of its entries in the index, as SQLite stores them.
  private static let rowBytes = 40

  /// Counts the rows, and estimates their size from a sample.
  init(in database: Database) throws {
    let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM change") ?? 0
    let last = try ChangeTable.fetchLastID(in: database)
    let step = max(1, last / Int64(Self.sampleCount))
    let statement = try database.cachedStatement(
      sql: """
        SELECT length(CAST(coalesce(fields, '') AS BLOB)) FROM change WHERE change_id >= ?
        ORDER BY change_id LIMIT 1
        """)
    var (rows, bytes) = (0, 0)
    for id in stride(from: 1, through: last, by: Int64.Stride(step)) {
      guard let size = try Int.fetchOne(statement, arguments: [id]) else { break }
      rows += 1
      bytes = bytes.adding(clamped: size + Self.rowBytes)
    }
    self.init(
      count: count,
      bytes: rows == 0 ? 0 : Int(clamped: Double(bytes) / Double(rows) * Double(count)),
      limit: Int(HistoryLimit.standard.count), maximumBytes: HistoryLimit.standard.bytes)
  }
}
