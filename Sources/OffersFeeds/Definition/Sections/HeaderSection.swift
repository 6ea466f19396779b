import OffersCore

/// The section of a definition with the request headers.
enum HeaderSection {
  /// Headers, in lower case, that a definition cannot set, since the HTTP client sets them.
  private static let reserved = [
    "connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  static func headers(_ node: DefinitionNode) throws -> [RequestHeader] {
    var names: Set<String> = []
    return try node.entries(of: "headers").map { entry in
      let name = entry.key
      guard isToken(name) else {
        throw entry.location.problem(
          "“\(name)” is not a valid header name.", hint: "Write one such as Authorization.")
      }
      guard !reserved.contains(name.lowercased()) else {
        throw entry.location.problem("the header “\(name)” cannot be set.")
      }
      guard names.insert(name.lowercased()).inserted else {
        throw entry.location.problem("the header “\(name)” is a duplicate.")
      }
      let text = try entry.value.filledText(of: name)
      guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
        throw entry.value.problem("“\(name)” has a line break or control character in it.")
      }
      let value = try entry.value.understand { try Template(parsing: text, for: .header) }
      return RequestHeader(name: name, value: value)
    }
  }

  /// Whether a text is a token (RFC 9110, section 5.6.2).
  private static func isToken(_ text: String) -> Bool {
    let others = "!#$%&'*+-.^_`|~".utf8
    return !text.isEmpty
      && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || others.contains($0) }
  }
}
