import Foundation
import OffersPostgres
import OffersStore
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

extension TestDatabase {
  private static let emptyStore = Task {
    try await TestCluster.shared.value.makeTemplate("empty_store") { url in
      try await OffersDatabase.open(url: url).close()
    }
  }

  /// Makes a database that has a store without feeds: a copy of one that is migrated once.
  package static func makeStore() async throws -> TestDatabase {
    try await TestCluster.shared.value.makeDatabase(from: emptyStore.value)
  }
}
