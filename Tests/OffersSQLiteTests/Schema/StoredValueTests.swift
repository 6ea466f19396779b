import Foundation
import GRDB
import Testing

@testable import OffersSQLite

@Suite("Values of any type in a file")
struct StoredValueTests {
  @Test(
    "a value of another type is read as the nearest of the type that is asked for",
    arguments: ["NULL", "9e999", "-9e300", "'text'", "x'FF00'", "9223372036854775807", "''"])
  func anyValue(expression: String) throws {
    let row = try DatabaseQueue().read {
      try Row.fetchOne($0, sql: "SELECT \(expression) AS value")
    }
    let found = try #require(row)
    let isNull = expression == "NULL"
    #expect((found["value"] as Int64?) == nil ? isNull : !isNull)
    #expect((found[0] as Int?) == nil ? isNull : !isNull)
    #expect(abs(found["value"] as Int) <= 1 << 53)
    #expect((found[0] as Int64) == (found["value"] as Int64))
    #expect((found["value"] as String).isEmpty == (isNull || expression == "''"))
    #expect((found["value"] as Data).isEmpty == (isNull || expression == "''"))
    #expect((found["value"] as Double) == (found[0] as Double))
    #expect((found["value"] as Bool) == ((found[0] as Int64) != 0))
  }
}
