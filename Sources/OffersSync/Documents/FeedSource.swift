import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform

/// The source of a feed, and who named it.
struct FeedSource: Sendable {
  let feed: String
  let document: SyncSource
  let template: SourceTemplate
  /// Who named the source; nil if that is not known.
  let origin: SourceOrigin?
  /// Whether the source is written in the feed's definition, where it may contain variables.
  var isDefined = false

  /// The source as it is shown: with hidden values (`AddressRedaction`).
  private var shownText: String { AddressRedaction.hidden(in: template.text) }

  /// Whether the source was named on this machine: by a command or in a definition. Only then
  /// may it be a file or in a private network, and receive the definition's headers.
  var isTrusted: Bool { origin == .machine }

  /// Refuses a source that is not allowed for its origin. Must be called before the values of
  /// variables are filled in.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a variable outside a definition, and, unless
  ///   the source is trusted, for a file, for standard input, and for a URL if the definition has
  ///   headers.
  func check(_ definition: FeedDefinition) throws {
    if !isDefined { try checkHasNoVariables() }
    if isTrusted { return }
    try checkIsAddress()
    if case .url = document, !definition.headers.isEmpty {
      throw refusal("would receive the headers of \(feed), which are for its own source only")
    }
  }

  /// Refuses a source that may not be named from outside this machine: a file, standard input, or
  /// a text with a variable.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  func checkIsAddress() throws {
    try checkHasNoVariables()
    switch document {
    case .file, .standardInput: throw refusal("may be named on this machine only")
    case .url, .sample: break
    }
  }

  /// The source to remember after a successful sync; nil to change nothing. The sample is not
  /// remembered for a feed whose definition has a source.
  ///
  /// - Parameter chosen: the source in the options of the sync; nil if they name none.
  func toRemember(_ chosen: SyncSource?, _ definition: FeedDefinition) -> ChosenSource? {
    if chosen == .sample, definition.source != nil { return nil }
    return chosen?.rememberedText.map { ChosenSource($0, origin: origin) }
  }

  /// The advice to name the source on this machine, for errors; nil if it is trusted already.
  var hint: Hint? {
    let why: String
    switch origin {
    case .machine: return nil
    case .remote: why = "The source was not named on this machine."
    case .imported: why = "The source came with an import."
    case nil: why = "An earlier version did not record who named the source."
    }
    return Hint(
      "Nothing was changed. \(why) If it is right, name it on this machine.",
      command: Hint.syncCommand(feed, from: template.text))
  }

  private func checkHasNoVariables() throws {
    guard template.hasVariables else { return }
    throw OffersError(
      .invalidRequest,
      "The source \(shownText) contains a variable, which only a definition may have.",
      hint: Hint(
        "Nothing was changed. Write it as source: into the definition of \(feed), or add a feed.",
        command: "offers feeds add NAME SOURCE"))
  }

  private func refusal(_ what: String) -> OffersError {
    OffersError(.invalidRequest, "The source \(shownText) \(what).", hint: hint)
  }
}

/// A source with placeholders that are filled in before each document is requested or opened.
///
/// Environment variables appear by name wherever the source is shown, logged or stored; only the
/// requested URL or the opened path contains their values.
struct SourceTemplate: Sendable {
  /// Returns the value of an environment variable; nil if it is not set.
  typealias Environment = @Sendable (String) -> String?

  /// The text as written, with its placeholders, such as `{env:NAME}`.
  let text: String
  private let template: Template
  private let environment: Environment
  /// The name of the setting that has the template, for error messages.
  private let noun: String

  /// - Parameter header: the name of the header whose value the template is; nil for an address.
  init(_ template: Template, ofHeader header: String? = nil, environment: @escaping Environment) {
    self.template = template
    noun = header.map { "header \($0)" } ?? "source \(template)"
    text = template.description
    self.environment = environment
  }

  /// - Parameter kind: the kind of the channel of which the template is a setting.
  init(_ template: Template, ofSetting kind: String, environment: @escaping Environment) {
    self.template = template
    noun = "channel of the kind \(kind)"
    text = template.description
    self.environment = environment
  }

  /// Parses a source that a user named. Only `{page}`, `{offset}`, `{next}` and `{env:NAME}` are placeholders; a text
  /// with any other braces is taken literally as a whole.
  init(_ text: String, environment: @escaping Environment) {
    let template = try? Template(parsing: text, for: .source)
    self.init(template ?? Template([.literal(text)]), environment: environment)
  }

  /// Whether the source contains `{page}`, so that each page has its own address.
  var hasPage: Bool { template.hasPage }
  /// Whether the source contains `{offset}`, the number of records before a page.
  var hasOffset: Bool { template.has(.offset) }
  /// Whether the source contains `{next}`, the value by which the page before names a page.
  var hasNext: Bool { template.has(.next) }

  /// Whether the source contains environment variables.
  var hasVariables: Bool {
    template.parts.contains { if case .environment = $0 { true } else { false } }
  }

  /// Whether the source contains no placeholders.
  var isPlain: Bool {
    template.parts.allSatisfy { if case .literal = $0 { true } else { false } }
  }

  /// The URL or the path of a page, with all placeholders filled in. In a URL, the values of
  /// variables are percent-encoded.
  ///
  /// - Parameters:
  ///   - offset: the number of records on the pages before.
  ///   - next: the value by which the page before names this one; without it, the parameter of the URL with
  ///     this value is left out.
  ///   - query: the words to search for on the server; nil if there is no search.
  /// - Throws: `OffersError` with `invalidRequest` for a variable that is not set or empty.
  func filled(
    page: Int, offset: Int = 0, next: String? = nil, query: String? = nil
  ) throws -> String {
    let isURL = text.contains("://")
    var result = ""
    // Stands for a value that is left out; an address has no control characters.
    let absent = "\u{1}"
    for part in template.parts {
      switch part {
      case .literal(let text): result += text
      case .page: result += String(page)
      case .offset: result += String(offset)
      case .next: result += next?.percentEncoded() ?? absent
      case .query: result += (query ?? "").percentEncoded()
      case .environment(let name):
        result += isURL ? try value(of: name).percentEncoded() : try value(of: name)
      case .path: break
      }
    }
    guard result.utf8.contains(1) else { return result }
    let parts = result.split(scalar: "?", maxSplits: 1)
    let kept = parts.dropFirst().flatMap { $0.split(scalar: "&") }.filter { !$0.utf8.contains(1) }
    let path = parts.first.map { $0.replacing(bytes: absent, with: "") } ?? ""
    return path + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  /// The values of the source's environment variables, which must not be shown.
  var secrets: SecretRedactor {
    var secrets = SecretRedactor()
    for case .environment(let name) in template.parts {
      if let value = environment(name), !value.isEmpty { secrets.add(value, of: name) }
    }
    return secrets
  }

  private func value(of name: String) throws -> String {
    if let value = environment(name), !value.isEmpty { return value }
    throw OffersError(
      .invalidRequest, "The environment variable \(name) is not set.",
      hint: Hint("The \(noun) uses it. Set it.", command: "export \(name)=…"))
  }
}

/// The values of environment variables, which must not appear in output, logs or the database.
struct SecretRedactor: Sendable {
  /// The spellings in which a value can reappear, the longest first, each with the text that is
  /// shown in its place.
  private var spellings: [(value: String, shown: String)] = []

  var isEmpty: Bool { spellings.isEmpty }

  /// Adds the value of a variable, as it is and in the spellings that URLs and servers give it.
  ///
  /// - Parameter value: the value, which must not appear in output.
  mutating func add(_ value: String, of name: String) { add(value, shown: "{env:\(name)}") }

  /// Adds a value that must not appear, in the same spellings; an empty one is none.
  ///
  /// - Parameter shown: the text in its place.
  mutating func add(_ value: String, shown: String) {
    if value.isEmpty { return }
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
    add(found.map { ($0, shown) })
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
      let value = SourceTemplate(header.value, environment: environment)
      add(value.secrets)
      // A server may return the header as it was sent.
      if let text = try? value.filled(page: 0), let sent = BasicCredentials.encoded(text) {
        add([(String(sent.dropFirst(BasicCredentials.scheme.count)), "{hidden}")])
      }
    }
  }
}

/// The user and the password in a header of Basic authentication (RFC 7617).
enum BasicCredentials {
  static let scheme = "Basic "

  /// The header's value as it is sent, if it is written as `Basic NAME:PASSWORD`: with both in Base64, whose
  /// alphabet has no colon. nil for any other value.
  static func encoded(_ value: String) -> String? {
    guard value.hasPrefix(scheme), value.contains(":") else { return nil }
    return scheme + Data(value.dropFirst(scheme.count).utf8).base64EncodedString()
  }
}

extension OffersError {
  /// The error with the values of variables in its texts replaced by the variables' names, and with hidden
  /// values in its addresses.
  func hiding(_ secrets: SecretRedactor) -> OffersError {
    OffersError(
      code, secrets.hidden(in: message), hint: hint?.map(secrets.hidden),
      cause: cause.map(secrets.hidden)
    ).quoting(serverWords.map(secrets.hidden)).hidingAddresses()
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
