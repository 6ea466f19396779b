import Foundation
import OffersCore

/// A store in a PostgreSQL database, which several nodes may use at the same time; see the page of this
/// room.
package final class PostgresStore: Sendable {
  let database: Database
  /// The user to whom the store is bound.
  let user: User.ID
  let definitions: (any FeedDefinitions)?
  let laterWrites: LaterWrites
  /// The uses of images that are not written yet.
  let imageUses: ImageUses

  private init(_ database: Database, definitions: (any FeedDefinitions)?) {
    self.database = database
    self.definitions = definitions
    user = User.ownerID
    laterWrites = LaterWrites()
    imageUses = ImageUses()
  }

  /// The same store, bound to another user.
  private init(_ store: PostgresStore, user: User.ID) {
    database = store.database
    definitions = store.definitions
    laterWrites = store.laterWrites
    imageUses = store.imageUses
    self.user = user
  }

  /// Opens a database, bound to its owner, and brings its schema up to date. An empty database gets one.
  ///
  /// - Throws: `OffersError`: `invalidRequest` for an invalid URL, `newerDatabase` for a schema that
  ///   this program cannot serve, `storeUnreachable` if the database cannot be reached.
  package static func open(
    url: String, definitions: (any FeedDefinitions)? = nil
  ) async throws -> PostgresStore {
    let database = Database(try DatabaseURL(url))
    try await Schema().migrate(database)
    return PostgresStore(database, definitions: definitions)
  }

  /// Closes the connections when their operations end. Later calls throw `OffersError` with
  /// `invalidRequest`.
  package func close() { database.close() }
}

extension PostgresStore: UserRecords {
  package func record(of user: User) -> PostgresStore {
    PostgresStore(self, user: user.id)
  }
}

extension PostgresStore: CommitSignal {
  package func fetchDataVersion() async throws -> Int64 { try await database.commits.version() }

  package var commits: AsyncStream<Int64> { database.commits.versions(keeping: self) }
}
