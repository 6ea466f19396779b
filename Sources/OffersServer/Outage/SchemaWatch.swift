import Logging
import OffersCore
import ServiceLifecycle

/// Ends the server after another program has brought the schema of its database to a newer version: only
/// that version can use the database from then on, and whatever starts this server, such as a unit of
/// systemd, then starts the installed one. Until then, requests fail with the error of the store.
struct SchemaWatch: Service {
  let store: any StoreReadiness
  let logger: Logger
  /// The interval of the checks.
  var interval = Duration.seconds(2)

  /// Checks the schema until the server shuts down. A store that cannot be reached, or fails in another
  /// way, may recover.
  ///
  /// - Throws: `OffersError` with `newerDatabase`.
  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      // The only error is a cancellation: by the shutdown, or by another service that has failed.
      // Either ends the loop.
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
      do {
        try await store.checkReadiness()
      } catch let error as OffersError where error.code == .newerDatabase {
        logger.error("the server ends", metadata: ["reason": "\(error.message)"])
        throw error
      } catch {}
    }
  }
}
