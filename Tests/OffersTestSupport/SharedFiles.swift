import Foundation

/// Files collected for tests that are not in the package but in a folder beside it, if present.
public enum SharedFiles {
  private static let all = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/feeds")

  /// The path of a folder of shared files, such as `field`; nil when it does not exist.
  public static func folder(_ name: String) -> URL? {
    let folder = all.appendingPathComponent(name)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }
}
