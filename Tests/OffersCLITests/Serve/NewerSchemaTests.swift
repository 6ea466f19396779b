import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("offers serve with a database that a newer program has migrated")
struct NewerSchemaTests {
  @Test(
    "it ends with an error and the reason, so that its unit starts the newer program")
  func ends() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let serving = try Serving(home)
    let migrated = try home.shell(
      TestStore.isFile
        ? """
        sqlite3 "$OFFERS_DATABASE" 'PRAGMA legacy_alter_table = ON;
          ALTER TABLE favorite RENAME TO star; PRAGMA user_version = 9999'
        """
        : """
        psql -qXc "ALTER TABLE favorite RENAME TO star; INSERT INTO schema_migration
          (number, name, is_expanding) VALUES (9999, 'later', false)" "$OFFERS_DATABASE"
        """)
    #expect(migrated.status == 0, "\(migrated.errors)")
    #expect(serving.process.wait() == 1)
    let log = String(decoding: serving.errors.readDataToEndOfFile(), as: UTF8.self)
    #expect(log.contains("error the server ends"), "\(log)")
    #expect(log.contains("offers: "), "\(log)")
    #expect(log.contains("by a newer version"), "\(log)")
  }
}
