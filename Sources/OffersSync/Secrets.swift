import Foundation
import OffersCore

/// The values of variables, which must not show in what is printed, logged or stored.
struct Secrets: Sendable {
  /// The spellings that a value may come back in, the longest first, with what is shown for them.
  private var spellings: [(value: String, shown: String)] = []

  var isEmpty: Bool { spellings.isEmpty }

  /// Adds a variable's value.
  mutating func add(_ value: String, of name: String) {
    let encoded = Self.encoded(value)
    var found = [value, encoded, Self.lowercasedEscapes(encoded)]
    // As a URL is printed that has the value in it unescaped.
    for prefix in ["http://x/", "http://x/?"] {
      guard let url = URL(string: prefix + value)?.absoluteString, url.hasPrefix(prefix) else {
        continue
      }
      found.append(String(url.dropFirst(prefix.count)))
    }
    // As a server may write accents otherwise.
    found += found.flatMap {
      [$0.precomposedStringWithCanonicalMapping, $0.decomposedStringWithCanonicalMapping]
    }
    add(found.map { ($0, "{env:\(name)}") })
  }

  /// Two texts that differ in their bytes alone are two spellings.
  private mutating func add(_ others: [(value: String, shown: String)]) {
    for other in others
    where !spellings.contains(where: { $0.value.utf8.elementsEqual(other.value.utf8) }) {
      spellings.append(other)
    }
    spellings.sort { $0.value.utf8.count > $1.value.utf8.count }
  }

  mutating func add(_ others: Secrets) { add(others.spellings) }

  /// The text with the names of variables for their values, which are compared byte by byte: a value
  /// with a combining mark behind it ends in another character.
  func hidden(in text: String) -> String {
    spellings.reduce(text) { $0.replacing(bytes: $1.value, with: $1.shown) }
  }

  /// Where the links of a document lead that was found at an address: nothing of the address that
  /// has a value in it. Nil when none of it is left.
  func base(of address: String?) -> String? {
    guard let address, !isEmpty, hidden(in: address) != address else { return address }
    guard var parts = URLComponents(string: address) else { return nil }
    parts.query = nil
    parts.fragment = nil
    parts.user = nil
    parts.password = nil
    guard let bare = parts.string, hidden(in: bare) == bare else { return nil }
    return bare
  }

  /// A value as it stands in a URL's query (RFC 3986, unreserved characters only).
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  private static func lowercasedEscapes(_ text: String) -> String {
    text.replacing(/%[0-9A-F]{2}/.matchingSemantics(.unicodeScalar)) { $0.output.lowercased() }
  }
}

extension OffersError {
  /// The error without the values of variables.
  func hiding(_ secrets: Secrets) -> OffersError {
    if secrets.isEmpty { return self }
    return OffersError(
      code, secrets.hidden(in: message), hint: hint.map(secrets.hidden),
      cause: cause.map(secrets.hidden))
  }
}

extension [ReadProblem] {
  /// The problems without the values of variables.
  func hiding(_ secrets: Secrets) -> [ReadProblem] {
    if secrets.isEmpty { return self }
    return map {
      ReadProblem(
        position: $0.position, effect: $0.effect, reason: secrets.hidden(in: $0.reason))
    }
  }
}
