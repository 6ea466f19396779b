import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform

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
  /// What the template is, in errors.
  private let noun: String

  /// - Parameter header: the name of the header whose value the template is; nil for an address.
  init(_ template: Template, ofHeader header: String? = nil, environment: @escaping Environment) {
    self.template = template
    noun = header.map { "header \($0)" } ?? "source \(template)"
    text = template.description
    self.environment = environment
  }

  /// Parses a source that a user named. Only `{page}` and `{env:NAME}` are placeholders; a text
  /// with any other braces is taken literally as a whole.
  init(_ text: String, environment: @escaping Environment) {
    let template = try? Template(parsing: text, for: .source)
    self.init(template ?? Template([.literal(text)]), environment: environment)
  }

  /// Whether the source contains `{page}`, so that each page has its own address.
  var hasPage: Bool { template.hasPage }

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
  ///   - page: the number of the page.
  ///   - query: the words to search for on the server; nil if there is no search.
  /// - Throws: `OffersError` with `invalidRequest` for a variable that is not set or empty.
  func filled(page: Int, query: String? = nil) throws -> String {
    let isURL = text.contains("://")
    var result = ""
    for part in template.parts {
      switch part {
      case .literal(let text): result += text
      case .page: result += String(page)
      case .query: result += (query ?? "").percentEncoded()
      case .environment(let name):
        result += isURL ? try value(of: name).percentEncoded() : try value(of: name)
      case .path: break
      }
    }
    return result
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
      advice: Hint("The \(noun) uses it. Set it.", command: "export \(name)=…"))
  }
}
