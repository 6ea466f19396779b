import ArgumentParser
import Glibc
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
  var path: Path {
    get throws { try Self.path(named: config) }
  }

  /// Where definitions stand.
  struct Path: Sendable {
    let text: String
    /// True when a person named it: then it must exist.
    let isNamed: Bool
  }

  /// The file that an option, if it was given, and the environment name.
  static func path(named option: String?) throws -> Path {
    if let named = option ?? variable("OFFERS_CONFIG") {
      guard !named.isEmpty else {
        throw OffersError(
          .invalidRequest, "The path of the definitions is empty.",
          hint: "Name a file with --config, or unset OFFERS_CONFIG.")
      }
      return Path(text: named, isNamed: true)
    }
    // The specification ignores a relative XDG_CONFIG_HOME.
    if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      return Path(text: folder + "/offers/feeds.yaml", isNamed: false)
    }
    let home = variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? ""
    return Path(text: home + "/.config/offers/feeds.yaml", isNamed: false)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension ConfigurationOptions.Path {
  /// The shipped feeds and a person's own.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a wrong definition, `notFound` for a file
  ///   that was named and is missing.
  func load() throws -> FeedConfiguration {
    guard let yaml = try read() else { return .shipped }
    return try FeedConfiguration(yaml: yaml, name: text)
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
