import Foundation

/// Requests as `wrk` makes them: one thread, 32 connections that stay open.
struct WrkLoad {
  /// What came of one.
  struct Result {
    /// Requests answered in a second.
    let rate: Double
    /// What 99 in 100 were answered in, in milliseconds.
    let slow: Double
  }

  static let program = "wrk"
  let seconds: Int

  /// - Parameter tag: an entity tag to ask for something newer than; nil to ask for the thing itself.
  /// - Throws: `BenchmarkError` when an answer is an error or a connection fails.
  func run(_ url: String, tag: String? = nil) throws -> Result {
    let condition = tag.map { ["-H", "If-None-Match: \($0)"] } ?? []
    let text = try ProcessTimer.output(
      [
        "/usr/bin/env", Self.program, "-t1", "-c32", "-d\(seconds)s", "--timeout", "20s",
        "--latency",
      ] + condition + [
        url
      ])
    if text.contains("Non-2xx") || text.contains("Socket errors") {
      throw BenchmarkError(description: "\(url) was not answered as it should be:\n\(text)")
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
