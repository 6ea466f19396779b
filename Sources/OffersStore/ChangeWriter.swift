import GRDB
import OffersCore

/// Notes a sync's run, and what happened to the offers, many changes at a time.
///
/// Between the writes of a thousand offers, a page that is written for each of them, or before the
/// first and again behind the last, stands in the log already when it is written again. All that
/// stands behind it there has to be read and summed up anew then.
/// https://sqlite.org/fileformat2.html#walformat
final class ChangeWriter {
  enum Kind {
    case changed, gone, back

    fileprivate var name: StaticString {
      switch self {
      case .changed: "changed"
      case .gone: "gone"
      case .back: "back"
      }
    }
  }

  private struct Change {
    let kind: Kind
    let key: Int64
    let fields: [UInt8]?
  }

  /// How much is held in memory.
  private static let heldBytes = 1 << 20
  /// What a change takes beside its fields, about.
  private static let changeBytes = 64

  private let database: Database
  private let run: SyncRun
  private let feedKey: Int64
  private let insert: RawStatement
  private var noted: Int64?
  private var held: [Change] = []
  private var byteCount = 0

  init(_ database: Database, _ run: SyncRun, feedKey: Int64) throws {
    self.database = database
    self.run = run
    self.feedKey = feedKey
    insert = try RawStatement(
      database, "INSERT INTO change (offer_key, run_id, kind, fields) VALUES (?1, ?2, ?3, ?4)")
  }

  /// The run's key. The run is noted when its key is first asked for.
  func runKey() throws -> Int64 {
    if let noted { return noted }
    let key = try SyncRunTable.insert(run, feedKey: feedKey, in: database)
    noted = key
    return key
  }

  /// Takes a change. Changes are numbered in the order in which they come.
  ///
  /// - Parameter fields: what a changed offer's row tells; see `ChangedFields`.
  func append(_ kind: Kind, _ key: Int64, fields: [UInt8]? = nil) throws {
    held.append(Change(kind: kind, key: key, fields: fields))
    byteCount += Self.changeBytes + (fields?.count ?? 0)
    if byteCount > Self.heldBytes { try flush() }
  }

  /// Writes what is held. Called before a change of another kind is numbered, and at the end.
  func flush() throws {
    if held.isEmpty { return }
    let run = try runKey()
    for change in held { try write(change, run) }
    held.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  private func write(_ change: Change, _ run: Int64) throws {
    let name = change.kind.name
    insert.bind(1, change.key)
    insert.bind(2, run)
    insert.bind(3, UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    guard let fields = change.fields else {
      insert.bindNull(4)
      try insert.run()
      return
    }
    try fields.withUnsafeBytes { text in
      insert.bind(4, text)
      try insert.run()
    }
  }
}
