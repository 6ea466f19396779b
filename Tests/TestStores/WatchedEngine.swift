import OffersCore
import OffersStore
import Synchronization

/// An engine that passes on each call to another one, after code of a test: to count, delay or refuse it.
package final class WatchedEngine: Engine {
  package enum Call: Hashable, Sendable {
    case transaction(TransactionMode)
    case lock
    case unlock
    case search
    case version
    case readiness
  }

  private let base: any Engine
  private let before: @Sendable (Call) async throws -> Void
  private let noted = Mutex<[Call]>([])
  private let version: (@Sendable () async throws -> Int64)?
  private let stream: AsyncStream<DataCommit>?

  /// - Parameters:
  ///   - base: the engine that gets the calls.
  ///   - before: called before each call, which its error refuses.
  ///   - version: tells the version of the data in place of the engine.
  ///   - commits: the commits in place of those of the engine.
  package init(
    _ base: any Engine, before: @escaping @Sendable (Call) async throws -> Void = { _ in },
    version: (@Sendable () async throws -> Int64)? = nil,
    commits: AsyncStream<DataCommit>? = nil
  ) {
    self.base = base
    self.version = version
    stream = commits
    self.before = before
  }

  /// The calls so far, in order.
  package var calls: [Call] { noted.withLock { $0 } }

  private func note(_ call: Call) async throws {
    noted.withLock { $0.append(call) }
    try await before(call)
  }

  package var place: String { base.place }
  package var software: StoreSoftware { base.software }
  package var maintenance: (any StoreMaintenance)? { base.maintenance }
  package var canWrite: Bool { base.canWrite }
  package var temporaryFolder: String { base.temporaryFolder }

  package func transaction<Result: Sendable>(
    _ mode: TransactionMode, describe: @escaping @Sendable (Result) -> DataChanges?,
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try await note(.transaction(mode))
    return try await base.transaction(mode, describe: describe, body)
  }

  package func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await note(.lock)
    let result = try await base.withSyncLocks(on: feeds, waitSeconds: waitSeconds, body)
    try await note(.unlock)
    return result
  }

  package func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    base.writeLater(body)
  }

  package func finishLaterWrites() async throws { try await base.finishLaterWrites() }

  package func prepareSearch() async throws {
    try await note(.search)
    try await base.prepareSearch()
  }

  package func compactAfterRemoval() async throws { try await base.compactAfterRemoval() }

  package func fetchDataVersion() async throws -> Int64 {
    try await note(.version)
    if let version { return try await version() }
    return try await base.fetchDataVersion()
  }

  package func commits() -> AsyncStream<DataCommit> { stream ?? base.commits() }

  package func checkReadiness() async throws {
    try await note(.readiness)
    try await base.checkReadiness()
  }

  package func close() async throws { try await base.close() }
}
