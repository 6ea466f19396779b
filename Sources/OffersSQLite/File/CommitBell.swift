import OffersCore
import Synchronization

/// Wakes the readers of a stream of commits after a commit of this program, which they would
/// otherwise find by their next poll only. It remembers the last commits of favorites and pictures.
package final class CommitBell: Sendable {
  /// The interval at which a stream of commits polls, and the shortest one between two of its versions.
  package static let interval = Duration.milliseconds(250)

  private struct State {
    var count: Int64 = 0
    var waits: Set<Task<Void, Never>> = []
    var known = KnownCommits()
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of commits so far.
  package var count: Int64 { state.withLock { $0.count } }

  /// Notes a commit and ends all waits.
  ///
  /// - Parameter commit: what is known of a commit of favorites or pictures; nil for any other commit.
  package func ring(_ commit: KnownCommits.Element? = nil) {
    let waits = state.withLock { state in
      state.count += 1
      if let commit { state.known.add(commit) }
      defer { state.waits = [] }
      return state.waits
    }
    for wait in waits { wait.cancel() }
  }

  /// The changes between two versions of the data, as `KnownCommits` has them.
  private func findChanges(after first: Int64, through last: Int64) -> DataChanges? {
    state.withLock { $0.known }.findChanges(after: first, through: last)
  }

  /// The versions of the data, by reading them when the bell rings and every `pollInterval` while a reader
  /// waits for the next one. The stream ends with its task, and once a version cannot be read because the
  /// store is closed.
  ///
  /// - Parameters:
  ///   - pollInterval: the interval at which commits of other programs are looked for.
  ///   - fetchVersion: reads the version of the data.
  package func commits(
    pollInterval: Duration = CommitBell.interval,
    _ fetchVersion: @escaping @Sendable () async throws -> Int64
  ) -> AsyncStream<DataCommit> {
    let last = Mutex<(version: Int64, at: ContinuousClock.Instant)?>(nil)
    return AsyncStream(unfolding: {
      if let at = last.withLock({ $0?.at }) {
        // The only error is the cancellation, which ends the loop below.
        try? await Task.sleep(until: at + CommitBell.interval, clock: .continuous)
      }
      while !Task.isCancelled {
        // It is read before the version, so that a commit in between ends the wait at once.
        let count = self.count
        do {
          let version = try await fetchVersion()
          let commit = last.withLock { last -> DataCommit? in
            if last?.version == version { return nil }
            defer { last = (version, .now) }
            return DataCommit(
              version: version,
              changes: last.flatMap { self.findChanges(after: $0.version, through: version) })
          }
          if let commit { return commit }
        } catch let error as OffersError where error.code == .invalidRequest {
          return nil
        } catch {
          // The next poll tries again. A permanent failure is reported by the reads that follow.
        }
        await self.wait(after: count, atMost: pollInterval)
      }
      return nil
    })
  }

  /// Waits until the next commit of this program, for a time at most, or until the task is cancelled.
  ///
  /// - Parameter count: the number of commits that the caller knows of. If there were more, this
  ///   returns at once.
  package func wait(after count: Int64, atMost time: Duration) async {
    let wait = state.withLock { state -> Task<Void, Never>? in
      guard state.count == count else { return nil }
      // The only error is the cancellation, which ends the wait.
      let wait = Task<Void, Never> { try? await Task.sleep(for: time) }
      state.waits.insert(wait)
      return wait
    }
    guard let wait else { return }
    await withTaskCancellationHandler {
      await wait.value
    } onCancel: {
      wait.cancel()
    }
    state.withLock { _ = $0.waits.remove(wait) }
  }
}
