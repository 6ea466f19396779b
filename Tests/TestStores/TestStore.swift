import Foundation
import OffersCore
import OffersSQLite
import OffersTestSupport

/// A store of its own for a test of the command line or of the server: a file, or with
/// `OFFERS_TEST_STORE=postgres` a database on the tests' PostgreSQL server.
///
/// A test about something that only a file has, such as a backup, is enabled only on files:
/// `@Test("…", .enabled(if: TestStore.isFile))`.
public struct TestStore: Sendable {
  /// Whether the tests run on files.
  public static let isFile =
    ProcessInfo.processInfo.environment["OFFERS_TEST_STORE"] != "postgres"

  /// The path of the file, or the URL of the database, which is empty at first.
  public let address: String

  /// - Parameters:
  ///   - folder: the folder for the file.
  ///   - name: the name of the file.
  public init(in folder: TemporaryFolder, named name: String = "offers.sqlite") throws {
    address = folder.file(name)
  }

  /// Whether a command has created the store.
  public var exists: Bool { get throws { try SQLiteFile(path: address).exists } }

  /// Opens the store. Each call has connections of its own, as another process has.
  package func open(_ access: StoreAccess = .readWrite) async throws -> any OffersStorage {
    try await Self.open(address, access)
  }

  /// Opens a store by its path or URL.
  package static func open(
    _ address: String, _ access: StoreAccess = .readWrite
  ) async throws -> any OffersStorage {
    try await SQLiteFile(path: address).open(access)
  }
}
