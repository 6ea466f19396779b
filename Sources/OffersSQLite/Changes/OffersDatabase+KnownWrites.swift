import GRDB
import OffersCore
import OffersStore

extension OffersDatabase {
  package func writeFavorites(
    _ body: @escaping @Sendable (any Transaction) throws -> WrittenFavorites
  ) async throws -> WrittenFavorites {
    let changes: @Sendable (WrittenFavorites) -> DataChanges? = { [user] in
      $0.states.map { DataChanges(favorites: [user: $0]) }
    }
    let permit = WritePermit.current
    return try await writeKnown(.ordinary, changes: changes) { database in
      let transaction = SQLiteTransaction(database)
      try permit?.check(in: transaction)
      return try body(transaction)
    }
  }

  /// Writes pictures, or what is known of them.
  func writePictures<Result: Sendable>(
    waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await writeKnown(.image, waitSeconds: waitSeconds, changes: { _ in .pictures }, body)
  }

  /// Writes, and remembers for `commits` what the commit changed.
  ///
  /// - Parameter changes: what a write with this result has changed; nil for other data.
  private func writeKnown<Result: Sendable>(
    _ mode: WriteMode, waitSeconds: Double = WriteGuard.waitSeconds,
    changes: @escaping @Sendable (Result) -> DataChanges?,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let tell: @Sendable (VersionedResult<Result>) -> KnownCommits.Element? = { [self] in
      describe(changes($0.result), after: $0.before)
    }
    return try await write(mode, waitSeconds: waitSeconds, describe: tell) { [reader] database in
      // Without a version, the readers of commits are only told that there was one.
      let before = try? reader.fetchVersionIfOpen()
      return VersionedResult(result: try body(database), before: before)
    }.result
  }

  /// Describes a write, after its commit and while the write guard still keeps the commits of other processes
  /// away.
  ///
  /// - Returns: nil if other data changed as well, or if nobody reads versions.
  private func describe(_ changes: DataChanges?, after before: Int64?) -> KnownCommits.Element? {
    // A trigger of somebody else may have changed other data.
    guard let before, let changes, foreignSchema.isEmpty else { return nil }
    // A commit in memory is counted after this.
    let version = file.memory == nil ? (try? reader.fetchVersionIfOpen()) : before + 1
    return version.map { KnownCommits.Element(before: before, after: $0, changes: changes) }
  }
}

/// The result of a write.
private struct VersionedResult<Result: Sendable>: Sendable {
  let result: Result
  /// The version of the data before the write; nil if nobody reads versions.
  let before: Int64?
}
