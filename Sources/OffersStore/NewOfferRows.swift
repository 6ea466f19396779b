import GRDB
import GRDBSQLite
import OffersCore

/// New offers as rows of `new_offer(?1)`, for one statement that inserts them all: one a row begins
/// and ends each time, and looks for the places in the tables anew, which doubles the cost.
///
/// A virtual table that lives as long as the statement: https://sqlite.org/vtab.html
final class NewOfferRows {
  /// The columns, texts first in the order of `OfferField`.
  static let columns =
    DifferenceWriter.textColumns + ["content_hash"] + DifferenceWriter.rewardColumns
  static let pointerType: StaticString = "new offers"

  private let connection: OpaquePointer?
  private let reader: any OfferRecordReader
  private let taken: (OfferRecord, Int64?) throws -> Void
  private var lastKey: Int64 = 0
  /// The row at hand; nil behind the last.
  private var record: OfferRecord?
  /// What went wrong beyond SQLite.
  private(set) var failure: (any Error)?

  /// - Parameters:
  ///   - reader: what gives the rows.
  ///   - taken: told of each row after it was inserted, with its key, or nil where its id was there
  ///     already.
  init(
    _ reader: any OfferRecordReader, in database: Database,
    taken: @escaping (OfferRecord, Int64?) throws -> Void
  ) {
    connection = database.sqliteConnection
    self.reader = reader
    self.taken = taken
  }

  /// Runs a statement that selects from `new_offer(?1)`, unless there are no rows.
  func insert(by sql: String, in database: Database) throws {
    record = try reader.next()
    if record == nil { return }
    NewOfferModule.install(on: connection)
    let statement = try RawStatement(database, sql)
    // No offer has this key. Another table's last row may have the first offer's.
    sqlite3_set_last_insert_rowid(connection, 0)
    try withExtendedLifetime(self) {
      statement.bind(
        1, pointer: Unmanaged.passUnretained(self).toOpaque(), type: Self.pointerType)
      do {
        try statement.run()
      } catch {
        throw failure ?? error
      }
    }
  }

  var isAtEnd: Bool { record == nil }

  /// Goes to the next row. Returns SQLite's code.
  func advance() -> Int32 {
    do {
      guard let inserted = record else { return SQLITE_MISUSE }
      let key = sqlite3_last_insert_rowid(connection)
      try taken(inserted, key == lastKey ? nil : key)
      lastKey = key
      record = try reader.next()
      return SQLITE_OK
    } catch {
      failure = error
      return SQLITE_ERROR
    }
  }

  /// Gives a column's value; without one it is NULL.
  func give(_ column: Int32, to context: OpaquePointer?) {
    guard let record else { return }
    let column = Int(column)
    let first = DifferenceWriter.textColumns.count
    if column < first { return Self.give(record.text(column), to: context) }
    let reward = record.rewardParts
    switch column - first {
    case 0: sqlite3_result_int64(context, Int64(bitPattern: record.contentHash))
    case 1: if reward.kind == OfferRecord.amount { sqlite3_result_int64(context, reward.number) }
    case 2: if reward.kind == OfferRecord.amount { Self.give(reward.currency, to: context) }
    case 3: if reward.kind == OfferRecord.percent { sqlite3_result_int64(context, reward.number) }
    case 4: sqlite3_result_int(context, record.isUpTo ? 1 : 0)
    default: break
    }
  }

  /// A text that stays in place as long as the row does; NULL where there is none.
  private static func give(_ text: UnsafeRawBufferPointer?, to context: OpaquePointer?) {
    guard let text, let start = text.baseAddress else { return }
    sqlite3_result_text(
      context, start.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
  }
}
