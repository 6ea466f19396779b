import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("offers serve with a database that a newer program has migrated")
struct NewerSchemaTests {
  @Test(
    "it refuses with the reason and ends with an error, so that its unit starts the newer program")
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
    let asked = try home.shell(
      """
      for path in offers/ibotta:1 health ready; do
        curl -s http://127.0.0.1:\(serving.port)/api/v1/$path; echo
      done
      curl -s -X PUT -H 'Content-Type: application/json' \
        http://127.0.0.1:\(serving.port)/api/v1/offers/ibotta:1/favorite
      """)
    let answers = asked.output.split(separator: "\n")
    #expect(answers.count == 4)
    for answer in answers {
      #expect(answer.contains(#""status":503"#), "\(answer)")
      #expect(answer.contains("belongs to a newer version of the program"), "\(answer)")
    }
    #expect(serving.process.wait() == 1)
    let log = String(decoding: serving.errors.readDataToEndOfFile(), as: UTF8.self)
    #expect(log.contains("error the server ends"), "\(log)")
    #expect(log.contains("offers: "), "\(log)")
    #expect(log.contains("by a newer version"), "\(log)")
  }
}
