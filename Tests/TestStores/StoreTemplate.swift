import Foundation
import OffersPostgres
import OffersTestSupport
import Synchronization

/// A closed store of which tests get copies.
enum StoreTemplate: Sendable {
  case file(FileTemplate)
  /// The name of a database on the tests' server.
  case database(String)

  /// The templates by their kinds, each made by the first test that asks for it.
  private static let templates = Mutex<[String: Task<StoreTemplate, any Error>]>([:])

  static func fetch(
    _ kind: String, _ prepare: @escaping @Sendable (_ address: String) async throws -> Void
  ) async throws -> StoreTemplate {
    let template = templates.withLock { templates in
      if let template = templates[kind] { return template }
      let number = templates.count + 1
      let template = Task { try await make(number, prepare) }
      templates[kind] = template
      return template
    }
    return try await template.value
  }

  private static func make(
    _ number: Int, _ prepare: (_ address: String) async throws -> Void
  ) async throws -> StoreTemplate {
    guard TestStore.isFile else {
      return .database(
        try await TestCluster.shared.value.makeTemplate("store_\(number)", prepare))
    }
    return .file(try await FileTemplate(prepare))
  }
}

/// A closed database file, kept in memory with the files beside it, so that none remains when the
/// process ends.
package struct FileTemplate: Sendable {
  private struct Part: Sendable {
    /// The end of its name, behind that of the database file.
    let suffix: String
    let bytes: Data
    let permissions: Int
  }

  private let parts: [Part]

  /// - Parameter prepare: creates the file at a path and fills it, then closes it.
  package init(_ prepare: (_ path: String) async throws -> Void) async throws {
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
  package func copy(to path: String) throws {
    for part in parts {
      try part.bytes.write(to: URL(fileURLWithPath: path + part.suffix))
      try FileManager.default.setAttributes(
        [.posixPermissions: part.permissions], ofItemAtPath: path + part.suffix)
    }
  }
}

extension TestDatabase {
  private static let emptyStore = Task {
    try await TestCluster.shared.value.makeTemplate("empty_store") { url in
      try await PostgresStore.open(url: url).close()
    }
  }

  /// Makes a database that has a store without feeds: a copy of one that is migrated once.
  package static func makeStore() async throws -> TestDatabase {
    try await TestCluster.shared.value.makeDatabase(from: emptyStore.value)
  }
}
