import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OffersCore
import OffersSQLite
import OffersTestSupport
import Synchronization

@testable import OffersSync

/// Servers that answer as a test says, without a network.
final class SimulatedWeb: HTTPTransport {
  /// An answer, or nil for a host that cannot be reached.
  typealias Answer = @Sendable (HTTPClientRequest) -> SimulatedAnswer?

  private let state: Mutex<State>

  private struct State {
    var answer: Answer
    var requests: [HTTPClientRequest] = []
  }

  init(_ answer: @escaping Answer = { _ in nil }) {
    state = Mutex(State(answer: answer))
  }

  /// Answers from now on like this.
  func answer(_ answer: @escaping Answer) {
    state.withLock { $0.answer = answer }
  }

  /// All requests so far, in order.
  var requests: [HTTPClientRequest] { state.withLock { $0.requests } }

  func execute(
    _ request: HTTPClientRequest, mayBePrivate: Bool, timeoutSeconds: Double
  ) async throws -> HTTPClientResponse {
    let answer = state.withLock {
      $0.requests.append(request)
      return $0.answer
    }
    guard let found = answer(request) else { throw HTTPClientError.connectTimeout }
    return HTTPClientResponse(
      status: .init(statusCode: found.status), headers: HTTPHeaders(found.headers),
      body: .bytes(found.bytes.map { ByteBuffer(bytes: $0) } ?? ByteBuffer(string: found.body)))
  }
}

/// What a simulated server says.
struct SimulatedAnswer: Sendable {
  var status = 200
  var headers: [(String, String)] = []
  var body = ""
  /// Stands for the body where it is no text.
  var bytes: [UInt8]?

  init(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "") {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A database, a web and a clock of a test's own.
final class FetchHome: Sendable {
  let folder: TemporaryFolder
  let database: OffersDatabase
  let web = SimulatedWeb()
  private let seconds: Mutex<TimeInterval>

  static let url = "https://feed.example/offers.json"

  /// - Parameter start: 2026-01-01 unless said.
  init(start: TimeInterval = 1_767_225_600) throws {
    folder = try TemporaryFolder()
    database = try OffersDatabase(path: folder.file("offers.sqlite"))
    seconds = Mutex(start)
  }

  var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

  /// Lets time go by.
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
    try await engine.sync(
      "ibotta",
      options: SyncOptions(source: source, acceptsRemovals: acceptsRemovals, reason: reason))
  }

  func fetch() async throws -> FetchState {
    try await database.findSyncState(of: "ibotta")?.fetch ?? FetchState()
  }

  func ids() async throws -> [String] {
    try await database.fetchOffers(OfferQuery()).map(\.ref.id)
  }

  /// The conditions that the last request asked with.
  var lastConditions: [String: String] {
    var found: [String: String] = [:]
    guard let headers = web.requests.last?.headers else { return found }
    for name in ["if-none-match", "if-modified-since"] {
      if let value = headers.first(name: name) { found[name] = value }
    }
    return found
  }
}
