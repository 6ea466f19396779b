import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("The place of a PostgreSQL store", .timeLimit(.minutes(2)))
struct ServerTests {
  private static func refusal(_ call: () async throws -> Void) async -> OffersError? {
    await #expect(throws: OffersError.self) { try await call() }
  }

  @Test(
    "its name has the hosts and the database of a URL, never the user and the password",
    arguments: [
      (
        "postgres://ana:hidden@a.example:1,b.example:2/shop?sslmode=require",
        "postgres://a.example:1,b.example:2/shop"
      ),
      (
        "postgresql:///shop?host=/run/postgresql&port=5433&password=hidden",
        "postgres://%2Frun%2Fpostgresql:5433/shop"
      ),
      ("postgres://ana:hidden@[::1]:5432/my%20shop", "postgres://[::1]:5432/my%20shop"),
      ("postgres:///?service=hidden-not", "postgres://?service=hidden-not"),
    ])
  func names(url: String, name: String) throws {
    let place = try PostgresPlace(url: url)
    #expect(place.name == name)
    #expect(place.exists && place.file == nil)
    #expect(place.missing.code == .notFound)
  }

  @Test(
    "a URL whose password has a character that must be escaped is refused, and not repeated",
    arguments: [
      "postgres://ana:hid/den@host/shop", "postgres://ana:hid@den@host/shop",
      "postgres://ana:hid?d@en@host/shop", "postgres://ana:1/hidden@host/shop", "mysql://hidden",
    ])
  func misread(url: String) async throws {
    let error = await Self.refusal { _ = try PostgresPlace(url: url) }
    #expect(error?.code == .invalidRequest)
    let text = [error?.message, error?.hint?.text, error?.cause].compactMap(\.self).joined()
    #expect(!text.contains("hid") && !text.contains("den@"))
  }

  @Test(
    "work on a file is refused with the advice which tool does it",
    arguments: StoreFileOperation.allCases)
  func tools(work: StoreFileOperation) async throws {
    let place = try PostgresPlace(url: "postgres://ana:hidden@host:5432/shop")
    let error = await Self.refusal { _ = try place.fetchFile(for: work) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("postgres://host:5432/shop") == true)
    let tool =
      switch work {
      case .backup: "pg_dump"
      case .restoration: "pg_restore"
      case .examination: "pg_amcheck"
      case .repair: "reindexdb"
      }
    #expect(error?.hint?.text.contains(tool) == true)
  }

  @Test("opened for reading, an empty database stays empty, and nothing is written")
  func readOnly() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let place = try PostgresPlace(url: made.url())
    let missing = await Self.refusal { _ = try await place.open(.readOnly) }
    #expect(missing?.code == .notFound)
    #expect(try await made.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0")
    try await place.open(.readWrite).close()
    let store = try await place.open(.readOnly)
    #expect(try await store.fetchUsers().map(\.name) == ["owner"])
    #expect(store.place == place.name && store.maintenance == nil)
    #expect(store.software.name == "PostgreSQL" && store.software.version.first?.isNumber == true)
    #expect(store.software.remark?.hasPrefix("by libpq ") == true && store.software.warning == nil)
    let refused = await Self.refusal { _ = try await store.addUser(named: "Ana", role: .member) }
    #expect(refused?.code == .invalidRequest)
    try await store.close()
    let closed = await Self.refusal { _ = try await store.fetchUsers() }
    #expect(closed?.code == .invalidRequest)
    try await store.close()
  }

  @Test("an older schema is not migrated for reading")
  func older() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let place = try PostgresPlace(url: made.url())
    try await place.open(.readWrite).close()
    try await made.run("DELETE FROM schema_migration WHERE number > 101")
    let error = await Self.refusal { _ = try await place.open(.readOnly) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("older version") == true)
    #expect(try await made.run("SELECT max(number) FROM schema_migration") == "101")
  }

  @Test("a use of an image is noted without opening the store")
  func noteImageUse() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let place = try PostgresPlace(url: made.url())
    try await place.open(.readWrite).close()
    try await place.noteImageUse(of: "https://a.example/1.png")
    #expect(try await made.run("SELECT hit_count FROM image_tally") == "1")
  }
}
