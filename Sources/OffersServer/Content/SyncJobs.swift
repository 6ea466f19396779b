import Foundation
import Logging
import OffersCore
import OffersPlatform
import ServiceLifecycle
import Synchronization

extension Result where Failure == OffersError {
  fileprivate var isLocked: Bool {
    if case .failure(let error) = self { error.code == .locked } else { false }
  }
}

/// Runs syncs in the background, one at a time, and reports their progress.
final class SyncJobs: Sendable {
  private struct State {
    var status = SyncStatus()
    /// The number of changes of the status so far.
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

  /// The status, with a revision number that differs after each change of it.
  var revised: (status: SyncStatus, revision: Int) {
    state.withLock { ($0.status, $0.revision) }
  }

  /// Starts a sync in a task of its own, and returns its first status.
  ///
  /// - Parameter source: the source to read, as a user typed it; nil for the remembered ones.
  /// - Throws: `Problem` with status 409 and the id of the running sync while one runs, with status
  ///   503 after `close()`; `OffersError` with `notFound` for an unknown feed, with `invalidRequest`
  ///   for a source that may not be set over HTTP.
  func start(_ parameters: SyncParameters, from source: String? = nil) async throws -> SyncStatus {
    var parameters = parameters
    let feeds = try await known(parameters.feeds)
    parameters.feeds = feeds.map(\.name)
    if let source {
      try Self.check(source, of: feeds)
      parameters.source = SyncSource(typed: source)
    }
    return try state.withLock { state in
      if state.isClosed { throw Problem(.serviceUnavailable, "The server is shutting down.") }
      if let id = state.status.id, state.status.phase == .running {
        var problem = Problem(
          .conflict, "Sync \(id) is running.", hint: "See its progress: GET /api/v1/sync",
          code: .locked)
        problem.id = id
        throw problem
      }
      state.status = SyncStatus(
        id: (state.status.id ?? 0) + 1, phase: .running, startedAt: now(),
        feeds: parameters.feeds.map { SyncStatus.FeedStatus(feed: $0) })
      state.revision += 1
      // The sync goes on after the login of whoever has begun it.
      state.task = WritePermit.$current.withValue(nil) {
        Task { [parameters] in await run(parameters) }
      }
      return state.status
    }
  }

  /// Cancels the running sync and waits for its end; no other can be started. A sync is atomic for
  /// each feed, so that each of its feeds is either unchanged or completely updated.
  func close() async {
    let task = state.withLock { state in
      state.isClosed = true
      return state.task
    }
    task?.cancel()
    await task?.value
  }

  /// Checks that a source may be set over HTTP, and for a single feed: an http or https URL, or
  /// `sample`, the built-in sample, for a feed whose definition has no source of its own.
  /// Reading files and environment variables of the machine is reserved to the command line, and a
  /// feed's own request headers, which may hold a secret, are not sent to another source.
  private static func check(_ source: String, of feeds: [KnownFeed]) throws {
    guard let feed = feeds.first, feeds.count == 1 else {
      throw OffersError(
        .invalidRequest, "A source can be set for one feed only.", hint: "Name the feed.")
    }
    let word = ShellQuoting.word(String(source.prefix(200)))
    let hint = "On the server's own machine: offers sync \(feed.name) --from \(word)"
    if SyncSource(typed: source) == .sample {
      guard let own = feed.source, own != source else { return }
      throw OffersError(
        .invalidRequest,
        "\(feed.name) has a source of its own: \(AddressRedaction.hidden(in: own))",
        hint: "To read its sample: offers sync \(feed.name) --from sample")
    }
    try SentAddress.check(source, hint: hint)
    if feed.hasHeaders {
      throw OffersError(
        .invalidRequest, "\(feed.name) sends headers that are meant for its own source only.",
        hint: hint)
    }
  }

  /// The feeds with these names, without duplicates.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown name.
  private func known(_ names: [String]) async throws -> [KnownFeed] {
    if names.isEmpty { return [] }
    let all = try await syncer.fetchKnownFeeds()
    var seen: Set<String> = []
    return try names.filter { seen.insert($0).inserted }.map { name in
      if let feed = all.first(where: { $0.name == name }) { return feed }
      throw OffersError(
        .notFound, "There is no feed “\(name)”.",
        hint: NearestWord.hint(for: name, among: all.map(\.name), title: "Feeds"))
    }
  }

  private func run(_ parameters: SyncParameters) async {
    var failure: OffersError?
    do {
      try await syncer.sync(parameters) { [self] progress in
        change { $0.note(progress) }
      } finished: { [self] feed, result in
        // Another sync of the feed that is due is running. That is what was wanted.
        let isLeftOut = parameters.reason == .due && result.isLocked
        change { isLeftOut ? $0.leaveOut(feed) : $0.finish(feed, result) }
      }
    } catch let error as OffersError where error.code != .cancelled {
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

/// The progress of the running sync, or the result of the last one; `idle` before the first.
struct SyncStatus: Sendable {
  enum Phase: String, Sendable {
    case idle, running, done
  }

  struct FeedStatus: Sendable {
    enum Phase: String, Sendable {
      case waiting, reading, writing, done, failed
    }

    let feed: String
    var phase = Phase.waiting
    var bytes = 0
    var totalBytes: Int?
    var records = 0
    var run: SyncRun?
    var error: OffersError?
  }

  /// The number of the sync, counted from 1 since the start of the server; nil before the first.
  var id: Int?
  var phase = Phase.idle
  var startedAt: Date?
  var finishedAt: Date?
  var feeds: [FeedStatus] = []
  /// The error of the sync as a whole, such as invalid feed definitions. The error of a single feed
  /// is in its `FeedStatus`.
  var error: OffersError?

  /// Changes the status of a feed, and appends one if the feed has none yet.
  mutating func change(_ feed: String, _ body: (inout FeedStatus) -> Void) {
    let index =
      feeds.firstIndex { $0.feed == feed }
      ?? {
        feeds.append(FeedStatus(feed: feed))
        return feeds.count - 1
      }()
    body(&feeds[index])
  }

  mutating func note(_ progress: SyncProgress) {
    change(progress.feed) { feed in
      // Progress may be reported after the result: both come from concurrent tasks.
      if feed.phase == .done || feed.phase == .failed { return }
      feed.phase = progress.isWriting ? .writing : .reading
      feed.bytes = progress.bytes
      feed.totalBytes = progress.totalBytes
      feed.records = progress.records
    }
  }

  /// Removes a feed of which another sync is running.
  mutating func leaveOut(_ feed: String) { feeds.removeAll { $0.feed == feed } }

  mutating func finish(_ feed: String, _ result: Result<SyncRun, OffersError>) {
    change(feed) { feed in
      switch result {
      case .success(let run):
        feed.phase = run.error == nil || run.outcome == .heldBack ? .done : .failed
        feed.run = run
        feed.error = run.error
        feed.bytes = max(feed.bytes, run.bytes)
      case .failure(let error):
        feed.phase = .failed
        feed.error = error
      }
    }
  }
}

extension JSONWriter {
  mutating func value(_ status: SyncStatus) {
    object { json in
      json.member("id", status.id)
      json.member("state", status.phase.rawValue)
      json.member("started_at", status.startedAt)
      json.member("finished_at", status.finishedAt)
      json.member("error", status.error)
      json.member("feeds", objects: status.feeds) { json, feed in
        json.member("feed", feed.feed)
        json.member("state", feed.phase.rawValue)
        json.member("bytes", feed.bytes)
        json.member("total_bytes", feed.totalBytes)
        json.member("records", feed.records)
        json.member("run", feed.run)
        json.member("error", feed.error)
      }
    }
  }
}

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
