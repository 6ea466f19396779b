import ArgumentParser
import OffersCore
import OffersFeeds

/// The option that names the file of the user's own feed definitions.
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

/// A setting of a feed in the user's file; nil stands for that of the feed's definition.
enum FeedSetting: Sendable {
  /// How often it is synced.
  case everySeconds(Int?)
  /// The ISO 4217 code of the currency of amounts that do not state one.
  case currency(String?)
}

extension SettingPath {
  /// Loads the shipped feeds and the user's own.
  ///
  /// If the option or `OFFERS_CONFIG` names a file that does not exist, there are only the shipped
  /// feeds, and the error about another feed mentions the file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an invalid definition, otherwise as
  ///   `TextFile.read`.
  func load() throws -> FeedConfiguration { try configuration(reading: try read()) }

  /// The shipped feeds and those that the given content of the file defines.
  ///
  /// - Parameter yaml: the content; nil if the file does not exist.
  func configuration(reading yaml: String?) throws -> FeedConfiguration {
    guard let yaml else {
      return isNamed ? .shipped(without: text) : .shipped
    }
    return try FeedConfiguration(yaml: yaml, name: text)
  }

  /// The shipped feeds and those that the given content of the file defines.
  ///
  /// Content without a `feeds:` section, such as comments or other settings alone, is valid and
  /// defines none.
  ///
  /// - Parameter yaml: the content; nil if the file does not exist.
  func configuration(_ yaml: String?) throws -> FeedConfiguration {
    guard let yaml else { return .shipped }
    return try FeedConfiguration(
      yaml: DefinitionEdit.completed(yaml, name: text), name: text)
  }

  /// Writes settings of a feed into the file, all of them or, on an error, none. The file is created if it does
  /// not exist.
  ///
  /// - Returns: whether each of them was changed.
  /// - Throws: `OffersError` with `notFound` for an unknown feed, otherwise as
  ///   `DefinitionEdit.setting` and `TextFile.edit`.
  func set(_ settings: [FeedSetting], of feed: String) throws -> [Bool] {
    var didChange: [Bool] = []
    try TextFile.edit(text) { yaml in
      _ = try configuration(yaml).fetch(feed)
      var edited = yaml
      didChange = try settings.map { setting in
        let next =
          switch setting {
          case .everySeconds(let seconds):
            try DefinitionEdit.setting(everySeconds: seconds, of: feed, in: edited, name: text)
          case .currency(let code):
            try DefinitionEdit.setting(currency: code, of: feed, in: edited, name: text)
          }
        edited = next ?? edited
        return next != nil
      }
      return didChange.contains(true) ? edited : nil
    }.commit()
    return didChange
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
    let names = Set(stored.keys)
    // A definition that is invalid is reported by the commands that need it, and by the doctor.
    let known =
      (try? load().shownFeeds(besides: names, of: feed))
      ?? (try? FeedConfiguration.shipped.shownFeeds(besides: names, of: feed)) ?? []
    return FeedPresentations(known, stored: stored)
  }

  /// Reads the file; nil if it does not exist.
  func read() throws -> String? { try TextFile.read(text) }
}
