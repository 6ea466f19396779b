import OffersCore

/// A text with places in it that are filled in for each item or request.
///
/// Written as text with `{…}` in it; `{{` and `}}` are braces.
package struct Template: Sendable, Hashable {
  /// A stretch of a template.
  package enum Part: Sendable, Hashable {
    /// Text that stays as it is.
    case literal(String)
    /// The value at a path.
    case path(FieldPath)
    /// The value of an environment variable.
    case environment(String)
    /// The number of the page.
    case page
    /// What is searched for.
    case query
  }

  /// Where a template stands, which decides what may stand in its braces.
  package enum Use: Sendable, Hashable {
    /// In a value of an item: paths. Never {env:NAME}, which would put a secret in the database.
    case item
    /// In the address of a document: {page} and {env:NAME}.
    case source
    /// In the address of a search: {query}, {page} and {env:NAME}.
    case search
    /// In a request header: {query}, {page} and {env:NAME}.
    case header
  }

  package var parts: [Part]

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  /// True when something is searched for with it.
  package var hasQuery: Bool { parts.contains(.query) }
  /// True when each page has an address of its own.
  package var hasPage: Bool { parts.contains(.page) }

  /// Understands a template as it is written.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a brace without its partner, and for braces
  ///   around what may not stand there.
  package init(parsing text: String, for use: Use) throws {
    var scanner = TemplateScanner(text, use: use)
    parts = try scanner.parts()
  }
}

extension Template: CustomStringConvertible {
  /// The template as it is written.
  package var description: String {
    parts.map { part in
      switch part {
      case .literal(let text): Self.escaped(text)
      case .path(let path): "{\(path)}"
      case .environment(let name): "{env:\(name)}"
      case .page: "{page}"
      case .query: "{query}"
      }
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar == "{" || scalar == "}" { result.unicodeScalars.append(scalar) }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
