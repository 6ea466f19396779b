import Hummingbird
import Logging
import OffersCore
import OffersStore
import ServiceLifecycle
import Synchronization

/// Tells a load balancer whether this server can answer requests from its store.
///
/// One check runs at a time, however many ask, because everybody may ask. Each waits two seconds at most;
/// a check that takes longer goes on, and answers whoever asks next.
struct Readiness: Sendable {
  private let check: SharedWork
  private let timeLimit: Duration

  init(
    _ store: OffersDatabase, outage: StoreOutage, timeLimit: Duration = .seconds(2)
  ) {
    self.timeLimit = timeLimit
    check = SharedWork {
      do {
        try await store.checkReadiness()
        outage.end()
      } catch {
        let error = error as? OffersError
        if let error, error.code == .storeUnreachable { outage.note(error) }
        throw Self.problem(of: error?.code ?? .storageFailed)
      }
    }
  }

  /// Checks that the store can be reached and has the schema of this program.
  ///
  /// - Throws: `Problem` with status 503 and the reason, which names no place; `CancellationError`.
  func confirm() async throws {
    try await Timeout.run(seconds: timeLimit / .seconds(1)) {
      try await check.run()
    } late: {
      Self.problem("The database did not answer within two seconds.", .storeUnreachable)
    }
  }

  private static func problem(of code: OffersError.Code) -> Problem {
    switch code {
    case .storeUnreachable: Self.problem("The database cannot be reached.", code)
    case .newerDatabase: Problem(OffersError(code, ""))
    default: Self.problem("The database cannot be used.", code)
    }
  }

  private static func problem(_ detail: String, _ code: OffersError.Code) -> Problem {
    var problem = Problem(.serviceUnavailable, detail, code: code)
    problem.headers[.retryAfter] = String(Problem.outageRetrySeconds)
    return problem
  }
}

/// The routes by which a service manager and a load balancer ask for the state of the server. Everybody
/// may ask, so no version and no place is told.
struct HealthRoutes: Sendable {
  let readiness: Readiness

  func add(to router: Router<ServedContext>) {
    // The server lives, whether or not its store can be reached: a restart would not help.
    router.get("/api/v1/health") { request, _ in
      _ = try QueryParameters(request, [])
      return Answers.response(Self.works, to: request)
    }
    router.get("/api/v1/ready") { request, _ in
      _ = try QueryParameters(request, [])
      try await readiness.confirm()
      var answer = Self.works
      answer.cacheControl = "no-store"
      return Answers.response(answer, to: request)
    }
  }

  private static var works: Answer { .json { $0.member("status", "ok") } }
}

/// The times in which the store cannot be reached, such as a database on another machine. The server
/// logs the beginning and the end of such a time, whatever the number of requests.
final class StoreOutage: Sendable {
  private let isOn = Mutex(false)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  /// Notes that the store could not be reached.
  func note(_ error: OffersError) {
    let isFirst = isOn.withLock { isOn in
      defer { isOn = true }
      return !isOn
    }
    if isFirst {
      logger.error(
        "the database cannot be reached",
        metadata: ["error": "\(error.message)", "cause": "\(error.cause ?? "none")"])
    }
  }

  /// Notes that the store has answered.
  func end() {
    let wasOn = isOn.withLock { isOn in
      defer { isOn = false }
      return isOn
    }
    if wasOn { logger.notice("the database can be reached again") }
  }
}

/// Ends the server after another program has brought the schema of its database to a newer version: only
/// that version can use the database from then on, and whatever starts this server, such as a unit of
/// systemd, then starts the installed one. Until then, requests fail with the error of the store.
struct SchemaWatch: Service {
  let store: OffersDatabase
  let logger: Logger
  var interval = Duration.seconds(2)

  /// Checks the schema until the server shuts down. A store that cannot be reached, or fails in another
  /// way, may recover.
  func run() async throws {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      // The only error is a cancellation: by the shutdown, or by another service that has failed.
      // Either ends the loop.
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
      do {
        try await store.checkReadiness()
      } catch {
        guard error.code == .newerDatabase else { continue }
        logger.error("the server ends", metadata: ["reason": "\(error.message)"])
        throw error
      }
    }
  }
}
