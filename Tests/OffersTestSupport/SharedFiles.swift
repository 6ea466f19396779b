import Foundation

/// Files that were collected for tests and lie not in the package but beside it, where they are.
public enum SharedFiles {
  private static let folders = [
    URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("shared/feeds"),
    URL(fileURLWithPath: "/work/shared/feeds"),
  ]

  /// A folder among them, such as `field`; nil where it is not there.
  public static func folder(_ name: String) -> URL? {
    folders.map { $0.appendingPathComponent(name) }.first {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }
}
