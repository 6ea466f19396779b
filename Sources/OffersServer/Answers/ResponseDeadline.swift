import HTTPTypes
import OffersCore

/// The time in which the server makes the response to a read, such as a page or an answer of the API.
///
/// After it the read is cancelled, and its statement interrupted in the store: so no read occupies a
/// connection of the store for longer, whatever the store holds and whoever asks. What is sent after the
/// head, such as a stream of events, has no deadline, and ends with its connection.
enum ResponseDeadline {
  /// The time for a response that may wait for other servers, or for the index of the search. Its search
  /// of the store has the usual one (`ServedContext.readLimit`).
  static let ofNetwork = Duration.seconds(60)
  /// The seconds after which a client may try again.
  private static let retrySeconds = 10

  /// Runs a body, and cancels it when its time has passed.
  ///
  /// - Throws: `Problem` with status 503 if the time has passed, or the error of the body.
  static func run<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Timeout.run(seconds: limit / .seconds(1), body) { refusal(limit) }
  }

  private static func refusal(_ limit: Duration) -> Problem {
    var problem = Problem(
      .serviceUnavailable,
      "The answer would have taken longer than \(limit.components.seconds) seconds.",
      hint:
        "Try again in a moment: the server may be busy. A list of one feed, a smaller page or a "
        + "search for fewer words takes less time.",
      code: .limitExceeded)
    problem.headers[.retryAfter] = String(retrySeconds)
    return problem
  }
}
