import ArgumentParser
import OffersCore
import OffersFeeds

/// Which file holds a person's own feed definitions.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Your feed definitions (default: $OFFERS_CONFIG, else offers/feeds.yaml under "
        + "$XDG_CONFIG_HOME or ~/.config).", valueName: "path"))
  var config: String?

  /// The file the options and the environment name.
  var path: SettingPath {
    get throws { try Self.path(named: config) }
  }

  /// The file that an option, if it was given, and the environment name. Without a home there are
  /// only the shipped feeds.
  static func path(named option: String?) throws -> SettingPath {
    try SettingPath.find(
      option: (option, "--config"), variable: "OFFERS_CONFIG",
      folder: ("XDG_CONFIG_HOME", ".config"), file: "offers/feeds.yaml", what: "the definitions")
      ?? SettingPath(text: "/.config/offers/feeds.yaml", isNamed: false)
  }
}

extension SettingPath {
  /// The shipped feeds and a person's own.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a wrong definition, `notFound` for a file
  ///   that was named and is missing.
  func load() throws -> FeedConfiguration {
    guard let yaml = try read() else { return .shipped }
    return try FeedConfiguration(yaml: yaml, name: text)
  }

  /// The shipped feeds and those of a text that the file holds. One of comments alone, or with other
  /// settings, has no feeds yet.
  func configuration(_ yaml: String?) throws -> FeedConfiguration {
    guard let yaml else { return .shipped }
    return try FeedConfiguration(
      yaml: DefinitionEdit.completed(yaml, name: text), name: text)
  }

  /// Sets how often a feed is synced, in the file, which is made where there is none.
  ///
  /// - Parameter everySeconds: nil for what its definition says.
  /// - Returns: whether that was otherwise.
  /// - Throws: `OffersError` with `notFound` for an unknown feed, and as `DefinitionEdit` does.
  func setInterval(_ everySeconds: Int?, of feed: String) throws -> Bool {
    var didChange = false
    try TextFile.update(text) { yaml in
      _ = try configuration(yaml).fetch(feed)
      let edited = try DefinitionEdit.setting(
        everySeconds: everySeconds, of: feed, in: yaml, name: text)
      didChange = edited != nil
      return edited
    }
    return didChange
  }

  /// What the file holds; nil when there is none and none was named.
  func read() throws -> String? {
    guard let bytes = try TextFile.read(text) else {
      if !isNamed { return nil }
      throw OffersError(
        .notFound, "There is no file \(text) with feed definitions.",
        hint: "Check --config and OFFERS_CONFIG.")
    }
    return bytes
  }
}
