import Foundation

/// Databases of an earlier schema with rows of every kind, and their export, from files in `Tests/Versions`.
public enum StoredVersion {
  /// The schema of `sqliteRows`.
  public static let sqliteSchema = 112

  /// The schema of `postgresRows`.
  public static let postgresSchema = 113

  /// The statements that add the rows to an SQLite database of that schema.
  public static var sqliteRows: String { get throws { try text("sqlite_112.sql") } }

  /// The statements that add the same rows to a PostgreSQL database of that schema.
  public static var postgresRows: String { get throws { try text("postgres_113.sql") } }

  /// The export of either, of format 3.
  ///
  /// - Parameter favoritesOnly: whether it has the favorites of all users only.
  public static func export(favoritesOnly: Bool = false) throws -> String {
    try text(favoritesOnly ? "every_favorite.json" : "every_user.json")
  }

  /// The export of either as this program writes it. The later formats add members that these rows lack.
  ///
  /// - Parameter favoritesOnly: whether it has the favorites of all users only.
  public static func exportNow(favoritesOnly: Bool = false) throws -> String {
    try export(favoritesOnly: favoritesOnly)
      .replacing("\"version\":3,", with: "\"version\":4,", maxReplacements: 1)
  }

  static func text(_ name: String) throws -> String {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 1...2 { folder.deleteLastPathComponent() }
    return try String(
      contentsOf: folder.appending(path: "Versions/\(name)"), encoding: .utf8)
  }
}
