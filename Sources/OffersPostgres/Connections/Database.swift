import OffersCore

/// A PostgreSQL database, through connections that it opens when they are needed: transactions, with
/// their retries and errors.
///
/// Readers and writers have connections of their own, so that no read waits for a writer of this
/// program.
final class Database: Sendable {
  private let readers: ConnectionPool
  private let writers: ConnectionPool
  let url: DatabaseURL
  let version = DataVersion()
  private let access: StoreAccess

  init(
    _ url: DatabaseURL, access: StoreAccess = .readWrite, readerLimit: Int = 4, writerLimit: Int = 3
  ) {
    self.url = url
    self.access = access
    readers = ConnectionPool(url, limit: readerLimit)
    writers = ConnectionPool(url, limit: writerLimit)
  }

  func close() {
    readers.close()
    writers.close()
  }

  /// Reads one state of the data. If the connection is lost, the read is made again on another one.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (DatabaseSession) throws -> Result
  ) async throws -> Result {
    try await attempting(readers) { session, _ in
      try session.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      do {
        let result = try body(session)
        try session.script("COMMIT")
        return result
      } catch {
        Self.rollBack(session)
        throw error
      }
    }
  }

  /// Reads by a single statement, which needs no transaction.
  func readOnce<Result: Sendable>(
    _ body: @escaping @Sendable (DatabaseSession) throws -> Result
  ) async throws -> Result {
    try await attempting(readers) { session, _ in try body(session) }
  }

  /// Writes all of a change or, if `body` throws, nothing.
  ///
  /// If the connection is lost before the commit is sent, or another transaction was in the way, the
  /// whole is run again. If it is lost while the commit is under way, an error says that the outcome is
  /// unknown.
  ///
  /// - Parameters:
  ///   - isKept: whether to commit. A trial is rolled back.
  ///   - isCounted: whether the version of the data changes. It does not with a lease, say.
  ///   - body: the change. It may be run several times.
  func write<Result: Sendable>(
    isKept: Bool = true, isCounted: Bool = true,
    _ body: @escaping @Sendable (DatabaseSession) throws -> Result
  ) async throws -> Result {
    if access == .readOnly {
      throw OffersError(.invalidRequest, "The database was opened for reading only.")
    }
    return try await attempting(writers) { [version] session, outcome in
      try session.script(Self.beginWrite)
      do {
        let result = try body(session)
        if session.cancellation.isCancelled { throw CancellationError() }
        guard isKept, session.changedRows > 0 else {
          try session.script("ROLLBACK")
          return result
        }
        // A cancelled commit might not wait for the standbys, and still be made.
        session.cancellation.end()
        if session.cancellation.isCancelled { throw CancellationError() }
        if isCounted { try session.script(Self.countCommit, isCancellable: false) }
        outcome.isCommitting = true
        // Also noted if the connection is lost now: the change may have been made.
        defer { if isCounted { version.noteCommit() } }
        try session.script("COMMIT", isCancellable: false)
        return result
      } catch {
        if !outcome.isCommitting { Self.rollBack(session) }
        throw error
      }
    }
  }

  /// A writer that stops amid its transaction, such as by SIGSTOP, must not keep others waiting.
  private static let beginWrite = """
    BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '300s';
    SET LOCAL idle_in_transaction_session_timeout = '15s'
    """

  /// Changes the version of the data, which is the sum of a few numbers: writers that commit at the same
  /// time seldom wait for each other. The step is random, so that a version is not given again when
  /// a standby takes over that lacks the last commits.
  private static let countCommit = """
    UPDATE commit_count SET number = number + 1 + (random() * 1000000)::bigint
    WHERE shard = pg_backend_pid() % 16
    """

  /// Whether a commit was sent.
  private final class Outcome {
    var isCommitting = false
  }

  private enum Attempt<Result: Sendable>: Sendable {
    case done(Result)
    case again(any Error)
    case failed(any Error)
  }

  private static let attemptLimit = 3

  private func attempting<Result: Sendable>(
    _ pool: ConnectionPool, _ body: @escaping @Sendable (DatabaseSession, Outcome) throws -> Result
  ) async throws -> Result {
    let url = url
    for number in 1... {
      do {
        let attempt = try await pool.run { session -> Attempt<Result> in
          let outcome = Outcome()
          do {
            return .done(try body(session, outcome))
          } catch let failure as PostgresFailure {
            let isUnknown = outcome.isCommitting && failure.isLost
            let error = PostgresFailure.translate(failure, url, isUnknown ? .unknown : .unchanged)
            let isTransient = failure.isLost || failure.isConflict || failure.isReadOnly
            return isTransient && !isUnknown ? .again(error) : .failed(error)
          }
        }
        switch attempt {
        case .done(let result): return result
        case .failed(let error): throw error
        case .again(let error): if number >= Self.attemptLimit { throw error }
        }
      } catch {
        throw PostgresFailure.translate(error, url)
      }
    }
    throw CancellationError()
  }

  private static func rollBack(_ session: DatabaseSession) {
    // A request to cancel that is under way must not hit the ROLLBACK.
    session.cancellation.end()
    guard session.isInTransaction else { return }
    // A connection whose transaction cannot be rolled back is closed, which rolls it back.
    _ = try? session.script("ROLLBACK", isCancellable: false)
  }
}
