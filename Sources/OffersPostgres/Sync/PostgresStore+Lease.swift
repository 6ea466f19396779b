import OffersCore

extension PostgresStore {
  package func withSyncLock<Result: Sendable>(
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
    let deadline = start + .seconds(waitSeconds)
    var first: String?
    while true {
      let (lease, renewal) = try await database.write(kind: .lease, isCounted: false) { session in
        do {
          let lease = try SyncLease.take(feed, in: session)
          return (lease, lease == nil ? try SyncLease.findRenewal(of: feed, in: session) : nil)
        } catch let failure as PostgresFailure where failure.isOfLock {
          // The holder is committing its sync.
          return (nil, nil)
        }
      }
      if let lease { return lease }
      first = first ?? renewal
      // A holder that does not renew its lease has probably been killed, and the lease ends soon. A
      // caller that waits for less than the time between renewals cannot tell.
      let end =
        renewal == first && .seconds(waitSeconds) > SyncLease.renewalInterval
        ? max(deadline, start + .seconds(SyncLease.seconds + 1)) : deadline
      guard ContinuousClock.now < end else {
        throw OffersError(
          .locked, "Another process is syncing \(feed).",
          hint: "Nothing was changed. Wait for it, then sync again.")
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// How a task of a sync has ended.
  private enum Ending<Result: Sendable>: Sendable {
    case sync(Swift.Result<Result, any Error>)
    case renewals(any Error)
  }

  /// Runs `body` and renews the lease meanwhile. If the lease is lost, `body` is cancelled; if it has
  /// committed before, its result counts.
  private func keeping<Result: Sendable>(
    _ lease: SyncLease, while body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Ending<Result>.self) { group in
        group.addTask {
          do {
            return .sync(
              .success(try await SyncLease.$current.withValue(lease) { try await body() }))
          } catch {
            return .sync(.failure(error))
          }
        }
        group.addTask { .renewals(await self.renew(lease)) }
        var loss: (any Error)?
        for try await ending in group {
          group.cancelAll()
          switch ending {
          case .sync(.success(let result)): return result
          case .sync(.failure(let error)): throw loss ?? error
          case .renewals(let error): loss = error
          }
        }
        throw CancellationError()
      }
    }
  }

  /// Renews a lease until the task is cancelled. While the database cannot be reached it tries again, for
  /// as long as the lease lasts. A sync that is committing has locked its lease: nobody else can take it
  /// then.
  ///
  /// - Returns: `OffersError`: `locked` if another program has the lease, `storeUnreachable`;
  ///   `CancellationError`.
  private func renew(_ lease: SyncLease) async -> any Error {
    var end = ContinuousClock.now + .seconds(SyncLease.seconds)
    var wait = SyncLease.renewalInterval
    while true {
      do {
        try await Task.sleep(for: wait)
        let start = ContinuousClock.now
        let isRenewed = try await database.write(kind: .lease, isCounted: false, isRepeatable: true)
        {
          do {
            try lease.renew(in: $0)
            return true
          } catch let failure as PostgresFailure where failure.isOfLock {
            return false
          }
        }
        if isRenewed { end = start + .seconds(SyncLease.seconds) }
        wait = isRenewed ? SyncLease.renewalInterval : .milliseconds(250)
      } catch let error as OffersError where error.code == .storeUnreachable {
        if end <= .now { return error }
        wait = .milliseconds(250)
      } catch {
        return error
      }
    }
  }

  /// Gives a lease back. If that fails, the outcome of the sync is still the one to tell, and the lease ends
  /// by itself.
  private func end(_ lease: SyncLease) async {
    // Not in the task of the caller, whose cancellation would leave the lease.
    let database = database
    try? await Task {
      try await database.write(kind: .lease, isCounted: false, isRepeatable: true) {
        try lease.end(in: $0)
      }
    }.value
  }
}
