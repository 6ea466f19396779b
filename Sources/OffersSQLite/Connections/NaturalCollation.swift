import GRDBSQLite
import OffersCore

/// Teaches a connection the order of names, as `COLLATE by_name`. No table or index uses it, so that
/// any other program can read and write the file.
enum NaturalCollation {
  static func install(on connection: OpaquePointer?) {
    // It fails when memory runs out, and what asks for it then says that there is none.
    sqlite3_create_collation_v2(
      connection, "by_name", SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        Int32(
          NaturalOrder.compare(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount))))
      }, nil)
  }
}
