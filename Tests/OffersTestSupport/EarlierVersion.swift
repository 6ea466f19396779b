import Foundation

/// Files about databases of the last version before the first set of migrations, in `Tests/Versions`.
public enum EarlierVersion {
  /// The statements that make an SQLite database of version 32.
  public static var sqlite: String { get throws { try text("version_32.sql") } }

  /// The statements that make a PostgreSQL database of version 9, with the same rows.
  public static var postgres: String { get throws { try text("version_9.sql") } }

  /// The export of either, as the program of that version wrote it.
  ///
  /// - Parameter favoritesOnly: whether it has the favorites of all users only.
  public static func export(favoritesOnly: Bool = false) throws -> String {
    try text(favoritesOnly ? "every_favorite.json" : "every_user.json")
  }

  private static func text(_ name: String) throws -> String {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 1...2 { folder.deleteLastPathComponent() }
    return try String(
      contentsOf: folder.appending(path: "Versions/\(name)"), encoding: .utf8)
  }
}
