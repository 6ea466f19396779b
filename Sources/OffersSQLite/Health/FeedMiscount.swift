import GRDB
import OffersStore

/// A stored number of the offers of a feed that is wrong.
struct FeedMiscount {
  /// The feed.
  let name: String
  /// Whether it is the number of gone offers, not of current ones.
  let isGone: Bool
  let stored: Int
  let counted: Int

  /// Counts the offers of each feed and returns the stored numbers that differ, sorted by feed.
  static func find(in database: Database) throws -> [FeedMiscount] {
    try SQLiteTransaction(database).rows(FeedTable.miscountSQL) { row in
      [
        FeedMiscount(
          name: row.text(0), isGone: false, stored: row.count(1), counted: row.count(3)),
        FeedMiscount(
          name: row.text(0), isGone: true, stored: row.count(2), counted: row.count(4)),
      ]
    }.flatMap { $0 }.filter { $0.stored != $0.counted }
  }

  /// Corrects the stored numbers. Returns those that were wrong.
  @discardableResult
  static func correct(in database: Database) throws -> [FeedMiscount] {
    let wrong = try find(in: database)
    if !wrong.isEmpty { try FeedTable.count(in: SQLiteTransaction(database)) }
    return wrong
  }
}
