import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Synchronization
import TestStores

@testable import OffersSQLite

/// A test's own database as an image cache.
final class ImageHome: ImageRepositoryHome {
  let folder: TemporaryFolder
  private let opened: Mutex<OffersDatabase>

  private let userKey: Int64

  /// - Parameter ofAna: whether the favorites are those of another user than the owner.
  init(ofAna: Bool = false) async throws {
    folder = try TemporaryFolder()
    let database = try await OffersDatabase.openNew(in: folder)
    userKey =
      ofAna ? try await database.addUser(named: "Ana", role: .viewer).id : User.ownerID
    opened = Mutex(database)
  }

  /// A cache in memory.
  init(inMemory database: OffersDatabase) async throws {
    folder = try TemporaryFolder()
    _ = try await database.subscribe(to: "ibotta", source: "sample")
    userKey = User.ownerID
    opened = Mutex(database)
  }

  var database: OffersDatabase { opened.withLock { $0 } }
  var images: any ImageFetchStore { database }

  func setFavorite(_ url: String, to isFavorite: Bool) async throws {
    // No fsync, which no test here is about.
    try await database.write(.image) { [userKey] database in
      let mark =
        isFavorite
        ? "INSERT INTO favorite (user_key, feed, id, created_at) VALUES (\(userKey), 'ibotta', ?, 0)"
        : "DELETE FROM favorite WHERE user_key = \(userKey) AND feed = 'ibotta' AND id = ?"
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

  func crash() async throws {
    // Earlier enqueued uses are written first, as in the program that dies. The uses gathered since
    // are lost with it.
    try await database.finishLaterWrites()
    _ = database.imageUses.take()
    // A database in memory does not outlive its process.
    if database.file.memory != nil { return }
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
