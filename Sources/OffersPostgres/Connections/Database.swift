import OffersCore
import OffersStore
import Synchronization

/// A PostgreSQL database, through connections that it opens when they are needed: transactions, with
/// their retries and errors.
///
/// Reads and each kind of write transaction have connection pools of their own, so that no read waits for a
/// write of this program, and no star for a sync.
final class Database: Sendable {
  /// The kinds of write transactions, each with its own pool.
  enum WriteKind {
    /// Short transactions, such as a star or a login.
    case short
    /// Transactions that lock the row of `commit_order` (`CommitOrder`): syncs, imports and pruning. Only one
    /// runs at a time.
    case ordered
    /// Transactions that take, renew or return the lease of a sync. Their lock timeout is two seconds, so that
    /// a locked lease does not delay the renewal of others until they expire.
    case lease

    fileprivate var lockTimeoutSeconds: Int { self == .lease ? 2 : 300 }
  }

  private let readers: ConnectionPool
  private let writers: ConnectionPool
  private let orderedWriters: ConnectionPool
  private let leaseWriters: ConnectionPool
  let url: DatabaseURL
  /// The version of the data.
  let commits: DataVersionMonitor
  private let access: OffersDatabase.Access
  var canWrite: Bool { access == .readWrite }
  /// The times of the leases of syncs.
  let leaseTimes: LeaseTimes
  private let checkSchema: @Sendable (Connection) throws -> Void

  /// - Parameter checkSchema: refuses a schema that this program cannot serve. Called after an error that
  ///   may be due to it.
  init(
    _ url: DatabaseURL, access: OffersDatabase.Access = .readWrite, readerLimit: Int = 4,
    writerLimit: Int = 2,
    leaseTimes: LeaseTimes = LeaseTimes(),
    checkSchema: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) {
    self.checkSchema = checkSchema
    self.url = url
    self.access = access
    self.leaseTimes = leaseTimes
    readers = ConnectionPool(url, limit: readerLimit)
    writers = ConnectionPool(url, limit: writerLimit)
    // An import may hold the only connection for minutes.
    orderedWriters = ConnectionPool(url, limit: 1, waitSeconds: 600)
    leaseWriters = ConnectionPool(url, limit: 1)
    commits = DataVersionMonitor(url)
  }

  func close() {
    for pool in [readers, writers, orderedWriters, leaseWriters] { pool.close() }
    commits.close()
  }

  /// Reads one state of the data. If the connection is lost, the read is made again on another one.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await attempting(readers) { connection, _ in
      do {
        try connection.script("\(Self.beginReading); \(connection.settingPath())")
        let result = try body(connection)
        try connection.script("COMMIT")
        return result
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }

  /// A time limit on the server as well, so that it ends a statement that this program has given up.
  private static let beginReading = """
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SET LOCAL statement_timeout = '\(Connection.Limit.statement.seconds)s'
    """

  /// Reads by a single statement, which needs no transaction.
  func readOnce<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await attempting(readers) { connection, _ in
      try connection.readOnce { try body(connection) }
    }
  }

  /// Writes all of a change or, if `body` throws, nothing.
  ///
  /// If the connection is lost before the commit is sent, the whole is run again, once. If it is lost
  /// while the commit is under way, so is a change that may be repeated; for another one, and if the
  /// repetition fails as well, an error says that the outcome is unknown. A change that another
  /// transaction was in the way of, or whose prepared statement the server has forgotten, is run again up
  /// to five times.
  ///
  /// - Parameters:
  ///   - kind: selects the connection pool and the lock timeout.
  ///   - isKept: whether to commit. A trial is rolled back, and may be made in a database that was opened for
  ///     reading only.
  ///   - isCounted: whether the version of the data changes. It does not with a lease, say.
  ///   - isRepeatable: whether the change leaves the same data if it is made twice.
  ///   - isNote: whether it is made even if the database was opened for reading only, such as that of a
  ///     recent search.
  ///   - describe: what the change has changed, if that is favorites or pictures; nil for other data.
  ///   - body: the change. It may be run several times.
  func write<Result: Sendable>(
    kind: WriteKind = .short, isKept: Bool = true, isCounted: Bool = true,
    isRepeatable: Bool = false, isNote: Bool = false,
    describe: @escaping @Sendable (Result) -> DataChanges? = { _ in nil },
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    if access == .readOnly, isKept, !isNote {
      throw OffersError.readOnlyStore
    }
    let pool =
      switch kind {
      case .short: writers
      case .ordered: orderedWriters
      case .lease: leaseWriters
      }
    let begin = begin(kind)
    return try await attempting(pool, isRepeatable: isRepeatable) { [commits] connection, outcome in
      do {
        try connection.script("\(begin); \(connection.settingPath())")
        let result = try body(connection)
        if connection.cancellation.isCancelled { throw CancellationError() }
        guard isKept, connection.changedRows > 0 else {
          try connection.script("ROLLBACK")
          return result
        }
        // A cancelled commit might not wait for the standbys, and still be made.
        connection.cancellation.end()
        if connection.cancellation.isCancelled { throw CancellationError() }
        let commit = isCounted ? try Self.count(in: connection) : nil
        outcome.isCommitting = true
        // For a COMMIT of a failed transaction the server reports a ROLLBACK.
        guard try connection.script("COMMIT", isCancellable: false).isCommit else {
          throw PostgresFailure(
            sqlState: "25P02", message: "the transaction had failed", isLost: false)
        }
        if let commit { commits.note(commit, describe(result)) }
        return result
      } catch {
        if !outcome.isCommitting { connection.rollBack() }
        throw error
      }
    }
  }

  /// A writer that stops amid its transaction, such as by SIGSTOP, must not keep others waiting.
  private func begin(_ kind: WriteKind) -> String {
    """
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL lock_timeout = '\(kind.lockTimeoutSeconds)s';
    SET LOCAL idle_in_transaction_session_timeout = \(Int(leaseTimes.seconds * 1000))
    """
  }

  /// Changes the version of the data, which is the sum of a few numbers: writers that commit at the same
  /// time seldom wait for each other. The step is random, so that a version is not given again when
  /// a standby takes over that lacks the last commits.
  private static func count(in connection: Connection) throws -> CountedCommit? {
    try connection.rows(
      prepared: """
        UPDATE commit_count SET number = number + step
        FROM (SELECT 1 + (random() * 1000000::float8)::bigint AS step) AS random_step
        WHERE shard = pg_backend_pid() % 16 RETURNING shard, number, step
        """
    ).first.map { CountedCommit(shard: $0.number(0), number: $0.number(1), step: $0.number(2)) }
  }

  /// Whether a commit was sent.
  private final class Outcome {
    var isCommitting = false
  }

  private enum Attempt<Result: Sendable>: Sendable {
    case done(Result)
    case again(any Error, isUnknown: Bool)
    case failed(any Error)
  }

  private static let attemptLimits = (connection: 2, conflict: 5)

  private func attempting<Result: Sendable>(
    _ pool: ConnectionPool, isRepeatable: Bool = true,
    _ body: @escaping @Sendable (Connection, Outcome) throws -> Result
  ) async throws -> Result {
    let (url, checkSchema) = (url, checkSchema)
    // The error about a commit that was not confirmed, while it is repeated.
    var unknown: (any Error)?
    for number in 1... {
      do {
        let attempt = try await pool.run { connection -> Attempt<Result> in
          let outcome = Outcome()
          do {
            return .done(try body(connection, outcome))
          } catch let failure as PostgresFailure {
            if failure.mayBeOfSchema {
              do {
                try checkSchema(connection)
              } catch let error as OffersError {
                return .failed(error)
              } catch {
                // The first error is the one to report.
              }
            }
            let isUnknown = outcome.isCommitting && failure.isOfConnection
            let error = PostgresFailure.translate(failure, url, mayBeStored: isUnknown)
            let limit =
              failure.isConflict
              ? Self.attemptLimits.conflict
              : failure.isOfConnection && (isRepeatable || !isUnknown)
                ? Self.attemptLimits.connection : 0
            return number < limit ? .again(error, isUnknown: isUnknown) : .failed(error)
          }
        }
        switch attempt {
        case .done(let result): return result
        case .failed(let error): throw unknown ?? error
        case .again(let error, let isUnknown): if isUnknown { unknown = error }
        }
      } catch let failure as PostgresFailure {
        throw unknown ?? PostgresFailure.translate(failure, url)
      }
    }
    throw CancellationError()
  }
}

/// Writes that nobody waits for and that may be lost, such as when a session was last seen. They are
/// made one after another.
final class LaterWrites: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  /// Lines up a write. Its error is dropped.
  func add(_ write: @escaping @Sendable () async throws -> Void) {
    last.withLock { last in
      let previous = last
      last = Task {
        await previous?.value
        // The caller accepts that the write may be lost.
        try? await write()
      }
    }
  }

  /// Waits for the writes that were lined up.
  func finish() async { await last.withLock(\.self)?.value }
}

/// The times of the leases of syncs. Tests shorten them.
struct LeaseTimes: Sendable {
  /// How long a lease lasts without being renewed. A transaction of a program that has stopped is
  /// ended after the same time (`Database.write`): so another program gets its lease, and the locks
  /// that it had, within twice this time.
  var seconds = 10.0
  /// After how much time it is renewed.
  var renewalSeconds = 3.0
}
