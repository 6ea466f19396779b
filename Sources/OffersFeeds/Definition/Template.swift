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
    /// The number of records on the pages before.
    case offset
    /// The value by which the page before names this one. Without it, as on the first page, the parameter
    /// of the address that has it is left out.
    case next
    /// The words that are searched for.
    case query
  }

  /// The use of a template, which determines the placeholders that it may have.
  package enum Use: Sendable, Hashable {
    /// A value of an item: paths, but not {env:NAME}, which would store a secret in the database.
    case item
    /// The address of a document: {page}, {offset}, {next} and {env:NAME}.
    case source
    /// The address of a search: {query}, {page} and {env:NAME}.
    case search
    /// A request header: {query}, {page} and {env:NAME}.
    case header
    /// A setting of a channel of notices: {env:NAME} only.
    case setting
  }

  package var parts: [Part]

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  /// True when the template contains {query}.
  package var hasQuery: Bool { parts.contains(.query) }
  /// True when the template contains {page}, so that each page has its own address.
  package var hasPage: Bool { has(.page) }

  /// True when the template contains a placeholder without a name of its own.
  package func has(_ part: Part) -> Bool { parts.contains(part) }

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
      case .offset: "{offset}"
      case .next: "{next}"
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

/// Parses the text of a template, one part at a time.
struct TemplateScanner {
  private let text: String
  private let use: Template.Use
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String, use: Template.Use) {
    self.text = text
    self.use = use
    scalars = Array(text.unicodeScalars)
  }

  /// Whether a text has a `{` that is not doubled.
  static func hasPlaceholder(_ text: String) -> Bool {
    var isOpen = false
    for scalar in text.unicodeScalars {
      if scalar == "{" {
        isOpen.toggle()
      } else if isOpen {
        return true
      }
    }
    return isOpen
  }

  mutating func parts() throws -> [Template.Part] {
    var parts: [Template.Part] = []
    var literal = ""
    while position < scalars.count {
      let scalar = scalars[position]
      let isDoubled = position + 1 < scalars.count && scalars[position + 1] == scalar
      if scalar != "{" && scalar != "}" || isDoubled {
        literal.unicodeScalars.append(scalar)
        position += scalar == "{" || scalar == "}" ? 2 : 1
      } else if scalar == "}" {
        throw problem(
          "the } at character \(position + 1) has no { before it", hint: "Write }} for a brace.")
      } else {
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(try placeholder())
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    return parts
  }

  /// Parses a placeholder. Braces in quotes belong to a path's key.
  private mutating func placeholder() throws -> Template.Part {
    let start = position
    var content = ""
    var quote: Unicode.Scalar?
    position += 1
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      if quote == nil, scalar == "}" { return try part(content, at: start) }
      if quote == nil, scalar == "{" { break }
      content.unicodeScalars.append(scalar)
      if quote == nil, scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if quote != nil, scalar == "\\", position < scalars.count {
        content.unicodeScalars.append(scalars[position])
        position += 1
      } else if scalar == quote {
        quote = nil
      }
    }
    throw problem(
      "the { at character \(start + 1) is never closed", hint: "Write {{ for a brace.")
  }

  private func part(_ content: String, at start: Int) throws -> Template.Part {
    if content.unicodeScalars.allSatisfy({ $0 == " " }) {
      throw problem("nothing is in the braces at character \(start + 1)", hint: nil)
    }
    return use == .item
      ? try itemPart(content, at: start) : try requestPart(content, at: start)
  }

  private func itemPart(_ content: String, at start: Int) throws -> Template.Part {
    if content.hasPrefix("env:") {
      throw problem(
        "{\(content)} at character \(start + 1) would store a secret with each offer",
        hint: "An environment variable is allowed in source, search and headers only.")
    }
    do {
      return .path(try FieldPath(parsing: content))
    } catch let error as OffersError {
      throw OffersError(
        error.code, "In “\(text)” at character \(start + 1): \(error.message)", hint: error.hint)
    }
  }

  private func requestPart(_ content: String, at start: Int) throws -> Template.Part {
    if content.hasPrefix("env:") {
      let name = String(content.dropFirst(4))
      guard Self.isVariableName(name) else {
        throw problem(
          "{\(content)} at character \(start + 1) names no environment variable",
          hint: "A variable's name has letters, digits and _ and does not begin with a digit.")
      }
      return .environment(name)
    }
    switch content {
    case _ where use == .setting:
      throw problem(
        "{\(content)} at character \(start + 1) is unknown here",
        hint: "A setting may have {env:NAME}. Write {{ for a brace.")
    case "page":
      return .page
    case "offset" where use == .source: return .offset
    case "next" where use == .source: return .next
    case "query" where use == .source:
      throw problem(
        "{query} at character \(start + 1) is for a search", hint: "Move the address to search.")
    case "query":
      return .query
    default:
      let words =
        use == .source
        ? ["page", "offset", "next", "env:NAME"] : ["query", "page", "env:NAME"]
      throw problem(
        "{\(content)} at character \(start + 1) is unknown here",
        hint: NearestWord.hint(for: content, among: words, title: "Allowed"))
    }
  }

  private static func isVariableName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == 0x5F }
  }

  private func problem(_ what: String, hint: String?) -> OffersError {
    OffersError(.invalidRequest, "“\(text)” is not a template: \(what).", hint: hint)
  }
}
