/// A field of the head of a request or a response (RFC 9110, section 5).
public struct HeaderField: Hashable, Sendable {
  /// The name, in any case.
  public let name: String
  /// The value without white space around it.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [HeaderField] {
  /// The values of all fields of a name, in order.
  ///
  /// - Parameter name: the name in lower case.
  package subscript(name: String) -> [String] {
    filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of the first field of a name, given in lower case; nil if there is none.
  package func first(name: String) -> String? {
    first { $0.name.lowercased() == name }?.value
  }

  /// Adds a field, and removes all others of its name in any case.
  mutating func replace(_ name: String, with value: String) {
    removeAll { $0.name.lowercased() == name.lowercased() }
    append(HeaderField(name, value))
  }
}
