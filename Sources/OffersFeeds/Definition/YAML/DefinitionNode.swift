import OffersCore

/// A value in a definition file, with its location.
struct DefinitionNode {
  /// The kinds of values. Numbers and Booleans are kept as the text in the file.
  enum Content {
    /// `isPlain` is true for a plain scalar: neither quoted nor a block scalar (`|` or `>`).
    case text(String, isPlain: Bool)
    case list([DefinitionNode])
    case map([Entry])
  }

  /// A key of a mapping and its value.
  struct Entry {
    let key: String
    let location: Location
    let value: DefinitionNode
  }

  /// A line of a file, counted from 1.
  struct Location {
    let file: String
    let line: Int

    /// Returns an error whose message begins with this location.
    func problem(
      _ what: String, hint: String? = nil, code: OffersError.Code = .invalidRequest
    ) -> OffersError {
      OffersError(code, "\(file):\(line): \(what)", hint: hint)
    }
  }

  let location: Location
  let content: Content

  /// True for an empty value, and for `~` and `null` without quotes.
  var isAbsent: Bool {
    guard case .text(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// The kind of value, as named in messages.
  var kind: String {
    switch content {
    case .text: isAbsent ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a mapping"
    }
  }

  /// Returns the value as a text.
  ///
  /// - Parameter name: the name of the value in messages.
  /// - Throws: `OffersError` with `invalidRequest` for a list, a mapping, and an absent value.
  func text(of name: String) throws -> String {
    guard case .text(let text, _) = content else {
      throw problem("“\(name)” is a text, not \(kind).")
    }
    if isAbsent {
      throw problem(
        "“\(name)” has no value.", hint: "Remove the line, or quote a word like null.")
    }
    return text
  }

  /// Returns the value as a text that is not blank.
  func filledText(of name: String) throws -> String {
    let text = try text(of: name)
    guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      throw problem("“\(name)” is empty.")
    }
    return text
  }

  func entries(of name: String) throws -> [Entry] {
    guard case .map(let entries) = content else {
      throw problem("“\(name)” is a mapping of names to values, not \(kind).")
    }
    return entries
  }

  /// Returns the elements of a list, or a value that is not a list as the only element. Throws for
  /// an empty list.
  func elements(of name: String) throws -> [DefinitionNode] {
    guard case .list(let elements) = content else { return [self] }
    guard !elements.isEmpty else { throw problem("“\(name)” is an empty list.") }
    return elements
  }

  func number(of name: String, in range: ClosedRange<Int>) throws -> Int {
    let text = try text(of: name)
    guard let number = Int(text), range.contains(number) else {
      throw problem(
        "“\(name)” is a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”."
      )
    }
    return number
  }

  func isTrue(of name: String) throws -> Bool {
    let text = try text(of: name)
    switch text.lowercased() {
    case "true", "yes": return true
    case "false", "no": return false
    default: throw problem("“\(name)” is true or false, not “\(text)”.")
    }
  }

  /// Returns the result of `read`, which parses this value. Its error gets the location of the
  /// value, and the code `invalidRequest`.
  func understand<Value>(_ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch let error as OffersError {
      throw problem(error.message, hint: error.hint)
    }
  }

  func problem(
    _ what: String, hint: String? = nil, code: OffersError.Code = .invalidRequest
  ) -> OffersError {
    location.problem(what, hint: hint, code: code)
  }
}
