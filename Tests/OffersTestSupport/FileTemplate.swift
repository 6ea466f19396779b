import Foundation

/// A closed database file, kept in memory with the files beside it, so that none remains when the
/// process ends. Tests copy it, which takes less time than to make a database.
public struct FileTemplate: Sendable {
  private struct Part: Sendable {
    /// The end of its name, behind that of the database file.
    let suffix: String
    let bytes: Data
    let permissions: Int
  }

  private let parts: [Part]

  /// - Parameter prepare: creates the file at a path and fills it, then closes it.
  public init(_ prepare: (_ path: String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let name = "offers.sqlite"
    try await prepare(folder.file(name))
    parts = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix(name) }
      .map { file in
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(file))
        return Part(
          suffix: String(file.dropFirst(name.count)),
          bytes: try Data(contentsOf: URL(fileURLWithPath: folder.file(file))),
          permissions: attributes[.posixPermissions] as? Int ?? 0o600)
      }
  }

  /// Makes a copy at a path.
  public func copy(to path: String) throws {
    for part in parts {
      try part.bytes.write(to: URL(fileURLWithPath: path + part.suffix))
      try FileManager.default.setAttributes(
        [.posixPermissions: part.permissions], ofItemAtPath: path + part.suffix)
    }
  }
}
