import GRDBSQLite
import OffersCore

/// Registers the natural order of names with a connection, as `COLLATE by_name`. No table or index
/// uses it, so other programs can read and write the file.
enum NaturalCollation {
  static func install(on connection: OpaquePointer?) {
    // The result is ignored: registration fails only without memory, and then each statement that
    // uses the collation fails with an error.
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
