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
  /// behind a pooler. Several commits within that time count as one.
  ///
  /// Each stream has one reader and ends when its task is cancelled or the store is closed. While
  /// the store cannot be read, it waits. It holds the store until then.
  ///
  /// ```swift
  /// for await _ in database.commits { offers = try await database.fetchOffers(query) }
  /// ```
  var commits: AsyncStream<Int64> { get }
}

extension CommitSignal {
  /// The versions of the data, by reading `fetchDataVersion()` every 250 milliseconds while a
  /// reader waits for the next one.
  public var commits: AsyncStream<Int64> {
    let last = Mutex<Int64?>(nil)
    return AsyncStream(unfolding: {
      while !Task.isCancelled {
        do {
          let version = try await fetchDataVersion()
          let isNew = last.withLock { last in
            defer { last = version }
            return last != version
          }
          if isNew { return version }
        } catch let error as OffersError where error.code == .invalidRequest {
          return nil
        } catch {
          // The next poll tries again. A permanent failure is reported by the reads that follow.
        }
        // The only error is the cancellation, which ends the loop.
        try? await Task.sleep(for: .milliseconds(250))
      }
      return nil
    })
  }
}
