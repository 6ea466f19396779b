import GRDB
import GRDBSQLite
import OffersCore

/// New offers as rows, for one statement that inserts them all: one a row begins and ends each time,
/// and looks for the places in the tables anew, which doubles the cost.
final class NewOfferRows: VirtualRows {
  /// The columns, texts first in the order of `OfferField`.
  static let table = VirtualTable(
    name: "new_offer",
    columns: DifferenceWriter.textColumns + ["content_hash"] + DifferenceWriter.rewardColumns)

  private let connection: OpaquePointer?
  private let reader: any OfferRecordReader
  private let taken: (OfferRecord, Int64?) throws -> Void
  private var lastKey: Int64 = 0
  private var insertedCount = 0
  /// The row at hand; nil behind the last.
  private var record: OfferRecord?
  /// - Parameters:
  ///   - reader: what gives the rows.
  ///   - taken: told of each row after it was inserted, with its key, or nil where its id was there
  ///     already.
  init(
    _ reader: any OfferRecordReader, in database: Database,
    taken: @escaping (OfferRecord, Int64?) throws -> Void
  ) throws {
    connection = database.sqliteConnection
    self.reader = reader
    self.taken = taken
    super.init(of: Self.table)
    try goOn()
  }

  private func goOn() throws {
    record = try reader.next()
    guard let record else { return }
    let cells = cells
    let textCount = DifferenceWriter.textColumns.count
    record.forEachText(of: textCount) { cells[$0] = Cell($1) }
    let reward = record.rewardParts
    let isAmount = reward.kind == OfferRecord.amount
    let isPercent = reward.kind == OfferRecord.percent
    cells[textCount] = .integer(Int64(bitPattern: record.contentHash))
    cells[textCount + 1] = isAmount ? .integer(reward.number) : .null
    cells[textCount + 2] = isAmount ? .text(reward.currency) : .null
    cells[textCount + 3] = isPercent ? .integer(reward.number) : .null
    cells[textCount + 4] = .integer(record.isUpTo ? 1 : 0)
  }

  /// Runs a statement that inserts what it selects from `new_offer(?1)`.
  func insert(by statement: VirtualTable.Statement) throws {
    // No offer has this key. Another table's last row may have the first offer's.
    sqlite3_set_last_insert_rowid(connection, 0)
    // SQLite inserts each row before it asks for the next one, as long as nothing else is read.
    guard try statement.run(over: self) == insertedCount else {
      throw DatabaseError(
        resultCode: .SQLITE_INTERNAL, message: "the new offers were not inserted one by one")
    }
  }

  override var isAtEnd: Bool { record == nil }

  override func advance() throws {
    if let inserted = record {
      let key = sqlite3_last_insert_rowid(connection)
      let isInserted = key != lastKey
      if isInserted { insertedCount += 1 }
      lastKey = key
      try taken(inserted, isInserted ? key : nil)
      // What was written meanwhile has keys of its own.
      sqlite3_set_last_insert_rowid(connection, key)
    }
    try goOn()
  }
}
