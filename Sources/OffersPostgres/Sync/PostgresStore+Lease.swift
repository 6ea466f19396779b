import OffersCore
import OffersStore

extension PostgresStore {
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
