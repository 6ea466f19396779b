import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Synchronization
import TestStores

@testable import OffersSQLite

/// A test's own database as an image cache.
final class ImageHome: Sendable {
  let folder: TemporaryFolder
  private let opened: Mutex<OffersDatabase>

  init() async throws {
    folder = try TemporaryFolder()
    opened = Mutex(try await OffersDatabase.openNew(in: folder))
  }

  var database: OffersDatabase { opened.withLock { $0 } }

  /// Sets or clears the favorite mark of an offer whose image has this URL.
  func setFavorite(_ url: String, to isFavorite: Bool) async throws {
    // No fsync, which no test here is about.
    try await database.write(.image) { database in
      let mark =
        isFavorite
        ? "INSERT INTO favorite (user_key, feed, id, created_at) VALUES (1, 'ibotta', ?, 0)"
        : "DELETE FROM favorite WHERE user_key = 1 AND feed = 'ibotta' AND id = ?"
      try database.execute(
        sql: """
          INSERT INTO offer
            (feed_key, id, content_hash, first_seen_at, changed_at, name, name_key, reward_up_to,
              image_url)
          VALUES (1, ?1, 0, 0, 0, 'Tea', x'', 0, ?1) ON CONFLICT DO NOTHING
          """, arguments: [url])
      try database.execute(sql: mark, arguments: [url])
    }
  }

  /// Drops the database as in a crash, and opens it again.
  func crash() async throws {
    // Earlier enqueued uses are written first, as in the program that dies. The uses gathered since
    // are lost with it.
    try await database.engine.finishLaterWrites()
    _ = database.imageUses.take()
    let again = try await OffersDatabase.open(path: folder.file("offers.sqlite"))
    opened.withLock { $0 = again }
  }

  /// Rows as another program sees them.
  func count() throws -> Int {
    try DatabaseQueue(path: folder.file("offers.sqlite")).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM image_cache") ?? 0
    }
  }
}
