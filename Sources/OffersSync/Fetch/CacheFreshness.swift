import Foundation

/// How long a response may be used before its server wants to be asked again (RFC 9111, 4.2).
enum CacheFreshness {
  /// The seconds that a response is fresh from the moment it was received.
  ///
  /// What counts is `max-age`, else `Expires` less `Date`, each less the age that caches on the way
  /// say. `s-maxage` is for shared caches, which this is not. Two of the server's times are compared
  /// with each other, so that a wrong clock on either side does no harm. Values that make no sense
  /// mean stale, as the RFC advises.
  ///
  /// - Parameters:
  ///   - cacheControl: the values of all `Cache-Control` lines, in order.
  ///   - receivedAt: stands for a `Date` that is missing or makes no sense.
  /// - Returns: 0 to `Int32.max`; nil when the response says nothing about it.
  static func seconds(
    cacheControl: [String], expires: String?, date: String?, age: String?, receivedAt: Date
  ) -> Int? {
    let directives = CacheDirectives(cacheControl)
    // `no-cache="Set-Cookie"` counts as a plain one, as in most caches (RFC 9111, 5.2.2.4).
    if directives["no-store"] != nil || directives["no-cache"] != nil { return 0 }
    let lifetime: Int
    if let maxAge = directives["max-age"] {
      lifetime = DecimalNumber.parse(maxAge) ?? 0
    } else if let expires {
      guard let end = HTTPDate.parse(expires, now: receivedAt) else { return 0 }
      let start = date.flatMap { HTTPDate.parse($0, now: receivedAt) } ?? receivedAt
      lifetime = Int(min(max(end.timeIntervalSince(start), 0), Double(DecimalNumber.limit)))
    } else {
      return nil
    }
    return max(0, lifetime - seconds(ofAge: age))
  }

  /// The first member of an `Age`; one that is not a number is ignored (RFC 9111, 5.1).
  private static func seconds(ofAge age: String?) -> Int {
    age.flatMap { DecimalNumber.parse($0.prefix { $0 != "," }) } ?? 0
  }
}

/// The directives of a response's `Cache-Control` lines (RFC 9111, 5.2).
private struct CacheDirectives {
  private var values: [String: String] = [:]

  init(_ lines: [String]) {
    for line in lines {
      var isQuoted = false
      var isEscaped = false
      // Bytes, because a comma is one whatever follows it.
      let members = line.utf8.split { byte in
        defer { isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped }
        if byte == UInt8(ascii: "\"") && !isEscaped { isQuoted.toggle() }
        return byte == UInt8(ascii: ",") && !isQuoted
      }
      for member in members { add(Substring(member)) }
    }
  }

  /// The first value of a directive, without quotes; empty when it stands alone, nil when it is not
  /// there.
  ///
  /// - Parameter name: in lower case.
  subscript(name: String) -> String? { values[name] }

  private mutating func add(_ member: Substring) {
    let equals = member.firstIndex(of: "=") ?? member.endIndex
    let name = Self.trimmed(member[..<equals]).lowercased()
    if values[name] == nil {
      values[name] = Self.unquoted(Self.trimmed(member[equals...].dropFirst()))
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    // By scalars: a backslash with an accent behind it is one character.
    let pair = /\\(.)/.matchingSemantics(.unicodeScalar)
    return String(text.dropFirst().dropLast()).replacing(pair) { String($0.output.1) }
  }
}
