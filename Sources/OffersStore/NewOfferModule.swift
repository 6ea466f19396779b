import GRDBSQLite

/// What SQLite calls for the rows of `new_offer`: https://sqlite.org/vtab.html
enum NewOfferModule {
  private static let pointerColumn = Int32(NewOfferRows.columns.count)

  /// A scan. SQLite knows the first member, and where it stands.
  private struct Scan {
    var base = sqlite3_vtab_cursor()
    /// Whoever runs the statement keeps it.
    var rows: Unmanaged<NewOfferRows>?
  }

  /// Teaches a connection the table.
  static func install(on connection: OpaquePointer?) {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: make())
    // SQLite gives the module back when it is replaced or the connection ends, and when it cannot
    // take it; what asks for the table then says that there is none.
    sqlite3_create_module_v2(connection, "new_offer", module, module) { $0?.deallocate() }
  }

  private static func make() -> sqlite3_module {
    var module = sqlite3_module()
    // Without xCreate it is there without being made, and stands in no schema.
    module.xConnect = { connection, _, _, _, table, _ in
      let columns = NewOfferRows.columns.joined(separator: ", ")
      let code = sqlite3_declare_vtab(connection, "CREATE TABLE x (\(columns), rows HIDDEN)")
      if code != SQLITE_OK { return code }
      let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
      made.initialize(to: sqlite3_vtab())
      table?.pointee = made
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      table?.deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { _, info in
      guard let info = info?.pointee else { return SQLITE_MISUSE }
      for index in 0..<Int(info.nConstraint) {
        let constraint = info.aConstraint[index]
        guard constraint.iColumn == NewOfferModule.pointerColumn, constraint.usable != 0,
          Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ
        else { continue }
        info.aConstraintUsage[index].argvIndex = 1
        info.aConstraintUsage[index].omit = 1
        return SQLITE_OK
      }
      return SQLITE_CONSTRAINT
    }
    module.xOpen = { _, cursor in
      let scan = UnsafeMutablePointer<Scan>.allocate(capacity: 1)
      scan.initialize(to: Scan())
      cursor?.pointee = UnsafeMutableRawPointer(scan)
        .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { cursor in
      UnsafeMutableRawPointer(cursor)?.deallocate()
      return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, count, values in
      guard let values, count == 1,
        let pointer = RawStatement.pointer(values[0], NewOfferRows.pointerType)
      else { return SQLITE_MISUSE }
      // It stands on its first row.
      NewOfferModule.scan(cursor).pointee.rows = Unmanaged.fromOpaque(pointer)
      return SQLITE_OK
    }
    module.xNext = {
      NewOfferModule.scan($0).pointee.rows?._withUnsafeGuaranteedRef { $0.advance() }
        ?? SQLITE_MISUSE
    }
    module.xEof = {
      NewOfferModule.scan($0).pointee.rows?._withUnsafeGuaranteedRef { $0.isAtEnd } == false ? 0 : 1
    }
    module.xColumn = { cursor, context, column in
      NewOfferModule.scan(cursor).pointee.rows?._withUnsafeGuaranteedRef {
        $0.give(column, to: context)
      }
      return SQLITE_OK
    }
    module.xRowid = { _, key in
      key?.pointee = 0
      return SQLITE_OK
    }
    return module
  }

  private static func scan(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<Scan> {
    // SQLite never calls without one.
    UnsafeMutableRawPointer(cursor.unsafelyUnwrapped).assumingMemoryBound(to: Scan.self)
  }
}
