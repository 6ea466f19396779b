import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform

/// The values of environment variables, which must not appear in output, logs or the database.
struct SecretRedactor: Sendable {
  /// The spellings in which a value can reappear, the longest first, each with the text that is
  /// shown in its place.
  private var spellings: [(value: String, shown: String)] = []

  var isEmpty: Bool { spellings.isEmpty }

  /// Adds the value of a variable, as it is and in the spellings that URLs and servers give it.
  ///
  /// - Parameters:
  ///   - value: the value, which must not appear in output.
  ///   - name: the name of the variable.
  mutating func add(_ value: String, of name: String) {
    let encoded = value.percentEncoded()
    var found = [value, encoded, Self.lowercasedEscapes(encoded)]
    // The spellings that Foundation and AddressEncoding give the raw value in a URL's path or query.
    for prefix in ["http://x/", "http://x/?"] {
      for url in [URL(string: prefix + value), URL(printed: prefix + value)] {
        guard let text = url?.absoluteString, text.hasPrefix(prefix) else { continue }
        found.append(String(text.dropFirst(prefix.count)))
      }
    }
    // A server may return accented letters in another Unicode normalization form.
    found += found.flatMap {
      [$0.precomposedStringWithCanonicalMapping, $0.decomposedStringWithCanonicalMapping]
    }
    add(found.map { ($0, "{env:\(name)}") })
  }

  /// Adds the spellings that are not there yet. They are compared by bytes, because canonically
  /// equivalent texts are equal as Strings.
  private mutating func add(_ others: [(value: String, shown: String)]) {
    for other in others
    where !spellings.contains(where: { $0.value.utf8.elementsEqual(other.value.utf8) }) {
      spellings.append(other)
    }
    spellings.sort { $0.value.utf8.count > $1.value.utf8.count }
  }

  mutating func add(_ others: SecretRedactor) { add(others.spellings) }

  /// The text with each value replaced by `{env:NAME}`, where `NAME` is the variable.
  func hidden(in text: String) -> String {
    spellings.reduce(text) { $0.replacing(bytes: $1.value, with: $1.shown) }
  }

  /// The base URL for links in a document from `address`; nil without an address. An address with a
  /// secret value loses its query, fragment, user and password, and is nil if a value remains.
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

  private static func lowercasedEscapes(_ text: String) -> String {
    text.replacing(/%[0-9A-F]{2}/.matchingSemantics(.unicodeScalar)) { $0.output.lowercased() }
  }
}

extension SecretRedactor {
  /// The values of the variables in a source and in the headers of a definition.
  init(
    in template: SourceTemplate, and definition: FeedDefinition,
    _ environment: @escaping SourceTemplate.Environment
  ) {
    self = template.secrets
    for header in definition.headers {
      add(SourceTemplate(header.value, environment: environment).secrets)
    }
  }
}

extension OffersError {
  /// The error with the values of variables in its texts replaced by the variables' names, and with hidden
  /// values in its addresses.
  func hiding(_ secrets: SecretRedactor) -> OffersError {
    OffersError(
      code, secrets.hidden(in: message), advice: advice?.map(secrets.hidden),
      cause: cause.map(secrets.hidden)
    ).hidingAddresses()
  }
}

extension [ReadProblem] {
  /// The problems with the values of variables in their reasons replaced by the variables' names.
  func hiding(_ secrets: SecretRedactor) -> [ReadProblem] {
    if secrets.isEmpty { return self }
    return map {
      ReadProblem(
        position: $0.position, effect: $0.effect, reason: secrets.hidden(in: $0.reason))
    }
  }
}
