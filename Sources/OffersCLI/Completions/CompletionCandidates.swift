import ArgumentParser
import Glibc
import OffersCore
import OffersFeeds
import OffersPlatform

/// The candidates that a shell offers to complete an id, the name of a feed, or a search.
enum CompletionCandidates {
  /// Ids of offers. fish and zsh show the names of the offers beside them.
  static var ids: CompletionKind {
    .custom { words, _, prefix async in await ids(beginningWith: prefix, in: words) }
  }

  /// Names of feeds, both the shipped ones and the user's own.
  static var feeds: CompletionKind {
    .custom { words, _, _ in
      // The shipped feeds are offered even if the user's definitions cannot be read.
      let path = try? ConfigurationOptions.path(named: value(of: "--config", in: words))
      return ((try? path?.load()) ?? .shipped).names
    }
  }

  /// The words of recent searches that found something.
  static var searches: CompletionKind {
    .custom { words, _, _ async in
      guard let database = await open(in: words),
        let user = try? UserChoice(option: value(of: "--user", in: words)),
        let record = try? await user.record(in: database)
      else { return [] }
      return ((try? await record.fetchRecentSearches()) ?? []).compactMap {
        candidate($0.words)
      }
    }
  }

  /// The names of the users.
  static var users: CompletionKind {
    .custom { words, _, _ async in
      ((try? await open(in: words)?.fetchUsers()) ?? []).compactMap { candidate($0.name) }
    }
  }

  /// The database of a command line; nil if it cannot be opened, because a shell has no place to
  /// show an error during completion.
  private static func open(in words: [String]) async -> (any OffersStorage)? {
    let place = try? DatabaseOptions.place(named: value(of: "--database", in: words))
    return try? await place?.open(.readOnly)
  }

  /// The maximum number of ids that are offered, about a screen.
  private static let limit = 50

  private static func ids(
    beginningWith prefix: String, in words: [String]
  ) async -> [String] {
    guard let database = await open(in: words),
      let found = try? await database.fetchIDs(beginningWith: prefix, limit: limit)
    else { return [] }
    return found.prefix(limit).compactMap { ref, name in
      let isPlain =
        !prefix.utf8.contains(UInt8(ascii: ":"))
        && found.count(where: { $0.ref.offerID == ref.offerID }) == 1
        && !isOption(ref.offerID)
      return candidate(isPlain ? ref.offerID : ref.description, DisplayText.oneLine(name))
    }
  }

  /// Whether the parser would read a word as an option. A feed could otherwise inject options into
  /// the command line of a user who presses Tab and Return.
  private static func isOption(_ text: String) -> Bool { text.utf8.first == UInt8(ascii: "-") }

  /// A candidate in the syntax of the shell that asks; nil for a text with control characters or
  /// shell metacharacters, and for one that looks like an option.
  ///
  /// bash expands its candidates, and every shell splits them at separators of its own. So only the
  /// ASCII characters that need no quoting (`ShellQuoting.isPlain`), spaces and characters beyond
  /// ASCII are offered. Other ids and searches can still be typed.
  ///
  /// - Parameter title: the description that fish and zsh show beside the candidate.
  private static func candidate(_ text: String, _ title: String? = nil) -> String? {
    guard !isOption(text), DisplayText.oneLine(text).utf8.elementsEqual(text.utf8),
      text.utf8.allSatisfy({ ShellQuoting.isPlain($0) || $0 == UInt8(ascii: " ") || $0 >= 0x80 })
    else { return nil }
    switch ProcessContext.variable("SAP_SHELL") {
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
