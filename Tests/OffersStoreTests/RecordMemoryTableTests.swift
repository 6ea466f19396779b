import GRDB
import OffersCore
import Testing

@testable import OffersStore

@Suite("What is remembered of a feed's records")
struct RecordMemoryTableTests {
  private static func record(_ number: Int, key: Int64) -> RememberedRecord {
    RememberedRecord(
      hash: UInt64(number) << 40, valueHash: UInt64(number) << 30, startHash: UInt32(number),
      byteCount: 300,
      contentMark: UInt32(number) << 4, key: UInt32(key))
  }

  /// Writes a document whose records are given by their keys; negative ones are new and get theirs
  /// turned round, 0 is a new one that was not taken. Returns how many pieces were written.
  private static func write(_ keys: [Int64], to store: Store) async throws -> Int {
    try await store.database.write { database in
      let old = try RecordMemoryTable.fetch(feedKey: 1, in: database)
      var draft = RecordMemoryDraft(old: old)
      for (number, key) in keys.enumerated() {
        if key > 0 { draft.append(record(number, key: key)) } else { draft.appendNew() }
      }
      let before = database.totalChangesCount
      let writer = try RecordMemoryWriter(draft, feedKey: 1, in: database)
      for (number, key) in keys.enumerated() where key <= 0 {
        try writer.appendNew(key == 0 ? .none : record(number, key: -key))
      }
      try writer.finish()
      return database.totalChangesCount - before
    }
  }

  private static func read(_ store: Store) async throws -> [RememberedRecord] {
    try await store.database.write {
      try RecordMemoryTable.fetch(feedKey: 1, in: $0)
    }
  }

  private static func expected(_ keys: [Int64]) -> [RememberedRecord] {
    keys.enumerated().filter { $1 != 0 }.map { record($0, key: abs($1)) }
  }

  @Test(
    "known and new records come back in the document's order, those that were not taken left out")
  func keepsOrder() async throws {
    let store = try Store()
    let documents: [[Int64]] = [
      [-1, -2, -3], [1, -4, -5, 2, 0, 3, -6], [0, 0, 4, 5, 0], [7, 8], [0], [-9, 0, 0, -10, 1], [],
    ]
    for keys in documents {
      _ = try await Self.write(keys, to: store)
      #expect(try await Self.read(store) == Self.expected(keys), "\(keys)")
    }
  }

  @Test("of many records only the pieces that differ are written, and those left over are removed")
  func writesPieces() async throws {
    let store = try Store()
    let size = RecordMemoryTable.pieceRecords
    var keys = (1...Int64(2 * size + 10)).map { -$0 }
    // Each is a row of records, and one of their values.
    #expect(try await Self.write(keys, to: store) == 6)
    keys = keys.map { -$0 }
    #expect(try await Self.write(keys, to: store) == 0)
    keys[size + 5] = 999_999
    #expect(try await Self.write(keys, to: store) == 2)
    #expect(try await Self.read(store) == Self.expected(keys))
    keys.removeLast(size + 100)
    // One piece is shorter, two are removed.
    #expect(try await Self.write(keys, to: store) == 6)
    #expect(try await Self.read(store) == Self.expected(keys))
  }

  @Test("what somebody else wrote there does no harm")
  func bearsNonsense() async throws {
    let store = try Store()
    try store.execute(
      "INSERT INTO record_memory VALUES (1, 0, zeroblob(48)), (1, 3, randomblob(24000))")
    let records = try await store.database.fetchRecordMemory(of: "ibotta")
    #expect(records.count == 1002)
    var finder = RecordFinder(records, seed: 1)
    let text = Array(#"{"id":"1","name":"Tea","terms":"Any size or variety"}"#.utf8)
    #expect(text.withUnsafeBytes { finder.find($0) } == nil)
  }

  @Test("of a database of the version before it keeps what there is, and the values are unknown")
  func upgrades() async throws {
    let store = try await Self.storeOfVersion7()
    let records = try await OffersDatabase(path: store.path).fetchRecordMemory(of: "ibotta")
    #expect(records.map(\.key) == [1, 2, 3])
    #expect(records.map(\.valueHash) == [0, 0, 0])
    #expect(try await Self.write([1, -4, 2], to: store) > 0)
    #expect(try await Self.read(store) == Self.expected([1, 4, 2]))
  }

  @Test("hashes that are not those of a piece are not taken for them")
  func bearsOtherHashes() async throws {
    let store = try Store()
    _ = try await Self.write([-1, -2, -3], to: store)
    try store.execute("UPDATE record_memory_values SET hashes = zeroblob(16)")
    #expect(try await Self.read(store).map(\.valueHash) == [0, 0, 0])
  }

  @Test("one whose memory is damaged is opened, read and repaired all the same")
  func upgradesDamaged() async throws {
    let store = try await Self.storeOfVersion7()
    try Damage.overwritePage(of: "record_memory", in: store)
    let database = try OffersDatabase(path: store.path)
    #expect(try await database.fetchOffers(OfferQuery()).count == 3)
    #expect(await database.repair(at: .distantPast).map(\.isDone) == [true])
    #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try await database.fetchOffers(OfferQuery()).count == 3)
  }

  /// Three offers and their records, as the version before wrote them.
  private static func storeOfVersion7() async throws -> Store {
    let store = try Store()
    try await store.sync((1...3).map { FeedOffer("\($0)", name: "Tea") })
    _ = try await write([1, 2, 3], to: store)
    try store.execute(
      Store.toVersion9
        + "DROP TABLE record_memory_values; DROP TABLE new_offers; PRAGMA user_version = 7")
    try store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store
  }
}
