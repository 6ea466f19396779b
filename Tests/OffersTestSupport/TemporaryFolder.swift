import Foundation

/// A temporary folder that is removed when the object is released.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "offers-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A folder left behind in the temporary folder is harmless.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, in folders that it makes, and returns its path.
  ///
  /// - Parameter mode: the permissions of the file; nil for the usual ones.
  @discardableResult
  public func write(_ text: String, to name: String, mode: Int? = nil) throws -> String {
    let path = try write(Data(text.utf8), to: name)
    if let mode {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    return path
  }

  @discardableResult
  public func write(_ data: Data, to name: String) throws -> String {
    let url = URL(fileURLWithPath: file(name))
    if name.contains("/") {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    try data.write(to: url)
    return file(name)
  }
}
