import Synchronization

/// Wakes the readers of `CommitSignal.commits` after a commit of this program, which they would
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
  func findChanges(after first: Int64, through last: Int64) -> DataChanges? {
    state.withLock { $0.known }.findChanges(after: first, through: last)
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
