import OffersCore

/// Tells a load balancer whether this server can answer requests from its store.
///
/// One check runs at a time, however many ask, because everybody may ask. Each waits two seconds at most;
/// a check that takes longer goes on, and answers whoever asks next.
struct Readiness: Sendable {
  private let check: SharedWork
  private let timeLimit: Duration

  /// - Parameter outage: is told whether the store can be reached.
  init(
    _ store: any StoreReadiness, outage: StoreOutage, timeLimit: Duration = .seconds(2)
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
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await check.run() }
      group.addTask {
        try await Task.sleep(for: timeLimit)
        throw Self.problem("The database did not answer within two seconds.", .storeUnreachable)
      }
      defer { group.cancelAll() }
      _ = try await group.next()
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
