import Logging
import OffersCore
import ServiceLifecycle

/// Syncs what is due, again and again.
struct RefreshService: Service {
  let jobs: SyncJobs
  let interval: Duration
  let logger: Logger

  func run() async throws {
    // A sync that somebody started meanwhile does as well.
    while !Task.isShuttingDownGracefully {
      do {
        _ = try jobs.start(WantedSync([], reason: .due))
      } catch {
        logger.info("no refresh", metadata: ["reason": "\(error)"])
      }
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
    }
  }
}
