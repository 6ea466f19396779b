import Foundation

/// Parses `Retry-After` headers (RFC 9110, section 10.2.3).
enum RetryAfter {
  /// The longest wait that is honoured: 7 days. A wrong date must not stop a feed permanently.
  static let limitSeconds = 7 * 86_400

  /// Parses a `Retry-After`: a number of seconds or an HTTP date.
  ///
  /// - Returns: the end of the wait, clamped to between `now` and `limitSeconds` later; nil when
  ///   the header is missing or invalid.
  static func date(_ text: String?, now: Date) -> Date? {
    guard let text else { return nil }
    let wait: Double
    if let seconds = DecimalNumber.parse(fieldValue: text) {
      wait = Double(seconds)
    } else if let date = HTTPDate.parse(text) {
      wait = date.timeIntervalSince(now)
    } else {
      return nil
    }
    return wait <= 0 ? now : now.addingTimeInterval(min(wait, Double(limitSeconds)))
  }
}
