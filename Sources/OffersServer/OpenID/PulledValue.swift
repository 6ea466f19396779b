import Foundation

/// A value that is pulled from the network and kept in memory. However many ask for it, one request at
/// a time is sent, and after a failure none for ten seconds.
actor PulledValue<Value: Sendable> {
  private static var failureSeconds: Double { 10 }

  private let pull: @Sendable () async throws -> Value
  private let now: @Sendable () -> Date
  private var last: (value: Value, at: Date)?
  private var lastFailure: (error: any Error, at: Date)?
  /// The request that is running.
  private var running: Task<Value, any Error>?

  /// - Parameters:
  ///   - now: the clock by which values age.
  ///   - pull: requests the value. It must end in bounded time: it is not cancelled with those who wait.
  init(now: @escaping @Sendable () -> Date, pull: @escaping @Sendable () async throws -> Value) {
    self.pull = pull
    self.now = now
  }

  /// The value.
  ///
  /// - Parameter seconds: the age from which on a kept value is pulled anew.
  /// - Throws: the error of the request, or of one in the last ten seconds.
  func fetch(youngerThan seconds: Double) async throws -> Value {
    if let last, isYounger(last.at, seconds) { return last.value }
    if let running { return try await running.value }
    if let lastFailure, isYounger(lastFailure.at, Self.failureSeconds) { throw lastFailure.error }
    let task = Task { [pull] in try await pull() }
    running = task
    let result = await task.result
    running = nil
    switch result {
    case .success(let value):
      last = (value, now())
      lastFailure = nil
      return value
    case .failure(let error):
      lastFailure = (error, now())
      throw error
    }
  }

  /// A time in the future is that of a clock that was set back, and counts as old.
  private func isYounger(_ time: Date, _ seconds: Double) -> Bool {
    (0..<seconds).contains(now().timeIntervalSince(time))
  }
}
