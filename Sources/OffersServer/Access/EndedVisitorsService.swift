import ServiceLifecycle

/// Forgets the visitors whose logins have ended elsewhere, until the server shuts down.
struct EndedVisitorsService: Service {
  let access: VisitorAuthentication
  var interval = Duration.seconds(10)

  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      // The only error is a cancellation, which ends the loop.
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
      await access.forgetEndedVisitors()
    }
  }
}
