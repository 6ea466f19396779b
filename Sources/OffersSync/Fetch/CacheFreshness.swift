import Foundation
import OffersCore
import OffersFeeds
import OffersStore

/// Computes the freshness lifetime of HTTP responses (RFC 9111, section 4.2).
enum CacheFreshness {
  /// The remaining freshness lifetime of a response at the time of its receipt, in seconds.
  ///
  /// The lifetime is `max-age`, or else `Expires` minus `Date`; the `Age` that caches report is
  /// subtracted. `s-maxage` is ignored, because it applies to shared caches only. `Expires` is
  /// compared with the server's own `Date`, so that a wrong clock on either side has no effect. An
  /// invalid `max-age` or `Expires` means stale, as the RFC recommends. `no-store` and `no-cache`
  /// mean stale, too.
  ///
  /// - Parameters:
  ///   - cacheControl: the values of all `Cache-Control` lines, in order.
  ///   - expires: the value of the header `Expires`; nil if it is missing.
  ///   - date: the value of the header `Date`; nil if it is missing.
  ///   - age: the value of the header `Age`; nil if it is missing.
  ///   - receivedAt: the time of the receipt, which replaces a `Date` that is missing or invalid.
  /// - Returns: 0 to `Int32.max`; nil when the response has no freshness information.
  static func seconds(
    cacheControl: [String], expires: String?, date: String?, age: String?, receivedAt: Date
  ) -> Int? {
    let directives = CacheDirectives(cacheControl)
    // `no-cache="Set-Cookie"` is treated like `no-cache`, as in most caches (RFC 9111, 5.2.2.4).
    if directives["no-store"] != nil || directives["no-cache"] != nil { return 0 }
    let lifetime: Int
    if let maxAge = directives["max-age"] {
      lifetime = DecimalNumber.parse(maxAge) ?? 0
    } else if let expires {
      guard let end = HTTPDate.parse(expires) else { return 0 }
      let start = date.flatMap(HTTPDate.parse) ?? receivedAt
      lifetime = Int(min(max(end.timeIntervalSince(start), 0), Double(DecimalNumber.limit)))
    } else {
      return nil
    }
    return max(0, lifetime - seconds(ofAge: age))
  }

  /// The seconds in the first member of an `Age` header; 0 if it is missing or invalid (RFC 9111,
  /// section 5.1).
  private static func seconds(ofAge age: String?) -> Int {
    age.flatMap { DecimalNumber.parse(fieldValue: $0.prefix { $0 != "," }) } ?? 0
  }
}

/// The directives of a response's `Cache-Control` lines (RFC 9111, 5.2). A comma in a quoted value divides it:
/// no directive that counts here has such a value.
private struct CacheDirectives {
  private var values: [String: String] = [:]

  init(_ lines: [String]) {
    let blanks = CharacterSet(charactersIn: " \t")
    for member in lines.flatMap({ $0.split(scalar: ",") }) {
      let equals = member.firstIndex(of: "=") ?? member.endIndex
      let name = member[..<equals].trimmingCharacters(in: blanks).lowercased()
      if values[name] != nil { continue }
      let value = member[equals...].dropFirst().trimmingCharacters(in: blanks)
      let isQuoted = value.utf8.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
      values[name] = isQuoted ? String(value.dropFirst().dropLast()) : value
    }
  }

  /// The first value of a directive, without quotes; empty for a directive without a value, nil
  /// when the directive is absent.
  ///
  /// - Parameter name: the directive's name in lower case.
  subscript(name: String) -> String? { values[name] }
}

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

/// The hosts that asked for no requests, by a 429 or by a 503 with `Retry-After`: a server counts the
/// requests for all of its feeds and pictures together. They are in the store, so that the wait of a host
/// holds for all processes.
struct HostWaits: Sendable {
  let store: OffersDatabase
  /// Whether a person asks in spite of waits. An answer then ends the wait of its host.
  var isForced = false
  /// Whether nothing is written.
  var isTrial = false
  /// The wait after a 429 without `Retry-After`.
  var usualSeconds = Self.firstSeconds
  /// Has answers for which no host is asked again.
  var known: CachingTransport?
  let now: @Sendable () -> Date

  /// The wait after a 429 without `Retry-After`, if nothing else is known: ten minutes.
  static let firstSeconds = 600.0

  /// Until when the host of an address must not be asked; nil if it may be.
  func find(_ address: String) async throws -> Date? {
    guard !isForced, known?.hasAnswer(from: address) != true, let mark = mark(address) else {
      return nil
    }
    return try await store.findHostWait(mark, now: now())
  }

  /// Notes the answer of a server.
  ///
  /// - Returns: until when it must not be asked; nil if it may be.
  func note(_ response: TransportResponse, from address: String) async -> Date? {
    var until: Date?
    if response.status == 429 || response.status == 503 {
      until = RetryAfter.date(response.headers.first(name: "retry-after"), now: now())
      if response.status == 429, until == nil { until = now() + usualSeconds }
    }
    if !isTrial, let mark = mark(address),
      until.map({ $0 > now() }) ?? (isForced && response.status < 400)
    {
      // A wait that is not stored holds for its own feed or picture only.
      try? await store.putHostWait(mark, until: until, now: now())
    }
    return until
  }

  private func mark(_ address: String) -> String? {
    HTTPOrigin(address).map { AddressMark.of($0.hostAndPort) }
  }

  /// The error of a request that was not sent.
  static func refusal(_ address: String, until: Date) -> OffersError {
    OffersError(
      .sourceFailed,
      "\(HTTPOrigin(address)?.hostAndPort ?? address) asked to wait until \(Units.time(until)).",
      hint: "Nothing was changed. Try again then.")
  }
}

/// Reads the links of a `Link` header one after another, in one pass over its bytes (RFC 8288,
/// section 3).
struct LinkHeaderReader {
  private var rest: ArraySlice<UInt8>

  init(_ header: some Sequence<UInt8>) { rest = Array(header)[...] }

  /// The next link; nil after the last one. Its relation types, type and title are in lower case.
  mutating func next() -> PageLink? {
    guard let open = rest.firstIndex(of: UInt8(ascii: "<")),
      let close = rest[open...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let target = String(decoding: rest[(open + 1)..<close], as: UTF8.self)
    rest = rest[(close + 1)...]
    var values: [String: String] = [:]
    while skip(UInt8(ascii: ";")) {
      let name = token()
      guard skip(UInt8(ascii: "=")) else { continue }
      let value = skip(UInt8(ascii: "\"")) ? quoted() : token()
      // Only the first value of a name counts.
      if ["rel", "type", "title"].contains(name), values[name, default: ""].isEmpty {
        values[name] = value
      }
    }
    let relations = values["rel", default: ""].split {
      " \t".utf8.contains($0.utf8.first ?? 0)
    }.map(String.init)
    return PageLink(
      relations: relations, type: values["type", default: ""], target: target,
      title: values["title", default: ""])
  }

  /// Skips white space, and then `byte` if it follows. Returns whether it did.
  private mutating func skip(_ byte: UInt8) -> Bool {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  /// Skips white space, and reads up to more white space or one of `; , = " <`. Returns the text in
  /// lower case.
  private mutating func token() -> String {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    let bytes = rest.prefix { !" \t;,=\"<".utf8.contains($0) }
    rest = rest.dropFirst(bytes.count)
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// Reads up to the closing quotation mark, and returns the text in lower case. Without such a
  /// mark the header is invalid: the result is empty, and the rest is skipped.
  private mutating func quoted() -> String {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else {
      rest = []
      return ""
    }
    defer { rest = rest[(end + 1)...] }
    return String(decoding: rest[..<end], as: UTF8.self).lowercased()
  }
}

/// Parses HTTP dates (RFC 9110, section 5.6.7).
enum HTTPDate {
  /// The most bytes of a text that is parsed: more than any date in these forms needs.
  private static let limitBytes = 64

  /// Parses the three forms of a date: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`, and other dates with a time and
  /// the month as a word that `DateParser` parses. A date without a zone is in GMT.
  ///
  /// - Returns: nil for a number, such as the 0 of `Expires: 0`, for a day without a time, for a text
  ///   with a line break, which would begin another header if it were sent back, and for other texts.
  static func parse(_ text: String) -> Date? {
    var text = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    guard text.utf8.count <= limitBytes,
      text.utf8.allSatisfy({ $0 == 0x09 || (0x20..<0x7F).contains($0) }),
      let date = text.withUTF8({ DateParser.parseWritten(UnsafeRawBufferPointer($0)) }),
      !date.isWholeDay
    else { return nil }
    return Date(timeIntervalSince1970: Double(date.seconds))
  }
}

/// Parses numbers that consist of decimal digits only, as in HTTP's delta-seconds (RFC 9111,
/// section 1.2.2).
enum DecimalNumber {
  /// The largest result, 2^31 - 1; larger numbers are clamped to it.
  static let limit = Int(Int32.max)

  /// Parses a number.
  ///
  /// - Returns: 0 to `limit`; nil when the text is not such a number, or has spaces.
  static func parse(_ text: some StringProtocol) -> Int? {
    if text.isEmpty { return nil }
    var result = 0
    for byte in text.utf8 {
      let digit = byte &- 0x30
      if digit > 9 { return nil }
      result = min(result * 10 + Int(digit), limit)
    }
    return result
  }

  /// Parses the value of a header field, to which surrounding spaces and tabs do not belong (RFC
  /// 9110, section 5.5).
  ///
  /// - Returns: as `parse`.
  static func parse(fieldValue text: some StringProtocol) -> Int? {
    parse(text.trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
  }
}
