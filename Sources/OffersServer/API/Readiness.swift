import OffersCore

/// Tells a load balancer whether this server can answer requests from its store.
///
/// One check runs at a time, however many ask, because everybody may ask. Each waits two seconds at most;
/// a check that takes longer goes on, and answers whoever asks next.
actor Readiness {
  private typealias Asker = AsyncStream<Problem?>.Continuation

  private let store: any StoreReadiness
  private let outage: StoreOutage
  private let timeLimit: Duration
  private var askers: [Asker] = []
  private var check: Task<Void, Never>?

  /// - Parameter outage: is told whether the store can be reached.
  init(
    _ store: any StoreReadiness, outage: StoreOutage, timeLimit: Duration = .seconds(2)
  ) {
    self.store = store
    self.outage = outage
    self.timeLimit = timeLimit
  }

  /// Checks that the store can be reached and has the schema of this program.
  ///
  /// - Throws: `Problem` with status 503 and the reason, which names no place; `CancellationError`.
  func confirm() async throws {
    let (answers, asker) = AsyncStream.makeStream(of: Problem?.self)
    askers.append(asker)
    if check == nil { check = Task { await run() } }
    let limit = Task { [timeLimit] in
      try await Task.sleep(for: timeLimit)
      asker.yield(
        Self.problem("The database did not answer within two seconds.", .storeUnreachable))
    }
    defer { limit.cancel() }
    for await problem in answers {
      if let problem { throw problem }
      return
    }
    throw CancellationError()
  }

  private func run() async {
    var problem: Problem?
    do {
      try await store.checkReadiness()
      outage.end()
    } catch {
      let error = error as? OffersError
      if let error, error.code == .storeUnreachable { outage.note(error) }
      problem = Self.problem(of: error?.code ?? .storageFailed)
    }
    for asker in askers { asker.yield(problem) }
    askers = []
    check = nil
  }

  private static func problem(of code: OffersError.Code) -> Problem {
    switch code {
    case .storeUnreachable: Self.problem("The database cannot be reached.", code)
    case .newerDatabase:
      Self.problem("The database belongs to a newer version of the program.", code)
    default: Self.problem("The database cannot be used.", code)
    }
  }

  private static func problem(_ detail: String, _ code: OffersError.Code) -> Problem {
    var problem = Problem(.serviceUnavailable, detail, code: code)
    problem.headers[.retryAfter] = String(Problem.outageRetrySeconds)
    return problem
  }
}
