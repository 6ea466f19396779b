import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersStore
import OffersTestSupport
import Synchronization
import TestStores

@testable import OffersSync

/// Simulated servers whose responses a test defines, without a network.
final class SimulatedWeb: HTTPTransport {
  /// A response; nil for an unreachable host.
  typealias Answer = @Sendable (TransportRequest) -> SimulatedAnswer?

  private let state: Mutex<State>

  private struct State {
    var answer: Answer
    var requests: [TransportRequest] = []
  }

  init(_ answer: @escaping Answer = { _ in nil }) {
    state = Mutex(State(answer: answer))
  }

  /// Sets the responses from now on.
  func answer(_ answer: @escaping Answer) {
    state.withLock { $0.answer = answer }
  }

  /// All requests so far, in order.
  var requests: [TransportRequest] { state.withLock { $0.requests } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let answer = state.withLock {
      $0.requests.append(request)
      return $0.answer
    }
    guard let found = answer(request) else { throw TransportFailure(.noAnswer) }
    return TransportResponse(
      status: found.status, reason: found.status == 404 ? "Not Found" : "",
      headers: found.headers.map { HeaderField($0.0, $0.1) },
      bytes: found.bytes ?? Array(found.body.utf8))
  }
}

extension SyncEngine {
  /// An engine over a simulated web, with a fixed back-off.
  init(
    store: OffersDatabase, configuration: FeedConfiguration = .shipped,
    environment: @escaping @Sendable (String) -> String? = { _ in nil },
    now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double,
    transport: SimulatedWeb
  ) {
    self.init(
      store: store, transport: .shared(transport), configuration: configuration,
      environment: environment, now: now, jitter: jitter)
  }
}

/// A response of a simulated server.
struct SimulatedAnswer: Sendable {
  var status = 200
  var headers: [(String, String)] = []
  var body = ""
  /// Replaces the body when it is not text.
  var bytes: [UInt8]?

  init(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "") {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A test's own database, simulated web and clock.
final class FetchHome: Sendable {
  let folder: TemporaryFolder
  let database: OffersDatabase
  let web = SimulatedWeb()
  private let seconds: Mutex<TimeInterval>

  static let url = "https://feed.example/offers.json"

  /// - Parameter start: the initial time, 2026-01-01 by default.
  init(start: TimeInterval = 1_767_225_600) async throws {
    folder = try TemporaryFolder()
    database = try await OffersDatabase.openNew(in: folder)
    seconds = Mutex(start)
  }

  var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

  /// Advances the clock.
  func wait(hours: Double = 0, days: Double = 0) {
    seconds.withLock { $0 += hours * 3600 + days * 86_400 }
  }

  var engine: SyncEngine {
    SyncEngine(
      store: database, now: { [self] in now }, jitter: { 1 }, transport: web)
  }

  /// An engine for feeds that a YAML text defines.
  func engine(
    _ yaml: String, variables: [String: String] = [:]
  ) throws -> SyncEngine {
    SyncEngine(
      store: database, configuration: try .init(yaml: yaml, name: "feeds.yaml"),
      environment: { variables[$0] }, now: { [self] in now }, jitter: { 1 }, transport: web)
  }

  @discardableResult
  func sync(
    from source: String? = nil, _ reason: SyncReason = .asked, acceptsRemovals: Bool = false
  ) async throws -> SyncRun {
    try await engine.run(
      "ibotta",
      options: SyncOptions(
        source: source.map { SyncSource(typed: $0) }, acceptsRemovals: acceptsRemovals,
        reason: reason))
  }

  func fetch() async throws -> FetchState {
    try await database.findSyncState(of: "ibotta")?.fetch ?? FetchState()
  }

  func ids() async throws -> [String] {
    try await database.fetchOffers(OfferQuery()).map(\.ref.offerID)
  }

  /// The condition headers of the last request.
  var lastConditions: [String: String] {
    var found: [String: String] = [:]
    guard let headers = web.requests.last?.headers else { return found }
    for name in ["if-none-match", "if-modified-since"] {
      if let value = headers.first(name: name) { found[name] = value }
    }
    return found
  }
}
