import Foundation
import OffersCore
import OffersStore

/// The engine for a PostgreSQL database, which several nodes may use at the same time; see the page of this
/// module.
package final class PostgresEngine: Sendable {
  let database: Database
  let laterWrites = LaterWrites()
  /// The version of the server when the store was opened, such as `15.8`.
  let serverVersion: String

  private init(_ database: Database, serverVersion: String) {
    self.database = database
    self.serverVersion = serverVersion
  }

  /// Opens a database. With `readOnly` its schema is neither made nor changed, and nothing is written
  /// but recent searches.
  ///
  /// - Parameters:
  ///   - createsSchema: whether opening for writing makes a schema if there is none.
  ///   - leaseTimes: the times of the leases of syncs.
  /// - Throws: `OffersError`: `notFound` if the database has no schema and none is made, otherwise as
  ///   `OffersDatabase.open(url:access:proposesFeed:definitions:)`.
  static func open(
    _ url: DatabaseURL, access: OffersDatabase.Access, proposesFeed: Bool,
    createsSchema: Bool = true,
    leaseTimes: LeaseTimes = LeaseTimes()
  ) async throws -> PostgresEngine {
    let database = Database(
      url, access: access, leaseTimes: leaseTimes,
      checkSchema: { connection in
        try connection.readOnce { try PostgresSchema().refuseNewer(in: connection, url) }
      })
    do {
      switch access {
      case .readWrite:
        if !createsSchema { try await PostgresSchema.require(in: database) }
        try await PostgresSchema().migrate(database, proposesFeed: proposesFeed)
      case .readOnly: try await PostgresSchema().check(database)
      }
      let version = try await database.readOnce { connection in
        try connection.rows("SELECT current_setting('server_version')").first?.text(0) ?? ""
      }
      return PostgresEngine(database, serverVersion: String(version.prefix { $0 != " " }))
    } catch {
      database.close()
      throw error
    }
  }

  package func close() async throws {
    await laterWrites.finish()
    database.close()
  }

  package func fetchDataVersion() async throws -> Int64 { try await database.commits.version() }

  package func commits() -> AsyncStream<DataCommit> { database.commits.versions() }

  package func checkReadiness() async throws {
    try await PostgresSchema().check(database)
    let isReadOnly = try await database.readOnce { connection in
      try connection.rows(
        "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"
      ).first?.flag(0) ?? false
    }
    if isReadOnly {
      throw OffersError(.storageFailed, "\(database.url.capitalized) is read-only.")
    }
  }
}

extension PostgresEngine: Engine {
  package var place: String { database.url.name }
  package var canWrite: Bool { database.canWrite }
  package var temporaryFolder: String { NSTemporaryDirectory() }

  package var software: StoreSoftware {
    StoreSoftware(
      key: "postgresql", name: "PostgreSQL", version: serverVersion,
      remark: Self.library.map { "by libpq \($0.version)" })
  }

  /// The loaded client library; nil if it is not installed.
  package static var library: StoreSoftware? {
    // Who keeps to SQLite need not have it.
    guard let library = try? PostgresLibrary.load() else { return nil }
    let number = Int(library.functions.PQlibVersion())
    return StoreSoftware(
      key: "libpq", name: "libpq", version: "\(number / 10_000).\(number % 10_000)")
  }

  /// None: a server is cared for by its own tools.
  package var maintenance: (any StoreMaintenance)? { nil }

  /// The search is always prepared.
  package func prepareSearch() async throws {}

  package func transaction<Result: Sendable>(
    _ mode: TransactionMode, describe: @escaping @Sendable (Result) -> DataChanges?,
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    let body = { @Sendable (connection: Connection) in try body(PostgresTransaction(connection)) }
    return switch mode {
    case .read: try await database.read(body)
    case .export:
      try await database.read { [url = database.url] connection in
        do { return try body(connection) } catch {
          // Translated here, so that the read is not made again.
          throw PostgresFailure.translate(error, url)
        }
      }
    case .query: try await database.readOnce(body)
    case .write: try await database.write(body)
    case .sync, .syncNote:
      try await database.write(kind: .ordered) { [leases = heldLeases] connection in
        let result = try body(connection)
        for lease in leases { try lease.check(in: connection) }
        return result
      }
    case .removal:
      try await database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try body(connection)
      }
    case .trial: try await database.write(kind: .ordered, isKept: false, body)
    case .repeatableWrite, .note: try await database.write(isRepeatable: true, body)
    case .repeatableUncountedWrite:
      try await database.write(isCounted: false, isRepeatable: true, body)
    case .noteOfReader: try await database.write(isRepeatable: true, isNote: true, body)
    case .favorites: try await database.write(isRepeatable: true, describe: describe, body)
    case .image, .imageNote: try await database.write(describe: describe, body)
    case .uncountedImage: try await database.write(isCounted: false, body)
    }
  }

  private var heldLeases: [SyncLease] { SyncLease.held[ObjectIdentifier(database)] ?? [] }

  package func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    laterWrites.add { [database] in
      try await database.write(describe: { DataChanges() }) { try body(PostgresTransaction($0)) }
    }
  }

  package func finishLaterWrites() async throws { await laterWrites.finish() }

  /// The number of words that one transaction looks at.
  private static let wordCount = 2000

  /// Removes the words that only removed or changed offers had, in several transactions.
  package func compactAfterRemoval() async throws {
    var next: String? = ""
    while let word = next {
      next = try await database.write(kind: .ordered, isCounted: false) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try SearchWordTable.deleteUnused(after: word, limit: Self.wordCount, in: connection)
      }
    }
  }
}

extension PostgresEngine {
  package func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let feed = feeds.first else { return try await body() }
    return try await withLease(on: feed, waitSeconds: waitSeconds) {
      try await withSyncLocks(on: Array(feeds.dropFirst()), waitSeconds: waitSeconds, body)
    }
  }

  private func withLease<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let lease = try await takeLease(on: feed, waitSeconds: waitSeconds)
    do {
      let result = try await keeping(lease, while: body)
      await end(lease)
      return result
    } catch {
      await end(lease)
      throw error
    }
  }

  private func takeLease(on feed: String, waitSeconds: Double) async throws -> SyncLease {
    let start = ContinuousClock.now
    let deadline = start + .wait(seconds: waitSeconds)
    let times = database.leaseTimes
    var first: String?
    while true {
      let (lease, renewal) =
        try await changeLease { connection in
          let lease = try SyncLease.take(feed, for: times, in: connection)
          return (lease, lease == nil ? try SyncLease.findRenewal(of: feed, in: connection) : nil)
        } ?? (nil, nil)
      if let lease { return lease }
      first = first ?? renewal
      // A holder that does not renew its lease has probably been killed, and the lease ends soon. A
      // caller that waits for less than the time between renewals cannot tell.
      let end =
        renewal == first && waitSeconds > times.renewalSeconds
        ? max(deadline, start + .seconds(times.seconds + 1)) : deadline
      guard ContinuousClock.now < end else { throw OffersError.syncingElsewhere(feed) }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// The result of one of the two tasks of `keeping(_:while:)`.
  private enum TaskOutcome<Result: Sendable>: Sendable {
    case sync(Swift.Result<Result, any Error>)
    case renewal(any Error)
  }

  /// Runs `body` and renews the lease meanwhile. If the lease is lost, `body` is cancelled. If `body` has
  /// committed by then and returns its result, that result is returned.
  private func keeping<Result: Sendable>(
    _ lease: SyncLease, while body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: TaskOutcome<Result>.self) { group in
        group.addTask {
          do {
            var leases = SyncLease.held
            leases[ObjectIdentifier(self.database), default: []].append(lease)
            let result = try await SyncLease.$held.withValue(leases) { try await body() }
            return .sync(.success(result))
          } catch {
            return .sync(.failure(error))
          }
        }
        group.addTask { .renewal(await self.renew(lease)) }
        var loss: (any Error)?
        for try await outcome in group {
          group.cancelAll()
          switch outcome {
          case .sync(.success(let result)): return result
          case .sync(.failure(let error)): throw loss ?? error
          case .renewal(let error): loss = error
          }
        }
        throw CancellationError()
      }
    }
  }

  /// Renews a lease until the task is cancelled. While the database cannot be reached it tries again, for
  /// as long as the lease lasts. While the sync commits, it holds the lock of its lease, so that no other program
  /// can take it.
  ///
  /// - Returns: `OffersError`: `locked` if another program has the lease, `storeUnreachable`;
  ///   `CancellationError`.
  private func renew(_ lease: SyncLease) async -> any Error {
    var end = ContinuousClock.now + .seconds(lease.times.seconds)
    var wait = Duration.seconds(lease.times.renewalSeconds)
    while true {
      do {
        try await Task.sleep(for: wait)
        let start = ContinuousClock.now
        let isRenewed = try await changeLease(isRepeatable: true, lease.renew) != nil
        if isRenewed { end = start + .seconds(lease.times.seconds) }
        wait = isRenewed ? .seconds(lease.times.renewalSeconds) : .milliseconds(250)
      } catch let error as OffersError where error.code == .storeUnreachable {
        if end <= .now { return error }
        wait = .milliseconds(250)
      } catch {
        return error
      }
    }
  }

  /// Returns a lease. An error is ignored: the result of the sync stands, and the lease expires by itself.
  private func end(_ lease: SyncLease) async {
    // Not in the task of the caller, whose cancellation would leave the lease.
    _ = try? await Task { try await changeLease(isRepeatable: true, lease.end) }.value
  }

  /// Runs a transaction on a lease.
  ///
  /// - Returns: its result; nil if another transaction held the lock of the lease until the lock timeout.
  private func changeLease<Result: Sendable>(
    isRepeatable: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result? {
    try await database.write(kind: .lease, isCounted: false, isRepeatable: isRepeatable) {
      do {
        return try body($0)
      } catch let failure as PostgresFailure where failure.isLockTimeout {
        return nil
      }
    }
  }
}
