import GRDB
import GRDBSQLite

/// Rows of our own making, for a statement that selects from `name(?1)`.
///
/// The table stands in no schema: https://sqlite.org/vtab.html
class VirtualRows {
  fileprivate private(set) var failure: (any Error)?
  fileprivate static let pointerType: StaticString = "virtual rows"

  /// A value of the row at hand.
  enum Cell {
    case null
    case integer(Int64)
    /// A text that stays in place as long as the row does.
    case text(UnsafeRawBufferPointer)

    /// A text, or NULL where there is none.
    @inline(__always)
    init(_ text: UnsafeRawBufferPointer?) {
      self = text.map { .text($0) } ?? .null
    }

    @inline(__always)
    fileprivate func give(to context: OpaquePointer?) {
      switch self {
      case .null: break
      case .integer(let number): sqlite3_result_int64(context, number)
      case .text(let text):
        guard let start = text.baseAddress else { return }
        sqlite3_result_text(
          context, start.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
      }
    }
  }

  /// The values of the row at hand, one a column.
  let cells: UnsafeMutablePointer<Cell>

  init(of table: VirtualTable) {
    // The hidden column, which nobody asks for, is NULL.
    let count = table.columns.count + 1
    cells = .allocate(capacity: count)
    cells.initialize(repeating: .null, count: count)
  }

  deinit { cells.deallocate() }

  /// Whether there is no row at hand.
  var isAtEnd: Bool { true }

  /// Goes to the next row and fills the cells, those that are NULL included.
  func advance() throws {}

  fileprivate final func step() -> Int32 {
    do {
      try advance()
      return SQLITE_OK
    } catch {
      failure = error
      return SQLITE_ERROR
    }
  }
}

/// A table that is there for statements over rows of ours.
struct VirtualTable: Sendable {
  let name: String
  let columns: [String]

  /// A statement that selects from the table, for one set of rows after another.
  struct Statement {
    private let statement: RawStatement

    init(_ sql: String, over table: VirtualTable, in database: Database) throws {
      table.install(on: database.sqliteConnection)
      statement = try RawStatement(database, sql)
    }

    /// Runs over the rows from the one at hand on. Returns how many rows it wrote itself.
    @discardableResult
    func run(over rows: VirtualRows) throws -> Int {
      try withExtendedLifetime(rows) {
        statement.bind(
          1, pointer: Unmanaged.passUnretained(rows).toOpaque(), type: VirtualRows.pointerType)
        do {
          return try statement.run()
        } catch {
          throw rows.failure ?? error
        }
      }
    }
  }

  /// Teaches a connection the table.
  private func install(on connection: OpaquePointer?) {
    let module = Module(self)
    // SQLite lets go of the module when it is replaced or the connection ends, and when it cannot
    // take it; what asks for the table then says that there is none.
    sqlite3_create_module_v2(
      connection, name, module.calls, Unmanaged.passRetained(module).toOpaque()
    ) { pointer in
      if let pointer { Unmanaged<Module>.fromOpaque(pointer).release() }
    }
  }

  /// What SQLite calls, and how it is told of the columns.
  private final class Module {
    let calls = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    let declaration: String

    init(_ table: VirtualTable) {
      declaration = "CREATE TABLE x (\(table.columns.joined(separator: ", ")), rows HIDDEN)"
      calls.initialize(to: VirtualTable.makeCalls())
    }

    deinit { calls.deallocate() }
  }

  /// A scan. SQLite knows the first member, and where it stands.
  private struct Scan {
    var base = sqlite3_vtab_cursor()
    /// Whoever runs the statement keeps them.
    var rows: Unmanaged<VirtualRows>?
    var cells: UnsafeMutablePointer<VirtualRows.Cell>?
  }

  private static func makeCalls() -> sqlite3_module {
    var calls = sqlite3_module()
    // Without xCreate it is there without being made.
    calls.xConnect = { connection, module, _, _, table, _ in
      guard let module, let table else { return SQLITE_MISUSE }
      let code = sqlite3_declare_vtab(
        connection, Unmanaged<Module>.fromOpaque(module).takeUnretainedValue().declaration)
      if code != SQLITE_OK { return code }
      let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
      made.initialize(to: sqlite3_vtab())
      table.pointee = made
      return SQLITE_OK
    }
    calls.xDisconnect = { table in
      table?.deallocate()
      return SQLITE_OK
    }
    calls.xBestIndex = { _, info in
      guard let info = info?.pointee else { return SQLITE_MISUSE }
      // The rows are the only thing that is ever asked for.
      for index in 0..<Int(info.nConstraint) {
        let constraint = info.aConstraint[index]
        guard constraint.usable != 0, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else {
          continue
        }
        info.aConstraintUsage[index].argvIndex = 1
        info.aConstraintUsage[index].omit = 1
        return SQLITE_OK
      }
      return SQLITE_CONSTRAINT
    }
    calls.xOpen = { _, cursor in
      let scan = UnsafeMutablePointer<Scan>.allocate(capacity: 1)
      scan.initialize(to: Scan())
      cursor?.pointee = UnsafeMutableRawPointer(scan)
        .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    calls.xClose = { cursor in
      UnsafeMutableRawPointer(cursor)?.deallocate()
      return SQLITE_OK
    }
    calls.xFilter = { cursor, _, _, count, values in
      guard let values, count == 1,
        let pointer = RawStatement.pointer(values[0], VirtualRows.pointerType)
      else { return SQLITE_MISUSE }
      let rows = Unmanaged<VirtualRows>.fromOpaque(pointer)
      let scan = VirtualTable.scan(cursor)
      scan.pointee.rows = rows
      scan.pointee.cells = rows._withUnsafeGuaranteedRef { $0.cells }
      return SQLITE_OK
    }
    calls.xNext = {
      VirtualTable.scan($0).pointee.rows?._withUnsafeGuaranteedRef { $0.step() } ?? SQLITE_MISUSE
    }
    calls.xEof = {
      let isAtEnd = VirtualTable.scan($0).pointee.rows?._withUnsafeGuaranteedRef { $0.isAtEnd }
      return isAtEnd == false ? 0 : 1
    }
    calls.xColumn = { cursor, context, column in
      VirtualTable.scan(cursor).pointee.cells?[Int(column)].give(to: context)
      return SQLITE_OK
    }
    calls.xRowid = { _, key in
      key?.pointee = 0
      return SQLITE_OK
    }
    return calls
  }

  private static func scan(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<Scan> {
    // SQLite never calls without one.
    UnsafeMutableRawPointer(cursor.unsafelyUnwrapped).assumingMemoryBound(to: Scan.self)
  }
}
