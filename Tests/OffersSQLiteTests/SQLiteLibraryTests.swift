import OffersCore
import Testing

@testable import OffersSQLite

@Suite("The SQLite library that is loaded")
struct SQLiteLibraryTests {
  @Test("A library older than 3.38.0 is refused with its version and the one that is needed")
  func tooOld() {
    let error = #expect(throws: OffersError.self) {
      try SQLiteLibrary.check(number: 3_037_002, version: "3.37.2")
    }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("3.37.2") == true)
    #expect(error?.message.contains("3.38.0") == true)
    #expect(error?.hint == "No database was touched. Update the system's SQLite.")
  }

  @Test(
    "A library from 3.38.0 on is accepted",
    arguments: [3_038_000, 3_040_001, 3_053_000] as [Int32])
  func recent(number: Int32) throws { try SQLiteLibrary.check(number: number) }

  @Test("The loaded library is one that is accepted")
  func loaded() throws {
    try SQLiteLibrary.check()
    #expect(SQLiteLibrary.version.hasPrefix("3."))
  }
}
