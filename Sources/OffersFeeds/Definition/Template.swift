import OffersCore

/// A text with placeholders that are filled in for each item or request.
///
/// Placeholders are written `{…}`; `{{` and `}}` are literal braces.
package struct Template: Sendable, Hashable {
  /// A part of a template.
  package enum Part: Sendable, Hashable {
    /// Literal text.
    case literal(String)
    /// The value at a path.
    case path(FieldPath)
    /// The value of an environment variable.
    case environment(String)
    /// The number of the page.
    case page
    /// The words that are searched for.
    case query
  }

  /// The use of a template, which determines the placeholders that it may have.
  package enum Use: Sendable, Hashable {
    /// A value of an item: paths, but not {env:NAME}, which would store a secret in the database.
    case item
    /// The address of a document: {page} and {env:NAME}.
    case source
    /// The address of a search: {query}, {page} and {env:NAME}.
    case search
    /// A request header: {query}, {page} and {env:NAME}.
    case header
  }

  package var parts: [Part]

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  /// True when the template contains {query}.
  package var hasQuery: Bool { parts.contains(.query) }
  /// True when the template contains {page}, so that each page has its own address.
  package var hasPage: Bool { parts.contains(.page) }

  /// Parses a template.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an unbalanced brace, an invalid path, and a
  ///   placeholder that this use does not allow.
  package init(parsing text: String, for use: Use) throws {
    var scanner = TemplateScanner(text, use: use)
    parts = try scanner.parts()
  }
}

extension Template: CustomStringConvertible {
  /// The template as written in a definition.
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
