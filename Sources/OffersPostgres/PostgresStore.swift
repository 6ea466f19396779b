import Foundation
import OffersCore

/// A store in a PostgreSQL database, which several nodes may use at the same time; see the page of this
/// module.
package final class PostgresStore: Sendable {
  let database: Database
  /// The user to whom the store is bound.
  package let user: User.ID
  package let definitions: (any FeedDefinitions)?
  let laterWrites: LaterWrites
  /// The uses of images that are not written yet.
  package let imageUses: PendingImageUses
  /// The version of the server when the store was opened, such as `15.8`.
  let serverVersion: String

  private init(
    _ database: Database, serverVersion: String, definitions: (any FeedDefinitions)?
  ) {
    self.database = database
    self.serverVersion = serverVersion
    self.definitions = definitions
    user = User.ownerID
    laterWrites = LaterWrites()
    imageUses = PendingImageUses()
  }

  /// The same store, bound to another user.
  private init(_ store: PostgresStore, user: User.ID) {
    database = store.database
    definitions = store.definitions
    laterWrites = store.laterWrites
    imageUses = store.imageUses
    serverVersion = store.serverVersion
    self.user = user
  }

  /// Opens a database, bound to its owner, and brings its schema up to date. An empty database gets one.
  ///
  /// - Parameters:
  ///   - url: the URL of the database.
  ///   - access: the operations that are wanted.
  ///   - proposesFeed: whether a new database is subscribed to `Feed.initialName`, with its built-in
  ///     sample.
  ///   - definitions: the definitions of feeds.
  /// - Throws: `OffersError`: `invalidRequest` for an invalid URL, `newerDatabase` for a schema that
  ///   this program cannot serve, `storeUnreachable` if the database cannot be reached.
  package static func open(
    url: String, access: StoreAccess = .readWrite, proposesFeed: Bool = false,
    definitions: (any FeedDefinitions)? = nil
  ) async throws -> PostgresStore {
    try await open(
      DatabaseURL(url), access: access, proposesFeed: proposesFeed, definitions: definitions)
  }

  /// Opens a database. With `readOnly` its schema is neither made nor changed, and nothing is written
  /// but recent searches.
  ///
  /// - Parameters:
  ///   - createsSchema: whether opening for writing makes a schema if there is none.
  ///   - leaseTimes: the times of the leases of syncs.
  /// - Throws: `OffersError`: `notFound` if the database has no schema and none is made, otherwise as
  ///   `open(url:access:definitions:)`.
  static func open(
    _ url: DatabaseURL, access: StoreAccess, proposesFeed: Bool, createsSchema: Bool = true,
    definitions: (any FeedDefinitions)? = nil, leaseTimes: LeaseTimes = LeaseTimes()
  ) async throws -> PostgresStore {
    let database = Database(
      url, access: access, leaseTimes: leaseTimes,
      checkSchema: { connection in
        try connection.readOnce { try Schema().refuseNewer(in: connection, url) }
      })
    do {
      switch access {
      case .readWrite:
        if !createsSchema { try await Schema.require(in: database) }
        try await Schema().migrate(database, proposesFeed: proposesFeed)
      case .readOnly: try await Schema().check(database)
      }
      let version = try await database.readOnce { connection in
        try connection.rows("SELECT current_setting('server_version')").first?.text(0) ?? ""
      }
      return PostgresStore(
        database, serverVersion: String(version.prefix { $0 != " " }), definitions: definitions)
    } catch {
      database.close()
      throw error
    }
  }

  package func close() async throws {
    // Uses of images may be lost.
    try? await flushImageUses()
    await laterWrites.finish()
    database.close()
  }
}

extension PostgresStore: UserRecords {
  package func record(of user: User) -> PostgresStore {
    PostgresStore(self, user: user.id)
  }
}

extension PostgresStore: CommitSignal {
  package func fetchDataVersion() async throws -> Int64 { try await database.commits.version() }

  package var commits: AsyncStream<DataCommit> { database.commits.versions(keeping: self) }
}
