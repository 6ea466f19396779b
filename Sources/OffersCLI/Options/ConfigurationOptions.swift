import ArgumentParser
import OffersCore
import OffersFeeds

/// The option that names the file of the user's own feed definitions, which is never written.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Your feed definitions (default: $OFFERS_CONFIG, else offers/feeds.yaml under "
        + "$XDG_CONFIG_HOME or ~/.config).", valueName: "path"))
  var config: String?

  /// The file that the option names, else `OFFERS_CONFIG`, else the default path.
  var path: SettingPath {
    get throws { try Self.path(named: config) }
  }

  /// The file that the option names, else `OFFERS_CONFIG`, else the default path.
  ///
  /// Without a home folder the default is a path below the root folder. Normally no file exists
  /// there, so that only the shipped feeds are known.
  ///
  /// - Parameter option: the value of `--config`; nil if it was not given.
  /// - Throws: `OffersError` with `invalidRequest` if the file is named by an empty path.
  static func path(named option: String?) throws -> SettingPath {
    try SettingPath.find(
      option: (option, "--config"), variable: "OFFERS_CONFIG",
      folder: ("XDG_CONFIG_HOME", ".config"), file: "offers/feeds.yaml", what: "the definitions")
      ?? SettingPath(text: "/.config/offers/feeds.yaml", origin: .standard)
  }
}

extension CompletionKind {
  /// The names of feeds, both the shipped ones and the user's own. The shipped ones are offered even if
  /// the user's definitions cannot be read.
  static var feeds: CompletionKind {
    .custom { words, _, _ in
      let option = words.firstIndex(of: "--config").flatMap { words.dropFirst($0 + 1).first }
      return ((try? ConfigurationOptions.path(named: option).load()) ?? .shipped).names
    }
  }
}

extension SettingPath {
  /// Loads the shipped feeds and those of the user's file.
  ///
  /// If the option or `OFFERS_CONFIG` names a file that does not exist, there are only the shipped
  /// feeds, and the error about another feed mentions the file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an invalid definition, otherwise as
  ///   `TextFile.read`.
  func load() throws -> FeedConfiguration { try configuration(reading: try read()) }

  /// Loads the shipped feeds, those of the user's file, and those that a database keeps; nil for no database.
  ///
  /// - Throws: as `load()`; the errors of the database.
  func load(from database: (any OffersStorage)?) async throws -> FeedConfiguration {
    try load().including(await database?.fetchDefinitions() ?? [])
  }

  /// The shipped feeds and those that the given content of the file defines.
  ///
  /// - Parameter yaml: the content; nil if the file does not exist.
  func configuration(reading yaml: String?) throws -> FeedConfiguration {
    guard let yaml else {
      return isNamed ? .shipped(without: text) : .shipped
    }
    return try FeedConfiguration(yaml: yaml, name: text)
  }

  /// How the offers of each feed of a database are shown. A command that only reads offers does not
  /// depend on the user's definitions: if they cannot be loaded, those of the shipped feeds apply, and
  /// what the database keeps.
  ///
  /// - Parameters:
  ///   - feed: the only feed whose offers are shown; nil for all.
  ///   - database: the database.
  func presentations(
    of feed: String? = nil, in database: any OffersStorage
  ) async throws -> FeedPresentations {
    let stored = try await database.fetchPresentations()
    let definitions = try await database.fetchDefinitions()
    let names = Set(stored.keys)
    // A definition that is invalid is reported by the commands that need it, and by the doctor.
    let configuration = ((try? load()) ?? .shipped).including(definitions)
    let known = (try? configuration.shownFeeds(besides: names, of: feed)) ?? []
    return FeedPresentations(known, stored: stored)
  }

  /// Reads the file; nil if it does not exist.
  func read() throws -> String? { try TextFile.read(text) }
}
