import Foundation

/// When a server wants to be asked again (RFC 9110, 10.2.3).
enum RetryAfter {
  /// The longest wait that a server is granted: 7 days. A wrong date must not end a feed for good.
  static let limitSeconds = 7 * 86_400

  /// Understands a `Retry-After`: seconds or an HTTP date.
  ///
  /// - Returns: from `now` to `limitSeconds` later; nil when there is none or it makes no sense.
  static func date(_ text: String?, now: Date) -> Date? {
    guard let text else { return nil }
    let wait: Double
    if let seconds = DecimalNumber.parse(text) {
      wait = Double(seconds)
    } else if let date = HTTPDate.parse(text, now: now) {
      wait = date.timeIntervalSince(now)
    } else {
      return nil
    }
    return wait <= 0 ? now : now.addingTimeInterval(min(wait, Double(limitSeconds)))
  }
}
