import Synchronization

/// The version of the data, as it was read last.
///
/// A version is used for a quarter of a second, or until this program commits. So commits of other
/// programs are seen within that time, by at most four queries a second of each program, also through
/// a pooler in transaction mode. NOTIFY would be faster, but it takes a lock of the whole server at
/// each commit, and such poolers drop it.
final class DataVersion: Sendable {
  private struct State {
    /// Counts the commits of this program.
    var commits = 0
    var last: (version: Int64, readAt: ContinuousClock.Instant, commits: Int)?
    var reading: (task: Task<Int64, any Error>, commits: Int)?
  }

  private let state = Mutex(State())
  private static let freshness = Duration.milliseconds(250)

  /// Notes a commit, so that the next call reads the version again.
  func noteCommit() { state.withLock { $0.commits += 1 } }

  /// The version. Calls at the same time share one query.
  ///
  /// - Parameter read: reads the version from the database.
  func fetch(_ read: @escaping @Sendable () async throws -> Int64) async throws -> Int64 {
    let task = state.withLock { state -> Task<Int64, any Error>? in
      if let last = state.last, last.commits == state.commits,
        last.readAt + Self.freshness > .now
      {
        return nil
      }
      if let reading = state.reading, reading.commits == state.commits { return reading.task }
      let commits = state.commits
      let task = Task { [self] in
        let begun = ContinuousClock.now
        let result: Result<Int64, any Error>
        do { result = .success(try await read()) } catch { result = .failure(error) }
        self.state.withLock { state in
          if case .success(let version) = result { state.last = (version, begun, commits) }
          if state.reading?.commits == commits { state.reading = nil }
        }
        return try result.get()
      }
      state.reading = (task, commits)
      return task
    }
    if let task { return try await task.value }
    return state.withLock { $0.last?.version ?? 0 }
  }
}
