import ArgumentParser
import Glibc
import OffersCore
import OffersFeeds
import OffersSQLite

/// What a shell offers while an id or the name of a feed is typed.
enum Completions {
  /// Ids of offers. fish and zsh show the names beside them.
  static var ids: CompletionKind {
    .custom { words, _, prefix async in await ids(beginningWith: prefix, in: words) }
  }

  /// Names of feeds, the shipped ones and a person's own.
  static var feeds: CompletionKind {
    .custom { words, _, _ in
      // The shipped ones are there even where the settings cannot be read.
      let path = try? ConfigurationOptions.path(named: value(of: "--config", in: words))
      return ((try? path?.load()) ?? .shipped).names
    }
  }

  /// What was searched for lately, and found.
  static var searches: CompletionKind {
    .custom { words, _, _ async in
      guard let path = try? DatabaseOptions.path(named: value(of: "--database", in: words)),
        let database = try? OffersDatabase(path: path, access: .readOnly)
      else { return [] }
      return ((try? await database.fetchRecentSearches()) ?? []).compactMap {
        candidate($0.words)
      }
    }
  }

  /// More than a screen of ids helps nobody to choose.
  private static let limit = 50

  private static func ids(
    beginningWith prefix: String, in words: [String]
  ) async -> [String] {
    // A shell has nowhere to show an error.
    guard let path = try? DatabaseOptions.path(named: value(of: "--database", in: words)),
      let database = try? OffersDatabase(path: path, access: .readOnly),
      let found = try? await database.fetchIDs(beginningWith: prefix, limit: limit)
    else { return [] }
    return found.prefix(limit).compactMap { ref, name in
      let isPlain =
        !prefix.utf8.contains(UInt8(ascii: ":"))
        && found.count(where: { $0.ref.id == ref.id }) == 1
        && !isOption(ref.id)
      return candidate(isPlain ? ref.id : ref.description, DisplayText.oneLine(name))
    }
  }

  /// Whether the parser would take a word for an option, which a feed could choose for whoever
  /// presses Tab and Return.
  private static func isOption(_ text: String) -> Bool { text.utf8.first == UInt8(ascii: "-") }

  /// A candidate in the form that the shell which asks understands; nil for one that could be more
  /// than a word to it.
  ///
  /// bash expands what it is offered, and every shell splits its candidates at signs of its own. Only
  /// plain bytes, spaces and letters beyond ASCII are offered. All else is still accepted when it is
  /// typed.
  ///
  /// - Parameter title: what fish and zsh show beside it.
  private static func candidate(_ text: String, _ title: String? = nil) -> String? {
    guard !isOption(text), DisplayText.oneLine(text).utf8.elementsEqual(text.utf8),
      text.utf8.allSatisfy({ ShellQuoting.isPlain($0) || $0 == UInt8(ascii: " ") || $0 >= 0x80 })
    else { return nil }
    switch EnvironmentVariable.find("SAP_SHELL") {
    case "fish": return title.map { "\(text)\t\($0)" } ?? text
    case "zsh":
      let text = text.replacing(bytes: ":", with: "\\:")
      return title.map { "\(text):\($0)" } ?? text
    case "bash": return ShellQuoting.word(text)
    default: return text
    }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    if let place = words.firstIndex(of: option), place + 1 < words.count { return words[place + 1] }
    return words.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
  }
}
