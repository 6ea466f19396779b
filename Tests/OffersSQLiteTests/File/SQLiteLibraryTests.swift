import OffersCore
import Testing

@testable import OffersSQLite

@Suite("The SQLite library that is loaded")
struct SQLiteLibraryTests {
  @Test("A library older than 3.39.0 is refused with its version and the one that is needed")
  func tooOld() {
    let error = #expect(throws: OffersError.self) {
      try SQLiteLibrary.check(number: 3_037_002, version: "3.37.2")
    }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("3.37.2") == true)
    #expect(error?.message.contains("3.39.0") == true)
    #expect(
      error?.hint?.text.hasPrefix("No database was touched. Update the system's SQLite") == true)
  }

  @Test(
    "A library from 3.39.0 on is accepted",
    arguments: [3_039_000, 3_040_001, 3_053_000] as [Int32])
  func recent(number: Int32) throws { try SQLiteLibrary.check(number: number) }

  @Test("The loaded library is one that is accepted")
  func loaded() throws {
    try SQLiteLibrary.check()
    #expect(SQLiteLibrary.version.hasPrefix("3."))
  }

  @Test(
    "a version with the WAL-reset bug is told in one line, which the doctor has as a note",
    arguments: [3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002] as [Int32])
  func resetBug(number: Int32) throws {
    let warning = try #require(SQLiteLibrary.resetBugWarning(number: number, version: "3.x"))
    #expect(warning.hasPrefix("SQLite 3.x has the WAL-reset bug") && !warning.contains("\n"))
    let finding = FileHealth.library(obstacle: nil, number: number, text: "3.x")
    #expect(finding.level == .note && finding.message == warning && finding.hint != nil)
    #expect(FileHealth.library(obstacle: "no locks", number: number).level == .problem)
  }

  @Test(
    "nothing is said about a version without it",
    arguments: [3_044_006, 3_044_010, 3_050_007, 3_051_003, 3_052_000, 3_053_004] as [Int32])
  func noResetBug(number: Int32) {
    #expect(SQLiteLibrary.resetBugWarning(number: number, version: "3.x") == nil)
    #expect(FileHealth.library(obstacle: nil, number: number, text: "3.x").level == .ok)
    #expect(FileHealth.library(obstacle: "no locks", number: number).level == .warning)
  }
}
