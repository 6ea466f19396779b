import GRDB
import OffersStore

/// A feed whose stored numbers of offers are wrong.
struct FeedMiscount {
  let name: String
  /// The numbers of current and of gone offers.
  let stored: (current: Int, gone: Int)
  let counted: (current: Int, gone: Int)

  /// Counts the offers of each feed and returns the feeds whose stored numbers differ, sorted by name.
  static func find(in database: Database) throws -> [FeedMiscount] {
    try SQLiteTransaction(database).rows(FeedTable.miscountSQL) { row in
      FeedMiscount(
        name: row.text(0), stored: (row.count(1), row.count(2)),
        counted: (row.count(3), row.count(4)))
    }
  }

  /// Corrects the stored numbers. Returns the feeds whose numbers were wrong.
  @discardableResult
  static func correct(in database: Database) throws -> [FeedMiscount] {
    let wrong = try find(in: database)
    if !wrong.isEmpty { try FeedTable.count(in: SQLiteTransaction(database)) }
    return wrong
  }
}
