import GRDB
import Testing

@testable import OffersSQLite

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
