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

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}
