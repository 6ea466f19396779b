import OffersCore
import OffersFeeds

/// The file with the definitions of the user's own feeds, as far as feeds are added to it.
struct OwnFeeds: Sendable {
  let file: SettingPath

  /// The shipped feeds and those of the file, which need not exist yet, even if the user names it.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an invalid definition, otherwise as
  ///   `TextFile.read`.
  func configuration() throws -> FeedConfiguration {
    try file.configuration(TextFile.read(file.text))
  }

  /// The shipped feeds and those of the file.
  ///
  /// - Throws: as `configuration()`; `OffersError` with `invalidRequest` if there is a feed with
  ///   this name.
  @discardableResult
  func checkIsNew(_ name: String) throws -> FeedConfiguration {
    let configuration = try configuration()
    try Self.check(name, isNewIn: configuration)
    return configuration
  }

  /// Prepares to append a definition to the file, which is created if it does not exist.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if there is a feed with its name, or as
  ///   `DefinitionEdit.adding`; otherwise as `TextFile.edit`. The file is as before then.
  func adding(_ definition: FeedDefinition) throws -> TextFile.Edit {
    try TextFile.edit(file.text) { yaml in
      // Another process may have added the feed in the meantime.
      try Self.check(definition.name, isNewIn: file.configuration(yaml))
      return try DefinitionEdit.adding(
        DefinitionText.yaml(for: definition), to: yaml, name: file.text)
    }
  }

  private static func check(
    _ name: String, isNewIn configuration: FeedConfiguration
  ) throws {
    guard configuration.names.contains(name) else { return }
    throw OffersError(
      .invalidRequest, "There is already a feed \(name).",
      hint: "Choose another name, or see it with: offers feeds show \(name)")
  }
}
