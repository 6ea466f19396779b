import Foundation
import OffersPostgres
import OffersTestSupport
import Synchronization

/// A closed store of which tests get copies.
enum StoreTemplate: Sendable {
  /// The database file and those beside it.
  case files([TemplateFile])
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
    let folder = try TemporaryFolder()
    let name = "offers.sqlite"
    try await prepare(folder.file(name))
    return .files(
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix(name) }
        .map { try TemplateFile(folder.file($0), suffix: String($0.dropFirst(name.count))) })
  }
}

/// A file of a template, kept in memory, so that none remains when the process ends.
struct TemplateFile: Sendable {
  /// The end of its name, behind that of the database file.
  private let suffix: String
  private let bytes: Data
  private let permissions: Int

  fileprivate init(_ path: String, suffix: String) throws {
    self.suffix = suffix
    bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    permissions =
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o600
  }

  /// Writes the file beside, or as, a database file.
  func write(to path: String) throws {
    try bytes.write(to: URL(fileURLWithPath: path + suffix))
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: path + suffix)
  }
}

extension TestDatabase {
  private static let emptyStore = Task {
    try await TestCluster.shared.value.makeTemplate("empty_store") { url in
      try await PostgresServer(url: url).open(.readWrite).close()
    }
  }

  /// Makes a database that has a store without feeds: a copy of one that is migrated once.
  package static func makeStore() async throws -> TestDatabase {
    try await TestCluster.shared.value.makeDatabase(from: emptyStore.value)
  }
}
