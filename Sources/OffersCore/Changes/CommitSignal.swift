import Synchronization

/// Detects commits to the store by any process: this one, a cron job, another shell.
public protocol CommitSignal: Sendable {
  /// A number that changes with each commit of any process. Cheap enough to be read before each
  /// answer. Values from before a restart cannot be compared with those after it.
  ///
  /// The number has changed when a commit of this store returns. For commits of other processes, the
  /// number of a file is exact, and that of a database on a server may be a second old.
  ///
  /// - Throws: `OffersError` with `storageFailed`, with `storeUnreachable` if the server could not be
  ///   reached for two seconds, or with `invalidRequest` if the store is closed; `CancellationError`.
  func fetchDataVersion() async throws -> Int64

  /// The versions of the data, for a screen that shows it: the current version at once, then each
  /// new one at most 250 milliseconds after its commit, or a second if the database is on a server
  /// behind a pooler. Several commits within that time count as one. Each tells what has changed, so that a
  /// list of offers need not be read again for a picture.
  ///
  /// Each stream has one reader and ends when its task is cancelled or the store is closed. While
  /// the store cannot be read, it waits. It holds the store until then.
  ///
  /// ```swift
  /// for await commit in database.commits where commit.concernsOffers {
  ///   offers = try await database.fetchOffers(query)
  /// }
  /// ```
  var commits: AsyncStream<DataCommit> { get }
}

extension CommitSignal {
  /// The versions of the data, by reading `fetchDataVersion()` every 250 milliseconds while a
  /// reader waits for the next one.
  public var commits: AsyncStream<DataCommit> { versions(wokenBy: CommitBell()) }

  /// The versions of the data, by reading `fetchDataVersion()` when a bell rings and every
  /// `pollInterval` while a reader waits for the next one.
  ///
  /// - Parameters:
  ///   - bell: rings after each commit of this program.
  ///   - pollInterval: the interval at which commits of other programs are looked for.
  package func versions(
    wokenBy bell: CommitBell, pollInterval: Duration = CommitBell.interval
  ) -> AsyncStream<DataCommit> {
    let last = Mutex<(version: Int64, at: ContinuousClock.Instant)?>(nil)
    return AsyncStream(unfolding: {
      if let at = last.withLock({ $0?.at }) {
        // The only error is the cancellation, which ends the loop below.
        try? await Task.sleep(until: at + CommitBell.interval, clock: .continuous)
      }
      while !Task.isCancelled {
        // It is read before the version, so that a commit in between ends the wait at once.
        let count = bell.count
        do {
          let version = try await fetchDataVersion()
          let commit = last.withLock { last -> DataCommit? in
            if last?.version == version { return nil }
            defer { last = (version, .now) }
            return DataCommit(
              version: version,
              changes: last.flatMap { bell.findChanges(after: $0.version, through: version) })
          }
          if let commit { return commit }
        } catch let error as OffersError where error.code == .invalidRequest {
          return nil
        } catch {
          // The next poll tries again. A permanent failure is reported by the reads that follow.
        }
        await bell.wait(after: count, atMost: pollInterval)
      }
      return nil
    })
  }
}
