import Foundation
import GRDB
import OffersCore

/// The results of SQLite's integrity check.
enum Integrity {
  /// The maximum number of problems that are reported.
  private static let usualLimit = 100

  /// The problems of the whole database; empty if it is sound. SQLite stops at a page that it
  /// cannot read at all. https://sqlite.org/pragma.html#pragma_integrity_check
  static func problems(in database: Database, limit: Int = usualLimit) throws -> [String] {
    try problems(in: database, argument: "\(limit)")
  }

  /// The first problem of a check that includes the constraints of the schema; nil if there is none.
  /// SQLite leaves constraints out on a connection that is open for reading only.
  ///
  /// - Parameter database: a connection that may write.
  static func findBrokenConstraint(in database: Database) throws -> String? {
    try problems(in: database, pragma: "quick_check", argument: "1").first
  }

  /// The first problem of a copy of a database that no other connection uses: of its pages, its
  /// constraints, or its names; nil if it is sound. The copy stays as it is.
  static func findProblem(inCopy path: String) throws -> String? {
    // In WAL mode, a connection that may write makes a `-wal` file, which an interrupted program
    // would leave.
    let versions = try replaceVersions(of: path, by: Data([1, 1]))
    let problem = Result { try findProblem(inUnlogged: path) }
    _ = try replaceVersions(of: path, by: versions)
    return try problem.get()
  }

  /// Replaces the write version and the read version in the header of a file that is not open: 1 for
  /// a rollback journal, 2 for WAL. https://sqlite.org/fileformat2.html#file_format_version_numbers
  ///
  /// - Returns: the old ones.
  private static func replaceVersions(of path: String, by versions: Data) throws -> Data {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let offset: UInt64 = 18
    try file.seek(toOffset: offset)
    let old = try file.read(upToCount: versions.count) ?? versions
    if old != versions {
      try file.seek(toOffset: offset)
      try file.write(contentsOf: versions)
    }
    try file.close()
    return old
  }

  private static func findProblem(inUnlogged path: String) throws -> String? {
    var configuration = Configuration.untrustedFile
    configuration.label = "offers-copy"
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA query_only = ON")
    }
    let copy = try DatabaseQueue(path: path, configuration: configuration)
    let problem = try copy.inDatabase { database in
      try problems(in: database, limit: 1).first ?? (try StoredNameCheck.find(in: database))
    }
    try copy.close()
    return problem
  }

  private static func problems(
    in database: Database, pragma: String = "integrity_check", argument: String
  ) throws -> [String] {
    var problems: [String] = []
    do {
      let rows = try String.fetchCursor(database, sql: "PRAGMA \(pragma)(\(argument))")
      while let row = try rows.next() {
        let found = row.split(scalar: "\n").map(String.init)
          .filter { $0 != "ok" && !$0.hasPrefix("***") }
        for problem in found { try checkReadable(problem) }
        problems += found
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      if problems.isEmpty { problems.append("some pages cannot be read") }
    }
    return problems
  }

  /// Refuses to call a page damaged that the disk does not return. SQLite reports it as a problem
  /// with its result code: `unable to get the page. error code=266`.
  ///
  /// - Throws: `DatabaseError` with an I/O error.
  static func checkReadable(_ problem: String) throws {
    guard let mark = problem.utf8.firstRange(of: "error code=".utf8) else { return }
    let code = Int32(problem[mark.upperBound...].prefix { $0.isNumber }).map(ResultCode.init)
    if let code, code.primaryResultCode == .SQLITE_IOERR { throw DatabaseError(resultCode: code) }
  }

  /// Whether a problem concerns an index only, which REINDEX repairs.
  static func isOfIndex(_ problem: String) -> Bool {
    problem.contains("missing from index") || problem.contains("entries in index")
      || problem.contains("non-unique entry in index")
  }

  static let damageHint = Hint(
    """
    Copy the database with its -wal away first. What cannot be read may be in a backup, or be recovered with the \
    shell of SQLite and its .recover. Save what there is.
    """, command: "offers restore --salvage")
}
