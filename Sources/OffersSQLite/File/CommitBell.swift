import OffersCore
import OffersStore
import Synchronization

/// Wakes the reader of a stream of commits after a commit of this program, which it would
/// otherwise find by its next poll only. It remembers the last commits of favorites and pictures.
final class CommitBell: Sendable {
  /// The interval at which a stream of commits polls.
  static let interval = Duration.milliseconds(250)

  private struct State {
    var count: Int64 = 0
    var waits: Set<Task<Void, Never>> = []
    var known = KnownCommits()
  }

  private let state = Mutex(State())

  init() {}

  /// The number of commits so far.
  var count: Int64 { state.withLock { $0.count } }

  /// Notes a commit and ends all waits.
  ///
  /// - Parameter commit: what is known of a commit of favorites or pictures; nil for any other commit.
  func ring(_ commit: KnownCommits.Element? = nil) {
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
  func commits(
    pollInterval: Duration = CommitBell.interval,
    _ fetchVersion: @escaping @Sendable () async throws -> Int64
  ) -> AsyncStream<DataCommit> {
    let last = Mutex<Int64?>(nil)
    return AsyncStream(unfolding: {
      while !Task.isCancelled {
        // It is read before the version, so that a commit in between ends the wait at once.
        let count = self.count
        do {
          let version = try await fetchVersion()
          let commit = last.withLock { last -> DataCommit? in
            if last == version { return nil }
            defer { last = version }
            return DataCommit(
              version: version,
              changes: last.flatMap { self.findChanges(after: $0, through: version) })
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
  func wait(after count: Int64, atMost time: Duration) async {
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

/// The last commits of this program that changed nothing but favorites and pictures.
struct KnownCommits: Sendable {
  /// A commit, with the versions of the data before and after it.
  struct Element: Sendable {
    let before: Int64
    let after: Int64
    let changes: DataChanges

    init(before: Int64, after: Int64, changes: DataChanges) {
      (self.before, self.after, self.changes) = (before, after, changes)
    }
  }

  /// Oldest first.
  private var commits: [Element] = []

  /// The maximum numbers of commits that are remembered, and of favorites in each.
  private static let commitLimit = 64
  private static let favoriteLimit = 100

  init() {}

  mutating func add(_ commit: Element) {
    if commit.changes.favorites.values.reduce(0, { $0 + $1.count }) > Self.favoriteLimit { return }
    if commits.count == Self.commitLimit { commits.removeFirst() }
    commits.append(commit)
  }

  /// The changes between two versions of the data; nil if they are not known, or others than these.
  func findChanges(after first: Int64, through last: Int64) -> DataChanges? {
    var version = first
    var changes = DataChanges()
    for commit in commits where commit.before == version {
      if version == last { break }
      version = commit.after
      changes = changes.followed(by: commit.changes)
    }
    return version == last ? changes : nil
  }
}
