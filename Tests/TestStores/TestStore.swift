import Foundation
import OffersCore
import OffersPostgres
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

/// A store of its own for a test of the command line or of the server: a file, or with
/// `OFFERS_TEST_STORE=postgres` a database on the tests' PostgreSQL server.
///
/// A test about something that only a file has, such as a backup, has the trait `.aboutFile`.
public struct TestStore: Sendable {
  /// Whether the tests run on files.
  public static let isFile =
    ProcessInfo.processInfo.environment["OFFERS_TEST_STORE"] != "postgres"

  /// The path of the file, or the URL of the database, which is empty at first.
  public let address: String
  /// The database on the server, which is removed with this object.
  private let database: TestDatabase?

  /// - Parameters:
  ///   - folder: the folder for the file.
  ///   - name: the name of the file.
  public init(in folder: TemporaryFolder, named name: String = "offers.sqlite") throws {
    if Self.isFile {
      address = folder.file(name)
      database = nil
    } else {
      let database = try TestCluster.started.get().makeDatabaseNow()
      address = database.url()
      self.database = database
    }
  }

  /// A copy of a store that is prepared once for each kind and process: copying is much faster than
  /// migrating and syncing.
  ///
  /// - Parameters:
  ///   - kind: what the store contains. Stores of a kind are prepared in the same way.
  ///   - folder: the folder for the file.
  ///   - name: the name of the file.
  ///   - prepare: creates the store with a path or URL and fills it, then closes it.
  public init(
    copyOf kind: String, in folder: TemporaryFolder, named name: String = "offers.sqlite",
    prepare: @escaping @Sendable (_ address: String) async throws -> Void
  ) async throws {
    switch try await StoreTemplate.fetch(kind, prepare) {
    case .file(let template):
      address = folder.file(name)
      database = nil
      try template.copy(to: address)
    case .database(let template):
      let database = try await TestCluster.shared.value.makeDatabase(from: template)
      address = database.url()
      self.database = database
    }
  }

  /// Whether a command has created the store: the file, or the tables of a database.
  public var exists: Bool {
    get async throws {
      let store = try await Self.place(address).openExisting(.readOnly)
      try await store?.close()
      return store != nil
    }
  }

  /// Opens the store. Each call has connections of its own, as another process has.
  package func open(_ access: OffersDatabase.Access = .readWrite) async throws -> OffersDatabase {
    try await Self.open(address, access)
  }

  /// Opens a store by its path or URL.
  package static func open(
    _ address: String, _ access: OffersDatabase.Access = .readWrite
  ) async throws -> OffersDatabase {
    try await place(address).open(access)
  }

  private static func place(_ address: String) throws -> any StorePlace {
    PostgresPlace.isConnectionString(address)
      ? try PostgresPlace(url: address) : try SQLitePlace(path: address)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test or a suite only on files, because it is about something that only a file has.
  public static var aboutFile: Self {
    .enabled(if: TestStore.isFile, "It is about something that only a file has.")
  }
}
