import OffersCore

/// The definitions that ship with the program: those of the named feeds, and those of the
/// well-known kinds of documents, such as RSS. Each is a YAML file in the format that users write.
package enum FeedCatalog {
  /// The names of the shipped feeds.
  package static let names = ["albums", "facts", "ibotta", "movies", "restaurants"]

  /// Returns the definition of the shipped feed with this name, or nil when there is none.
  package static func find(_ name: String) throws -> FeedDefinition? {
    guard let text = text(of: name) else { return nil }
    return try DefinitionFile.parse(
      String(decoding: text, as: UTF8.self), name: "\(name).yaml"
    ).first
  }

  /// Returns the shipped definition of a well-known kind, such as `rss`.
  static func definition(ofKind kind: String) throws -> FeedDefinition {
    let text = EmbeddedFeedFiles.find("\(kind).yaml") ?? []
    let definitions = try DefinitionFile.parse(
      String(decoding: text, as: UTF8.self), name: "\(kind).yaml")
    return definitions[0]
  }

  /// Returns the YAML file of the shipped feed with this name, or nil when there is none.
  package static func findText(of name: String) -> String? {
    text(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func text(of name: String) -> [UInt8]? {
    names.contains(name) ? EmbeddedFeedFiles.find("\(name).yaml") : nil
  }

  /// Returns the built-in sample document of a shipped feed, or nil when there is no such feed. Its
  /// offers are invented, so that the program can be tried without a network.
  package static func findSample(of name: String) -> [UInt8]? {
    names.contains(name) ? EmbeddedFeedFiles.find("\(name).json") : nil
  }
}
