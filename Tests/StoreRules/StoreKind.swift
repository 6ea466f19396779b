import OffersCore
import OffersPostgres
import OffersSQLite
import OffersStore
import OffersTestSupport
import TestStores

/// The stores that keep the rules of this suite. There are no exceptions: a rule that is not true of
/// each of them belongs to the tests of the one that it is true of.
enum StoreKind: String, CaseIterable, Codable, Sendable {
  /// A database file.
  case sqlite
  /// A database on a PostgreSQL server.
  case postgres
  /// A SQLite database in memory.
  case memory

  /// The stores that several processes can have open.
  static let shared = allCases.filter { $0 != .memory }

  /// Opens an empty store without feeds, for one test.
  func open() async throws -> OpenStore {
    switch self {
    case .sqlite:
      let folder = try FolderOfStore()
      try await FolderOfStore.template.value.copy(to: folder.address)
      return OpenStore(store: try await folder.open(), shared: folder)
    case .postgres:
      let server = ServerOfStore(try await TestDatabase.makeStore())
      return OpenStore(store: try await server.open(), shared: server)
    case .memory:
      return OpenStore(
        store: try await OffersDatabase.inMemory(definitions: NoDefinitions()), shared: nil)
    }
  }

  /// Opens the store of another process by its address.
  func open(at address: String) async throws -> OffersDatabase {
    switch self {
    case .sqlite: try await OffersDatabase.open(path: address)
    case .postgres: try await OffersDatabase.open(url: address)
    case .memory:
      throw OffersError(.invalidRequest, "A store in memory belongs to one process.")
    }
  }
}

/// A store that a test has for itself.
struct OpenStore: Sendable {
  /// The store, bound to its owner.
  let store: OffersDatabase
  fileprivate let shared: (any SharedStore)?

  /// The address by which another process can open the store: the path of the file or the URL of the
  /// database; nil for a store in memory.
  var address: String? { shared?.address }

  /// The same data through connections, caches and write turns of its own, as another process has
  /// them; for a store in memory, the store itself.
  func openAgain() async throws -> OffersDatabase { try await shared?.openAgain() ?? store }
}

/// A store that other processes can open as well.
private protocol SharedStore: Sendable {
  var address: String { get }

  func open() async throws -> OffersDatabase

  /// Opens the store as another process does.
  func openAgain() async throws -> OffersDatabase
}

extension SharedStore {
  func openAgain() async throws -> OffersDatabase { try await open() }
}

/// Definitions that define no feed.
private protocol UndefinedFeeds: FeedDefinitions {}

extension UndefinedFeeds {
  func defines(_ feed: String) -> Bool { false }
}

/// The definitions of a store in memory.
private struct NoDefinitions: UndefinedFeeds {}

/// A database on the tests' server, which is removed with the last store that has it open.
private final class ServerOfStore: SharedStore, UndefinedFeeds {
  private let database: TestDatabase

  init(_ database: TestDatabase) { self.database = database }

  var address: String { database.url() }

  func open() async throws -> OffersDatabase {
    try await OffersDatabase.open(url: address, definitions: self)
  }

  /// Through pgbouncer, so that rules with two connections also hold there.
  func openAgain() async throws -> OffersDatabase {
    try await OffersDatabase.open(url: database.url(by: .pooler), definitions: self)
  }
}

/// The folder of a database file, which is removed with the last database that has it open.
///
/// A database keeps its definitions of feeds, of which there are none here, and with them the folder:
/// a test need not keep anything but the store.
private final class FolderOfStore: SharedStore, UndefinedFeeds {
  /// An empty store, of which each test has a copy.
  static let template = Task {
    try await FileTemplate { path in
      try await OffersDatabase.open(path: path, proposesFeed: false).close()
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var address: String { folder.file("offers.sqlite") }

  func open() async throws -> OffersDatabase {
    try await OffersDatabase.open(path: address, proposesFeed: false, definitions: self)
  }
}
