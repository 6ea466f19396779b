import OffersCore

extension PostgresStore {
  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let lease = try await takeLease(on: feed, waitSeconds: waitSeconds)
    do {
      let result = try await keeping(lease, while: body)
      try await end(lease)
      return result
    } catch {
      // The error of the sync is the one to tell. A lease that is not given back ends by itself.
      try? await end(lease)
      throw error
    }
  }

  private func takeLease(on feed: String, waitSeconds: Double) async throws -> SyncLease {
    let start = ContinuousClock.now
    let deadline = start + .seconds(waitSeconds)
    var first: String?
    while true {
      let (lease, renewal) = try await database.write(isCounted: false) { session in
        let lease = try SyncLease.take(feed, in: session)
        return (lease, lease == nil ? try SyncLease.findRenewal(of: feed, in: session) : nil)
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

  /// Runs `body` and renews the lease meanwhile. If the lease is lost, `body` is cancelled.
  private func keeping<Result: Sendable>(
    _ lease: SyncLease, while body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
          try await SyncLease.$current.withValue(lease) { try await body() }
        }
        group.addTask { try await self.renew(lease) }
        defer { group.cancelAll() }
        while let next = try await group.next() {
          if let result = next { return result }
        }
        throw CancellationError()
      }
    }
  }

  /// Renews a lease until the task is cancelled. While the database cannot be reached it tries again, for
  /// as long as the lease lasts.
  ///
  /// - Throws: `OffersError`: `locked` if another program has the lease, `storeUnreachable`.
  private func renew<Nothing>(_ lease: SyncLease) async throws -> Nothing {
    var end = ContinuousClock.now + .seconds(SyncLease.seconds)
    var wait = SyncLease.renewalInterval
    while true {
      try await Task.sleep(for: wait)
      let start = ContinuousClock.now
      do {
        try await database.write(isCounted: false, isRepeatable: true) { session in
          try lease.renew(in: session)
        }
        end = start + .seconds(SyncLease.seconds)
        wait = SyncLease.renewalInterval
      } catch let error as OffersError where error.code == .storeUnreachable {
        if end <= .now { throw error }
        wait = .milliseconds(250)
      }
    }
  }

  private func end(_ lease: SyncLease) async throws {
    // Not in the task of the caller, whose cancellation would leave the lease.
    let database = database
    try await Task {
      try await database.write(isCounted: false, isRepeatable: true) { try lease.end(in: $0) }
    }.value
  }
}
