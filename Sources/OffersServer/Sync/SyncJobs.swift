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
    let feeds = try known(wanted.feeds)
    wanted.feeds = feeds.map(\.name)
    if let source = wanted.source { try Self.check(source, of: feeds) }
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

  /// Files, variables and what goes with them are for whoever is at the machine.
  private static func check(_ source: String, of feeds: [KnownFeed]) throws {
    guard let feed = feeds.first, feeds.count == 1 else {
      throw OffersError(.invalidRequest, "A source belongs to one feed.", hint: "Name the feed.")
    }
    let hint = "At the machine itself: offers sync \(feed.name) --from \(source.prefix(200))"
    if source == "sample" {
      guard let own = feed.source, own != source else { return }
      throw OffersError(
        .invalidRequest, "\(feed.name) has a source of its own: \(own)",
        hint: "Its sample is read by: offers sync \(feed.name) --from sample")
    }
    let url = URL(string: source)
    guard ["http", "https"].contains(url?.scheme?.lowercased()), url?.host != nil else {
      throw OffersError(
        .invalidRequest,
        "“\(source.prefix(200))” is no address that starts with http:// or https://.", hint: hint)
    }
    if source.contains("{env:") {
      throw OffersError(
        .invalidRequest, "A source with a variable of this machine is not set from a page.",
        hint: hint)
    }
    if feed.hasHeaders {
      throw OffersError(
        .invalidRequest, "\(feed.name) sends headers of its own, meant for its own source.",
        hint: hint)
    }
  }

  /// The feeds with these names, each once.
  private func known(_ names: [String]) throws -> [KnownFeed] {
    if names.isEmpty { return [] }
    let all = try syncer.fetchKnownFeeds()
    var seen: Set<String> = []
    return try names.filter { seen.insert($0).inserted }.map { name in
      if let feed = all.first(where: { $0.name == name }) { return feed }
      throw OffersError(
        .notFound, "There is no feed “\(name)”.",
        hint: NearestWord.hint(for: name, among: all.map(\.name), title: "Feeds"))
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
