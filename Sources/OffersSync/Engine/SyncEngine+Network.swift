import OffersCore

/// The end of attempts whose source was not reached.
extension SyncEngine {
  /// Decides whether the network is missing, and records the attempts that wait for that.
  ///
  /// - Returns: their runs. Those without a network leave the feeds as they are, so that they stay due.
  /// - Throws: `CancellationError`; then nothing is recorded.
  func settle(
    _ network: NetworkEvidence, _ options: SyncOptions, _ transport: any HTTPTransport
  ) async throws -> [SyncRun] {
    if network.waiting.isEmpty { return [] }
    var isMissing = network.isMissing
    var hasPortal = network.hasPortal
    if isMissing == nil {
      isMissing = await findsPortal(transport)
      hasPortal = true
    }
    var runs: [SyncRun] = []
    for (run, source) in network.waiting {
      try Task.checkCancellation()
      var run = run
      var fetch = source.fetch
      if isMissing == true {
        run.error = .noNetwork(run.error, hasPortal: hasPortal)
        run.nextDueAt = source.state?.fetch.nextDueAt
        fetch = hasPortal ? source.state?.fetch.withoutUnprovenMove : nil
      }
      // The caller gets the failure of the sync, not an error of recording it.
      try? await record(run, fetch, of: source, options)
      log(run)
      runs.append(run)
    }
    return runs
  }

  private func record(
    _ run: SyncRun, _ fetch: FetchState?, of source: UnreachedSource, _ options: SyncOptions
  ) async throws {
    try await store.withSyncLock(on: run.feed, waitSeconds: options.lockWaitSeconds) {
      // Another sync may have come in between, whose state is the newer one.
      let last = try await store.findSyncState(of: run.feed)?.lastRunAt
      guard last == source.state?.lastRunAt else { return }
      try await store.record(run, remember: nil, fetch: fetch, presentation: nil)
    }
  }

  /// Addresses that no server has: one of documentation (RFC 5737), and a name that does not exist (RFC
  /// 6761). Whoever answers there answers for all.
  private static let unused = ["http://198.51.100.1/", "http://portal.invalid/"]
  /// The longest wait for an answer from there.
  private static let probeSeconds = 3.0

  /// Whether the network answers in place of servers, with a web page or a redirect to one.
  private func findsPortal(_ transport: any HTTPTransport) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      for url in Self.unused {
        group.addTask {
          // Without an answer there is no portal.
          let status = try? await transport.send(
            TransportRequest(
              url: url, mayBePrivate: true, headSeconds: Self.probeSeconds,
              idleSeconds: Self.probeSeconds)
          ).status
          return status.map { (200..<400).contains($0) || $0 == 511 } ?? false
        }
      }
      return await group.contains(true)
    }
  }
}
