import GRDB
import GRDBSQLite
import OffersCore

/// The SQL for what is remembered of the records of feeds' documents.
enum RecordMemoryTable {
  /// How many records stand in a piece. A piece that stays the same is not written again.
  static let pieceRecords = 8192

  static func fetch(feedKey: Int64, in database: Database) throws -> [RememberedRecord] {
    let rows = try RawStatement(
      database,
      """
      SELECT memory.records, (
        SELECT hashes FROM record_memory_values AS own
        WHERE own.feed_key = memory.feed_key AND own.piece = memory.piece)
      FROM record_memory AS memory WHERE feed_key = \(feedKey) ORDER BY piece
      """)
    defer { rows.reset() }
    var records: [RememberedRecord] = []
    // Most feeds have none.
    guard try rows.step() else { return [] }
    records.reserveCapacity(try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database))
    return try database.scanning {
      repeat {
        rows.withBytes(0) { bytes in
          rows.withBytes(1) { append(bytes, hashes: $0, to: &records) }
        }
      } while try rows.step()
      return records
    }
  }

  /// Adds a piece's records. Where the hashes are not those of the piece, their values are unknown.
  private static func append(
    _ bytes: UnsafeRawBufferPointer, hashes: UnsafeRawBufferPointer,
    to records: inout [RememberedRecord]
  ) {
    let size = RememberedRecord.storedBytes
    guard let base = bytes.baseAddress else { return }
    let count = bytes.count / size
    let areTheirs = hashes.count == 8 * count
    for number in 0..<count {
      let hash =
        areTheirs ? hashes.loadUnaligned(fromByteOffset: 8 * number, as: UInt64.self) : 0
      records.append(
        RememberedRecord(stored: base + number * size, valueHash: UInt64(littleEndian: hash)))
    }
  }
}

/// Writes what is remembered of a document while its new offers are inserted in its order.
final class RecordMemoryWriter {
  private let draft: RecordMemoryDraft
  private let database: Database
  private let feedKey: Int64
  private let replace: RawStatement
  private let replaceHashes: RawStatement
  /// The draft's next part, and how many new records come before it.
  private var place = 0
  private var newCount = 0
  private var piece: [RememberedRecord] = []
  private var pieceCount = 0

  init(_ draft: RecordMemoryDraft, feedKey: Int64, in database: Database) throws {
    self.draft = draft
    self.database = database
    self.feedKey = feedKey
    piece.reserveCapacity(RecordMemoryTable.pieceRecords)
    replace = try RawStatement(
      database,
      "INSERT OR REPLACE INTO record_memory (feed_key, piece, records) VALUES (\(feedKey), ?1, ?2)")
    replaceHashes = try RawStatement(
      database,
      """
      INSERT OR REPLACE INTO record_memory_values (feed_key, piece, hashes)
      VALUES (\(feedKey), ?1, ?2)
      """)
  }

  /// Takes the record of the next new offer; one that is worth nothing where it was not inserted.
  func appendNew(_ record: RememberedRecord) throws {
    if newCount == 0 { try passKnown() }
    if record.byteCount > 0 { try append(record) }
    if newCount > 0 { newCount -= 1 }
  }

  /// Writes what is left. All new offers were taken.
  func finish() throws {
    try passKnown()
    try flush()
    for table in ["record_memory", "record_memory_values"] {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE feed_key = ? AND piece >= ?",
        arguments: [feedKey, pieceCount])
    }
  }

  private func passKnown() throws {
    while newCount == 0, place < draft.count {
      switch draft[place] {
      case .known(let record): try append(record)
      case .new(let count): newCount = count
      }
      place += 1
    }
  }

  private func append(_ record: RememberedRecord) throws {
    piece.append(record)
    if piece.count == RecordMemoryTable.pieceRecords { try flush() }
  }

  private func flush() throws {
    if piece.isEmpty { return }
    defer {
      pieceCount += 1
      piece.removeAll(keepingCapacity: true)
    }
    let old = draft.old.dropFirst(pieceCount * RecordMemoryTable.pieceRecords)
      .prefix(RecordMemoryTable.pieceRecords)
    if old.elementsEqual(piece) { return }
    let size = RememberedRecord.storedBytes
    try withUnsafeTemporaryAllocation(byteCount: piece.count * size, alignment: 8) { bytes in
      guard let base = bytes.baseAddress else { return }
      for (number, record) in piece.enumerated() {
        record.store(to: base + number * size)
      }
      try run(replace, UnsafeRawBufferPointer(bytes))
    }
    try piece.map { $0.valueHash.littleEndian }.withUnsafeBytes { try run(replaceHashes, $0) }
  }

  private func run(_ statement: RawStatement, _ bytes: UnsafeRawBufferPointer) throws {
    statement.bind(1, Int64(pieceCount))
    statement.bind(2, bytes: bytes)
    try statement.run()
  }
}
