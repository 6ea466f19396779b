import Foundation
import OffersCore
import OffersFeeds

extension SyncEngine {
  /// The most hosts whose feeds are synced concurrently.
  private static let hostLimit = 32

  /// Syncs several feeds: those on different hosts concurrently, up to 32 hosts, and those on one
  /// host one after another. A feed that fails does not stop the others.
  ///
  /// `finished` is called on the actor of the caller, such as the main actor, so a screen model
  /// changes its own state in it:
  ///
  /// ```swift
  /// try await engine.sync(names) { feed, result in
  ///   switch result {
  ///   case .success(let run): runs[feed] = run
  ///   case .failure(let error): errors[feed] = error
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - feeds: the names of defined feeds.
  ///   - options: apply to each feed. A source in them would be read for every feed, so it makes
  ///     sense for a single feed only.
  ///   - isolation: the actor on which `finished` is called: the caller's.
  ///   - progress: called from time to time while reading, from any task.
  ///   - finished: called once per feed when it is finished, never concurrently, with the run that
  ///     `sync` for a single feed would return, or the error that it would throw.
  /// - Throws: `CancellationError` when the task is cancelled: feeds that were finished stay so,
  ///   and the others are unchanged. The error of the store if it cannot be read before the first
  ///   sync.
  public func sync(
    _ feeds: [String], options: SyncOptions = SyncOptions(),
    isolation: isolated (any Actor)? = #isolation,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    finished: (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    try await run(feeds, options: options, progress: progress) { feed, result in
      finished(feed, result.flatMap { run in run.error.map { .failure($0) } ?? .success(run) })
    }
  }

  /// As `sync`, but a run that failed or is `quarantined` is a success that carries its error.
  package func run(
    _ feeds: [String], options: SyncOptions = SyncOptions(),
    isolation: isolated (any Actor)? = #isolation,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    finished: (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    let chains = try await chains(of: feeds, options)
    try await withTransport { transport in
      try await withThrowingTaskGroup(
        of: (feed: String, chain: Int, Result<SyncAttempt.Result, OffersError>).self
      ) { group in
        var network = NetworkEvidence()
        var waiting = chains
        func start(_ chain: Int) {
          guard !waiting[chain].isEmpty else { return }
          let feed = waiting[chain].removeFirst()
          group.addTask {
            (feed, chain, try await result(feed, options, transport, progress))
          }
        }
        var next = min(Self.hostLimit, chains.count)
        for chain in 0..<next { start(chain) }
        while let (feed, chain, result) = try await group.next() {
          var isWaiting = false
          if case .success(let attempt) = result { isWaiting = network.holds(attempt) }
          if !isWaiting { finished(feed, result.map(\.run)) }
          if waiting[chain].isEmpty, next < chains.count {
            start(next)
            next += 1
          } else {
            start(chain)
          }
        }
        for run in try await settle(network, options, transport) {
          finished(run.feed, .success(run))
        }
      }
    }
    await clearAway()
  }

  private func result(
    _ feed: String, _ options: SyncOptions, _ transport: any HTTPTransport,
    _ progress: @escaping @Sendable (SyncProgress) -> Void
  ) async throws -> Result<SyncAttempt.Result, OffersError> {
    do {
      return .success(
        try await attempt(feed, options, isTrial: false, over: transport, progress))
    } catch let error as OffersError {
      return .failure(error)
    }
  }

  /// The feeds grouped by the host of their source, in the given order. All feeds without a host
  /// form one group, because concurrent reads of files compete for the disk.
  private func chains(of feeds: [String], _ options: SyncOptions) async throws -> [[String]] {
    if feeds.count < 2 { return [feeds] }
    var places: [String: Int] = [:]
    var chains: [[String]] = []
    for feed in feeds {
      let host = try await host(of: feed, options)
      if let place = places[host] {
        chains[place].append(feed)
      } else {
        places[host] = chains.count
        chains.append([feed])
      }
    }
    return chains
  }

  /// The host of a feed's source; empty for a source without a host, such as a file, and for an
  /// unknown feed, which the sync itself reports.
  private func host(of feed: String, _ options: SyncOptions) async throws -> String {
    guard let definition = try? configuration.fetch(feed) else { return "" }
    let state = try await store.findSyncState(of: feed)
    return usualSource(of: definition, state, options).flatMap(HTTPOrigin.init)?.host ?? ""
  }
}

extension SyncRun {
  /// The run, if it neither failed nor is `quarantined`.
  ///
  /// - Throws: the error of a run that failed or is `quarantined`.
  func orThrow() throws -> SyncRun {
    if let error { throw error }
    return self
  }
}
