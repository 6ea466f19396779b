import GRDB
import Testing

@testable import OffersSQLite

@Suite("Names that a file holds")
struct StoredNamesTests {
  @Test(
    "a value that is no name is found among good ones",
    arguments: [
      ("feed", "NULL"), ("feed", "x'41'"), ("feed", "5"), ("feed", "'A b'"), ("user", "NULL"),
      ("user", "x'41'"), ("user", "'a' || char(27)"),
    ])
  func finds(table: String, value: String) throws {
    try DatabaseQueue().inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE feed (name); CREATE TABLE user (name);
          INSERT INTO feed VALUES ('ibotta'), ('tea-2'); INSERT INTO user VALUES ('Ann');
          """)
      #expect(try StoredNames.find(in: database) == nil)
      try database.execute(sql: "INSERT INTO \(table) VALUES (\(value))")
      #expect(
        try StoredNames.find(in: database) == "a \(table) has a name that no \(table) can have")
    }
  }

  @Test("a file without the tables has no bad name")
  func tables() throws {
    #expect(try DatabaseQueue().inDatabase { try StoredNames.find(in: $0) } == nil)
  }
}
