import OffersCore
import OffersPlatform

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
    // Dead servers and a name server that fails for one domain look like a missing network, too.
    if isMissing == nil || isMissing == true && !hasPortal && InterfaceAddresses.haveWayOut {
      switch await probe(transport) {
      case .portal: (isMissing, hasPortal) = (true, true)
      case .names: if !network.knowsNoName { isMissing = false }
      case .silence: break
      }
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
  /// 6761). A captive portal answers there, because it answers in place of every server.
  private static let unused = ["http://198.51.100.1/", "http://portal.invalid/"]
  /// The longest wait for an answer from there.
  private static let probeSeconds = 3.0

  /// The state of the network, by the answers from the addresses in `unused`.
  private enum Probe {
    /// It answers in place of servers, with a web page or a redirect to one.
    case portal
    /// A name server says that the name does not exist, so one can be reached.
    case names
    case silence
  }

  private func probe(_ transport: any HTTPTransport) async -> Probe {
    await withTaskGroup(of: Probe.self) { group in
      for url in Self.unused {
        group.addTask {
          do {
            let status = try await transport.send(
              TransportRequest(
                url: url, mayBePrivate: true, headSeconds: Self.probeSeconds,
                idleSeconds: Self.probeSeconds)
            ).status
            return (200..<400).contains(status) || status == 511 ? .portal : .silence
          } catch {
            return (error as? TransportFailure)?.reason == .unknownHost ? .names : .silence
          }
        }
      }
      let probes = await group.reduce(into: []) { $0.append($1) }
      return [.portal, .names].first(where: probes.contains) ?? .silence
    }
  }
}
