import Foundation

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

/// The directives of a response's `Cache-Control` lines (RFC 9111, 5.2).
private struct CacheDirectives {
  private var values: [String: String] = [:]

  init(_ lines: [String]) {
    for line in lines {
      var isQuoted = false
      var isEscaped = false
      // Split by bytes: a combining mark after a comma would form one Character with it.
      let members = line.utf8.split { byte in
        defer { isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped }
        if byte == UInt8(ascii: "\"") && !isEscaped { isQuoted.toggle() }
        return byte == UInt8(ascii: ",") && !isQuoted
      }
      for member in members { add(Substring(member)) }
    }
  }

  /// The first value of a directive, without quotes; empty for a directive without a value, nil
  /// when the directive is absent.
  ///
  /// - Parameter name: the directive's name in lower case.
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
    // Matches Unicode scalars, because a backslash and a combining accent form one Character.
    let pair = /\\(.)/.matchingSemantics(.unicodeScalar)
    return String(text.dropFirst().dropLast()).replacing(pair) { String($0.output.1) }
  }
}
