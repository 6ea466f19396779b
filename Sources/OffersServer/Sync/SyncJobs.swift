import Foundation
import OffersCore
import Synchronization

/// Runs syncs, one at a time, and tells how far they are.
final class SyncJobs: Sendable {
  private struct State {
    var status = SyncStatus()
    /// Grows with each change of the status.
    var revision = 0
    var task: Task<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let syncer: any FeedSyncer
  private let now: @Sendable () -> Date

  init(syncer: any FeedSyncer, now: @escaping @Sendable () -> Date) {
    self.syncer = syncer
    self.now = now
  }

  var status: SyncStatus { state.withLock { $0.status } }

  /// The status, and a number that differs after each change of it.
  var revised: (status: SyncStatus, revision: Int) {
    state.withLock { ($0.status, $0.revision) }
  }

  /// Begins a sync, which goes on by itself.
  ///
  /// - Throws: `Problem` while another one runs, `OffersError` with `notFound` for an unknown feed,
  ///   `invalidRequest` for a source that it does not read from.
  func start(_ wanted: WantedSync) throws -> SyncStatus {
    var wanted = wanted
    wanted.feeds = try known(wanted.feeds)
    if let source = wanted.source { try Self.check(source, of: wanted.feeds) }
    return try state.withLock { state in
      if state.isClosed { throw Problem(.serviceUnavailable, "The server is ending.") }
      if let id = state.status.id, state.status.phase == .running {
        var problem = Problem(
          .conflict, "Sync \(id) is running.", hint: "See how far it is: GET /api/v1/sync",
          code: .locked)
        problem.id = id
        throw problem
      }
      state.status = SyncStatus(
        id: (state.status.id ?? 0) + 1, phase: .running, startedAt: now(),
        feeds: wanted.feeds.map { SyncStatus.FeedStatus(feed: $0) })
      state.revision += 1
      state.task = Task { [wanted] in await run(wanted) }
      return state.status
    }
  }

  /// Takes back the sync that runs, whose feeds are then what they were or what they became, and
  /// begins no other.
  func close() async {
    let task = state.withLock { state in
      state.isClosed = true
      return state.task
    }
    task?.cancel()
    await task?.value
  }

  /// Files are for whoever is at the machine.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  static func check(_ source: String, of feeds: [String]) throws {
    guard feeds.count == 1 else {
      throw OffersError(.invalidRequest, "A source belongs to one feed.", hint: "Name the feed.")
    }
    let url = URL(string: source)
    let isWeb = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host != nil
    if isWeb || source == "sample" { return }
    throw OffersError(
      .invalidRequest,
      "“\(source.prefix(200))” is no address that starts with http:// or https://.",
      hint: "Files are read by: offers sync \(feeds[0]) --from FILE")
  }

  private func known(_ feeds: [String]) throws -> [String] {
    if feeds.isEmpty { return [] }
    let names = try syncer.fetchKnownFeeds().map(\.name)
    var seen: Set<String> = []
    return try feeds.filter { feed in
      guard names.contains(feed) else {
        throw OffersError(
          .notFound, "There is no feed “\(feed)”.",
          hint: NearestWord.hint(for: feed, among: names, title: "Feeds"))
      }
      return seen.insert(feed).inserted
    }
  }

  private func run(_ wanted: WantedSync) async {
    var failure: OffersError?
    do {
      try await syncer.sync(wanted) { [self] progress in
        change { $0.note(progress) }
      } finished: { [self] feed, result in
        change { $0.finish(feed, result) }
      }
    } catch let error as OffersError {
      failure = error
    } catch {
      failure = OffersError(.sourceFailed, "The sync was cancelled.", cause: "\(error)")
    }
    change { status in
      status.phase = .done
      status.finishedAt = now()
      status.error = failure
    }
  }

  private func change(_ body: (inout SyncStatus) -> Void) {
    state.withLock { state in
      body(&state.status)
      state.revision += 1
    }
  }
}
