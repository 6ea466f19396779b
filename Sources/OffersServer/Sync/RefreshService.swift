import Logging
import OffersCore
import ServiceLifecycle

/// Syncs the feeds that are due, at a fixed interval until the server shuts down.
struct RefreshService: Service {
  let jobs: SyncJobs
  let interval: Duration
  let logger: Logger

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      do {
        _ = try await jobs.start(SyncParameters([], reason: .due))
      } catch {
        // Most often another sync is running; feeds that stay due are synced at the next interval.
        logger.info("no refresh", metadata: ["reason": "\(error)"])
      }
      // The only error is a cancellation: by the shutdown, or by another service that has failed.
      // Either ends the loop.
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
    }
  }
}
