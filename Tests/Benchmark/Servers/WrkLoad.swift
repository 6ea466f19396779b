import Foundation

/// Load from `wrk`, with one thread and 32 persistent connections.
struct WrkLoad {
  /// The results of a run.
  struct Result {
    /// Responses per second.
    let rate: Double
    /// The 99th percentile of the latency, in milliseconds.
    let slow: Double
  }

  static let program = "wrk"
  let seconds: Int

  /// - Parameters:
  ///   - url: the resource to request.
  ///   - tag: an entity tag for conditional requests; nil for unconditional ones.
  ///   - headers: further options of `wrk`, such as header fields.
  /// - Throws: `BenchmarkError` when a response is an error, a connection fails or `wrk` prints no
  ///   results.
  func run(_ url: String, tag: String? = nil, headers: [String] = []) throws -> Result {
    let condition = tag.map { ["-H", "If-None-Match: \($0)"] } ?? []
    let text = try ProcessTimer.output(
      [
        "/usr/bin/env", Self.program, "-t1", "-c32", "-d\(seconds)s", "--timeout", "20s",
        "--latency",
      ] + condition + headers + [
        url
      ])
    if text.contains("Non-2xx") || text.contains("Socket errors") {
      throw BenchmarkError(description: "\(url) had failed requests:\n\(text)")
    }
    guard let rate = Self.line(text, "Requests/sec:").flatMap(Double.init),
      let slow = Self.line(text, "99%").flatMap(Self.milliseconds)
    else { throw BenchmarkError(description: "wrk printed:\n\(text)") }
    return Result(rate: rate, slow: slow)
  }

  private static func line(_ text: String, _ name: String) -> String? {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix(name) }?.split(separator: " ").last.map(String.init)
  }

  private static func milliseconds(_ text: String) -> Double? {
    for (unit, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where text.hasSuffix(unit) {
      return Double(text.dropLast(unit.count)).map { $0 * factor }
    }
    return nil
  }
}
