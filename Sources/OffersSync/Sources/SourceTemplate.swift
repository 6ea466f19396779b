import Foundation
import OffersCore
import OffersFeeds

/// A source with places in it that are filled in for each request.
///
/// Variables of the environment stay names in all that is shown, logged and stored; their values
/// are only in the request.
struct SourceTemplate: Sendable {
  /// Finds a variable of the environment.
  typealias Environment = @Sendable (String) -> String?

  /// As written, with the names of variables.
  let text: String
  private let template: Template
  private let environment: Environment

  init(_ template: Template, environment: @escaping Environment) {
    self.template = template
    text = template.description
    self.environment = environment
  }

  /// Understands what a person names as a source. Only `{page}` and `{env:NAME}` are places; a text
  /// with other braces is taken as it is.
  init(_ text: String, environment: @escaping Environment) {
    let template = try? Template(parsing: text, for: .source)
    self.init(template ?? Template([.literal(text)]), environment: environment)
  }

  /// True when each page has an address of its own.
  var hasPage: Bool { template.hasPage }

  /// True when the values of variables go into it.
  var hasVariables: Bool {
    template.parts.contains { if case .environment = $0 { true } else { false } }
  }

  /// True when it has no places to fill in.
  var isPlain: Bool {
    template.parts.allSatisfy { if case .literal = $0 { true } else { false } }
  }

  /// The address of a page.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a variable that is not set.
  func filled(page: Int, query: String? = nil) throws -> String {
    let isURL = text.contains("://")
    var result = ""
    for part in template.parts {
      switch part {
      case .literal(let text): result += text
      case .page: result += String(page)
      case .query: result += Secrets.encoded(query ?? "")
      case .environment(let name):
        result += isURL ? Secrets.encoded(try value(of: name)) : try value(of: name)
      case .path: break
      }
    }
    return result
  }

  /// The values of its variables.
  var secrets: Secrets {
    var secrets = Secrets()
    for case .environment(let name) in template.parts {
      if let value = environment(name), !value.isEmpty { secrets.add(value, of: name) }
    }
    return secrets
  }

  private func value(of name: String) throws -> String {
    if let value = environment(name), !value.isEmpty { return value }
    throw OffersError(
      .invalidRequest, "The environment variable \(name) is not set.",
      hint: "It stands in the source \(text). Set it: export \(name)=…")
  }
}
