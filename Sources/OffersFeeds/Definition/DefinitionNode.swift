import OffersCore

/// A value in a definition file and where it stands.
struct DefinitionNode {
  /// What a value can be. Numbers and truth values are the text that was written.
  enum Content {
    /// `isPlain` without quotes.
    case text(String, isPlain: Bool)
    case list([DefinitionNode])
    case map([Entry])
  }

  /// A key of a mapping with its value, in the order written.
  struct Entry {
    let key: String
    let place: Place
    let value: DefinitionNode
  }

  /// A line of a file, counted from 1.
  struct Place {
    let file: String
    let line: Int

    /// A mistake that stands here.
    func problem(
      _ what: String, hint: String? = nil, code: OffersError.Code = .invalidRequest
    ) -> OffersError {
      OffersError(code, "\(file):\(line): \(what)", hint: hint)
    }
  }

  let place: Place
  let content: Content

  /// True for nothing, `~` and `null`.
  var isAbsent: Bool {
    guard case .text(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// What stands here, for people.
  var kind: String {
    switch content {
    case .text: isAbsent ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a mapping"
    }
  }

  /// The text that stands here.
  ///
  /// - Parameter name: what it is the value of.
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

  /// The text that stands here, with something in it.
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

  /// The elements of a list, or what stands here as the only one. Never empty.
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

  /// Reads a path or template out of the text here, and says where when it is none.
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
    place.problem(what, hint: hint, code: code)
  }
}
