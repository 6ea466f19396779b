import Foundation

/// Files that were collected for tests and lie not in the package but beside it, where they are.
public enum SharedFiles {
  private static let all = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/feeds")

  /// A folder among them, such as `field`; nil where it is not there.
  public static func folder(_ name: String) -> URL? {
    let folder = all.appendingPathComponent(name)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }
}
