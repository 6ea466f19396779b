/// Formats and parses times in ISO 8601, in UTC, to the second, such as `2026-11-21T09:07:22Z`.
///
/// The mapping is one to one: each number of seconds has exactly one text. Years outside 0 to 9999
/// have a sign, as in the expanded representation of ISO 8601.
package enum ISOTime {
  private static let daySeconds: Int64 = 86_400

  /// The text of a time.
  ///
  /// - Parameter seconds: Unix seconds.
  package static func text(_ seconds: Int64) -> String {
    var days = seconds / daySeconds
    var rest = seconds % daySeconds
    if rest < 0 {
      rest += daySeconds
      days -= 1
    }
    let day = CivilDay(number: days)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    if !(0...9999).contains(day.year) { bytes.append(day.year < 0 ? minus : plus) }
    let year = String(day.year.magnitude).utf8
    for _ in 0..<max(0, 4 - year.count) { bytes.append(zero) }
    bytes += year
    append(day.month, after: "-", to: &bytes)
    append(day.day, after: "-", to: &bytes)
    append(rest / 3600, after: "T", to: &bytes)
    append(rest / 60 % 60, after: ":", to: &bytes)
    append(rest % 60, after: ":", to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The Unix seconds for which `text(_:)` returns exactly this text; nil if there are none.
  package static func seconds(parsing text: String) -> Int64? {
    var bytes = Array(text.utf8)[...]
    let sign = bytes.first
    if sign == minus || sign == plus { bytes = bytes.dropFirst() }
    guard let end = bytes.firstIndex(where: { !isDigit($0) }), bytes.endIndex - end == 16,
      bytes[end...].enumerated().allSatisfy({ place, byte in
        place % 3 == 0 ? byte == marks[place / 3] : isDigit(byte)
      }),
      let year = number(bytes[..<end]), let month = number(bytes[end + 1..<end + 3]),
      let date = number(bytes[end + 4..<end + 6]), let hour = number(bytes[end + 7..<end + 9]),
      let minute = number(bytes[end + 10..<end + 12]),
      let second = number(bytes[end + 13..<end + 15]), hour < 24, minute < 60, second < 60,
      let day = CivilDay(year: sign == minus ? -year : year, month: month, day: date)
    else { return nil }
    // The operators wrap around, because the day that contains the second Int64.min begins before
    // it: there the product overflows, and the sum is right again. If the sum itself overflows, its
    // text differs from the given one. So does the text of a year such as `+2026` or `02026`, which
    // `text(_:)` never writes.
    let seconds = day.number &* daySeconds &+ Int64(hour * 3600 + minute * 60 + second)
    return self.text(seconds) == text ? seconds : nil
  }

  private static let zero = UInt8(ascii: "0")
  private static let minus = UInt8(ascii: "-")
  private static let plus = UInt8(ascii: "+")
  private static let marks = Array("--T::Z".utf8)

  private static func append(_ number: Int64, after mark: StaticString, to bytes: inout [UInt8]) {
    bytes.append(mark.utf8Start.pointee)
    bytes.append(zero + UInt8(number / 10))
    bytes.append(zero + UInt8(number % 10))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  /// The value of at most twelve digits: enough for any year in the range of Int64 seconds.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...12).contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - zero) }
  }
}
