import GRDB
import OffersStore
import Testing

@testable import OffersSQLite

@Suite("Values of any type in a file")
struct StoredValueTests {
  @Test(
    "a value of another type is read as the nearest of the type that is asked for",
    arguments: ["NULL", "9e999", "-9e300", "'text'", "x'FF00'", "9223372036854775807", "''"])
  func anyValue(expression: String) throws {
    let isNull = expression == "NULL"
    try DatabaseQueue().read { database in
      _ = try SQLiteTransaction(database).rows("SELECT \(expression)") { row in
        #expect((row.findNumber(0) == nil) == isNull)
        #expect((row.findReal(0) == nil) == isNull)
        #expect(abs(row.count(0)) <= 1 << 53)
        #expect(row.text(0).isEmpty == (isNull || expression == "''"))
        #expect(row.blob(0).isEmpty == (isNull || expression == "''"))
        #expect(row.flag(0) == (row.number(0) != 0))
      }
    }
  }
}
