import Foundation

extension JSONWriter {
  /// Writes a member whose value is a time, or null.
  package mutating func member(_ name: String, _ date: Date?) { member(name) { $0.value(date) } }

  /// Writes a member whose value is an error, or null.
  package mutating func member(_ name: String, _ error: OffersError?) {
    member(name, object: error) { json, error in
      json.member("code", error.code.rawValue)
      json.member("message", error.message)
      json.member("hint", error.hint)
    }
  }

  /// Writes a time as ISO 8601 in UTC, to the second. Times beyond ±10^15 seconds are
  /// clamped.
  package mutating func value(_ date: Date?) {
    value(
      date.map {
        ISOTime.text(max(-Self.lastSecond, min(Self.lastSecond, $0.storedSeconds)))
      })
  }

  /// The last second that is written, in Unix seconds. A time beyond it is moved to it.
  private static let lastSecond: Int64 = 1_000_000_000_000_000

  /// The exact decimal notation of a number of hundredths: 500 is `5`, 250 is `2.5`.
  package static func decimal(hundredths: Int64) -> String {
    let sign = hundredths < 0 ? "-" : ""
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(sign)\(whole)" }
    if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
