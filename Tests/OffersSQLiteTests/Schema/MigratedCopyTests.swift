import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

/// A folder with the name of SQLite's `-shm` file keeps SQLite from making that file, as a full disk
/// does.
@Suite("A database with an older schema that cannot be migrated")
struct MigratedCopyTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try Store.makeOldFile(in: folder)
    for ending in ["-wal", "-shm"] { unlink(path + ending) }
    try FileManager.default.createDirectory(
      atPath: path + "-shm", withIntermediateDirectories: false)
  }

  private func stars(_ access: OffersDatabase.Access = .readOnly) async throws -> [String] {
    let database = try await OffersDatabase.open(path: path, access: access)
    let offers = try await database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(try await database.countOffers(OfferQuery()) == 9)
    try await database.close()
    return offers.map(\.ref.offerID)
  }

  @Test("is read as a migrated copy, stays as it is, and is migrated once that is possible")
  func reads() async throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try await stars() == ["a"])
    await #expect(throws: OffersError.self) { try await stars(.readWrite) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(rmdir(path + "-shm") == 0)
    #expect(try await stars() == ["a"])
    #expect(try Store.rows(path, "PRAGMA user_version") == ["\(Schema.version)"])
  }

  /// It takes ten seconds, for which SQLite itself tries to open the log.
  @Test("is refused while there are writes in its log")
  func hasLog() async throws {
    try folder.write(Data(repeating: 7, count: 5000), to: "offers.sqlite-wal")
    await #expect(throws: OffersError.self) { try await stars() }
  }
}
