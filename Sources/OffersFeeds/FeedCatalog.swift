import OffersCore

/// The feeds that ship with the program, and the well-known kinds that need no definition. Each is
/// the same YAML that a person would write.
package enum FeedCatalog {
  /// The names of the feeds that ship.
  package static let names = ["albums", "facts", "ibotta", "movies", "restaurants"]

  /// The definition that ships under this name; nil when there is none.
  package static func find(_ name: String) throws -> FeedDefinition? {
    guard let text = text(of: name) else { return nil }
    return try DefinitionFile.parse(
      String(decoding: text, as: UTF8.self), name: "\(name).yaml"
    ).first
  }

  /// The definition that ships for a well-known kind.
  static func definition(of kind: WellKnownKind) throws -> FeedDefinition {
    let text = EmbeddedFile.find("\(kind.rawValue).yaml") ?? []
    let definitions = try DefinitionFile.parse(
      String(decoding: text, as: UTF8.self), name: "\(kind.rawValue).yaml")
    return definitions[0]
  }

  /// The file that ships under this name.
  package static func findText(of name: String) -> String? {
    text(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func text(of name: String) -> [UInt8]? {
    names.contains(name) ? EmbeddedFile.find("\(name).yaml") : nil
  }

  /// The built-in sample document of a shipped feed: invented offers, so that the program can be
  /// tried with no network.
  package static func findSample(of name: String) -> [UInt8]? {
    names.contains(name) ? EmbeddedFile.find("\(name).json") : nil
  }
}
