/// Limits the number of concurrent requests, in total and per host.
actor HostTurns {
  private let limit: Int
  private let hostLimit: Int
  private var running: [String: Int] = [:]
  private var count = 0
  private var waiting: [(host: String, AsyncStream<Void>.Continuation)] = []

  init(limit: Int, hostLimit: Int) {
    self.limit = limit
    self.hostLimit = hostLimit
  }

  /// Runs `body` as soon as the limits permit. Waiting calls run in the order of their arrival, but
  /// those to a host at its limit let others pass.
  ///
  /// - Throws: the errors of `body`; `CancellationError` if the caller is cancelled while it waits.
  func run<Result: Sendable>(
    on host: String, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    if !start(host) {
      let (turns, turn) = AsyncStream.makeStream(of: Void.self)
      waiting.append((host, turn))
      var hasTurn = false
      for await _ in turns {
        hasTurn = true
        break
      }
      if !hasTurn { throw CancellationError() }
    }
    defer { end(host) }
    return try await body()
  }

  private func start(_ host: String) -> Bool {
    guard count < limit, running[host, default: 0] < hostLimit else { return false }
    count += 1
    running[host, default: 0] += 1
    return true
  }

  private func end(_ host: String) {
    count -= 1
    let left = running[host, default: 1] - 1
    running[host] = left > 0 ? left : nil
    var place = 0
    while place < waiting.count {
      let (host, turn) = waiting[place]
      guard start(host) else {
        place += 1
        continue
      }
      waiting.remove(at: place)
      // A caller that was cancelled meanwhile returns its turn.
      if case .terminated = turn.yield() { end(host) }
      turn.finish()
    }
  }
}
