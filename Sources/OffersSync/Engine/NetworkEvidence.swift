import OffersCore
import OffersPlatform

/// A source that was not reached, so that the failure may be the network's.
struct UnreachedSource: Sendable {
  let host: String
  let contact: Contact
  /// The state of the feed before the sync.
  let state: SyncState?
  /// The state to store if the feed has failed.
  let fetch: FetchState?

  /// Whether the last sync of the feed did not fail.
  var wasHealthy: Bool { state.map { $0.fetch.failureCount == 0 } ?? false }
}

/// What the attempts of one call say about the network of this machine.
///
/// A machine without a network, or in one that answers in place of servers until its user has logged in, is
/// no feed's failure. One answer of a server shows that the network is there. Without one, it is missing if
/// no route leads out, if no resolver answers, if a login page says so, or if feeds of several sites failed,
/// of which one was healthy before. Of a single feed nothing is known: see ``SyncEngine/probe(_:)``.
struct NetworkEvidence {
  private(set) var waiting: [(run: SyncRun, source: UnreachedSource)] = []
  private var hasAnswer = false

  /// Notes the end of an attempt. Returns whether it waits for the others.
  mutating func holds(_ result: SyncAttempt.Result) -> Bool {
    if let source = result.unreached {
      waiting.append((result.run, source))
      return true
    }
    // A server in the local network answers without the internet, too.
    if result.run.request?.status != nil, let host = HTTPOrigin(result.run.source)?.host,
      !Self.isPrivate(host)
    {
      hasAnswer = true
    }
    return false
  }

  /// Whether the network is missing; nil if that is not known.
  var isMissing: Bool? {
    if hasAnswer { return false }
    let sources = waiting.map(\.source)
    if sources.contains(where: { $0.contact == .noNetwork || $0.contact == .portal }) {
      return true
    }
    let others = sources.filter { !Self.isPrivate($0.host) }
    if others.isEmpty { return false }
    let sites = Set(others.map { Self.site(of: $0.host) })
    return sites.count > 1 && others.contains(where: \.wasHealthy) ? true : nil
  }

  /// Whether no source's name has an address: then the name server may say so of all names.
  var knowsNoName: Bool { waiting.allSatisfy { $0.source.contact == .unknownName } }

  /// Whether a network that is missing is one that answers in place of servers.
  var hasPortal: Bool {
    waiting.contains { $0.source.contact == .portal || $0.source.contact == .stranger }
  }

  private static func isPrivate(_ host: String) -> Bool {
    HTTPAddress("http://\(host.contains(":") ? "[\(host)]" : host)/")?.isPrivate ?? true
  }

  /// The last two labels of a host: hosts of one site may fail together.
  private static func site(of host: String) -> String {
    host.split(scalar: ".").suffix(2).joined(separator: ".")
  }
}

extension FetchState {
  /// The state without a permanent redirect that is not believed yet: those of several networks do not add
  /// up. Nil if there is none.
  var withoutUnprovenMove: FetchState? {
    guard (1..<Self.movesBelieved).contains(movedCount) else { return nil }
    var next = self
    next.movedFrom = nil
    next.movedTo = nil
    next.movedCount = 0
    return next
  }
}

extension OffersError {
  /// The error of a sync without a network.
  ///
  /// - Parameter hasPortal: whether the network answers in place of servers.
  static func noNetwork(_ error: OffersError?, hasPortal: Bool) -> OffersError {
    OffersError(
      .noNetwork,
      hasPortal
        ? "The network answers in place of servers: it probably wants a login."
        : "There is no network.",
      hint: "Nothing was changed. What is due is read by the first sync after the network is back.",
      cause: error?.message)
  }
}

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
    /// A captive portal answers in place of servers, with a web page or a redirect to one.
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
