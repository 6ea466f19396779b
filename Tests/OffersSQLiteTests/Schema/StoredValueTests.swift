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

@Suite("Names that a file holds")
struct StoredNameCheckTests {
  @Test(
    "a value that is no name is found among good ones",
    arguments: [
      ("feed", "NULL"), ("feed", "x'41'"), ("feed", "5"), ("feed", "'A b'"), ("account", "NULL"),
      ("account", "x'41'"), ("account", "'a' || char(27)"),
    ])
  func finds(table: String, value: String) throws {
    try DatabaseQueue().inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE feed (name); CREATE TABLE account (name);
          INSERT INTO feed VALUES ('ibotta'), ('tea-2'); INSERT INTO account VALUES ('Ann');
          """)
      #expect(try StoredNameCheck.find(in: database) == nil)
      try database.execute(sql: "INSERT INTO \(table) VALUES (\(value))")
      let holder = table == "account" ? "user" : table
      #expect(
        try StoredNameCheck.find(in: database)
          == "a \(holder) has a name that no \(holder) can have")
    }
  }

  @Test("a file without the tables has no bad name")
  func tables() throws {
    #expect(try DatabaseQueue().inDatabase { try StoredNameCheck.find(in: $0) } == nil)
  }
}
