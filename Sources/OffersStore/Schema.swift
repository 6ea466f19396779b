import GRDB
import Migrations
import OffersCore

/// Brings a database to the schema this program works with.
enum Schema {
  static let version = Migrations.currentVersion

  /// The version of an open database. Asked for by hand: GRDB's own way costs every
  /// process more when it starts.
  static func version(of database: Database) throws -> Int {
    let statement = try RawStatement(database, "PRAGMA user_version")
    defer { statement.reset() }
    return try statement.step() ? Int(statement.number(0)) : 0
  }

  /// Runs the migrations that are missing, with their number and the file's mark in one transaction.
  /// The caller holds the write guard.
  static func migrate(path: String) throws {
    let connection = try SetUpConnection(path: path)
    try connection.run(Configuration.writingSettings + "BEGIN IMMEDIATE;")
    let current = Int(try connection.fetchNumber("PRAGMA user_version"))
    try DatabaseFile.checkVersion(current, path: path)
    try checkOwner(connection, version: current, path: path)
    try connection.run(steps(after: current) + "COMMIT;")
  }

  /// Fills a file that has no bytes yet, all at once: it is empty or complete, whenever the power
  /// fails. The log is on then. The caller holds the write guard.
  static func fill(_ file: DatabaseFile) throws {
    try withNewImage { image in
      image[DatabaseFile.Offset.writeVersion] = DatabaseFile.withLog
      image[DatabaseFile.Offset.readVersion] = DatabaseFile.withLog
      try file.fill(UnsafeRawBufferPointer(image))
    }
  }

  /// Lends the bytes of a new database, whose log is not on. Its tables are made in memory, which
  /// spares the disk two journals.
  static func withNewImage<Result>(
    _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) throws -> Result {
    let connection = try SetUpConnection(path: ":memory:")
    try connection.run(Configuration.writingSettings + "BEGIN;" + steps(after: 0) + "COMMIT;")
    return try connection.withImage(body)
  }

  /// The migrations that a version lacks, and the marks of a file that has them.
  private static func steps(after current: Int) -> String {
    Migrations.all.filter { $0.number > current }.reduce(into: "") { $0 += $1.sql + ";\n" } + """
      PRAGMA user_version = \(version);
      PRAGMA application_id = \(DatabaseFile.applicationID);

      """
  }

  /// Refuses another program's database. The file's header cannot tell as long as that program's
  /// tables stand only in its log.
  private static func checkOwner(
    _ connection: borrowing SetUpConnection, version: Int, path: String
  ) throws {
    let mark = try connection.fetchNumber("PRAGMA application_id")
    if mark == Int64(DatabaseFile.applicationID) { return }
    let entries = try connection.fetchNumber("SELECT count(*) FROM sqlite_schema")
    guard mark == 0, version == 0, entries == 0 else {
      throw DatabaseFile.foreignFile(path)
    }
  }
}
