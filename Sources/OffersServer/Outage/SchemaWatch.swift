import Logging
import OffersCore
import ServiceLifecycle
import Synchronization

/// Ends the server after another program has brought the schema of its database to a newer version: only
/// that version can use the database from then on, and whatever starts this server, such as a unit of
/// systemd, then starts the installed one.
///
/// The schema is checked at an interval, and after a request that has failed because of it. From then on
/// every request gets 503 with the reason, that of the health check included, and some seconds later the
/// service throws the error of the store.
final class SchemaWatch: Sendable {
  /// The times of a watch.
  struct Times: Sendable {
    /// The interval of the checks.
    var interval = Duration.seconds(2)
    /// How long the server goes on to tell its clients the reason.
    var notice = Duration.seconds(3)
  }

  /// The service that checks the schema until the server shuts down.
  struct Checks: Service {
    let watch: SchemaWatch
    let times: Times

    /// - Throws: `OffersError` with `newerDatabase`, some seconds after it was noticed.
    func run() async throws {
      while !Task.isShuttingDownGracefully, !Task.isCancelled {
        // The only error is a cancellation: by the shutdown, or by another service that has failed.
        // Either ends the loop.
        try? await cancelWhenGracefulShutdown { try await watch.wait(times) }
        if let error = watch.error.withLock({ $0 }) { throw error }
      }
    }
  }

  private let store: any StoreReadiness
  private let logger: Logger
  /// The error of the store; nil as long as this program can use the schema.
  fileprivate let error = Mutex<OffersError?>(nil)
  private let (wakes, wake) = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(_ store: any StoreReadiness, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  /// The refusal of every request; nil as long as this program can use the schema.
  var refusal: Problem? { error.withLock { $0 }.map(Problem.init) }

  /// Notes the error of a request that the store has refused because of its schema.
  func note(_ error: OffersError) {
    let isFirst = self.error.withLock { known in
      defer { known = known ?? error }
      return known == nil
    }
    guard isFirst else { return }
    logger.error("the server ends", metadata: ["reason": "\(error.message)"])
    wake.yield()
  }

  /// Returns when the server is to end.
  fileprivate func wait(_ times: Times) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in self.wakes { return } }
      group.addTask {
        while self.refusal == nil {
          try await Task.sleep(for: times.interval)
          await self.check()
        }
      }
      defer { group.cancelAll() }
      _ = try await group.next()
    }
    try await Task.sleep(for: times.notice)
  }

  /// Checks the schema once. A store that cannot be reached, or fails in another way, may recover.
  private func check() async {
    do {
      try await store.checkReadiness()
    } catch let error as OffersError where error.code == .newerDatabase {
      note(error)
    } catch {}
  }
}
