import Foundation

/// Files for tests in the folder `shared/feeds` beside the repository, which may be absent.
public enum SharedFiles {
  private static let all = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/feeds")

  /// The URL of a folder in `shared/feeds`, such as `field`; nil when it does not exist.
  public static func folder(_ name: String) -> URL? {
    let folder = all.appendingPathComponent(name)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }
}
