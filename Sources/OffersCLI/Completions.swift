import ArgumentParser
import Foundation
import OffersFeeds
import OffersStore

/// What a shell offers while an id or the name of a feed is typed.
enum Completions {
  /// Ids of offers. fish and zsh show the names beside them.
  static var ids: CompletionKind {
    .custom { words, _, prefix in
      // A shell has nowhere to show an error.
      (try? ids(beginningWith: prefix, words)) ?? []
    }
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
    .custom { words, _, _ in
      guard let path = try? DatabaseOptions.path(named: value(of: "--database", in: words)),
        let database = try? OffersDatabase(path: path, access: .readOnly)
      else { return [] }
      return ((try? database.fetchRecentSearchesBlocking()) ?? []).map {
        DisplayText.oneLine($0.words)
      }
    }
  }

  /// More than a screen of ids helps nobody to choose.
  private static let limit = 50

  private static func ids(beginningWith prefix: String, _ words: [String]) throws -> [String] {
    let path = try DatabaseOptions.path(named: value(of: "--database", in: words))
    let database = try OffersDatabase(path: path, access: .readOnly)
    let found = try database.fetchIDsBlocking(beginningWith: prefix, limit: limit)
    let counts = Dictionary(grouping: found, by: \.ref.id).mapValues(\.count)
    return found.prefix(limit).map { ref, name in
      let isPlain = !prefix.contains(":") && counts[ref.id] == 1
      let id = DisplayText.oneLine(isPlain ? ref.id : ref.description)
      let title = DisplayText.oneLine(name)
      switch CompletionShell.requesting {
      case .some(.fish): return "\(id)\t\(title)"
      case .some(.zsh): return "\(id.replacing(":", with: "\\:")):\(title)"
      default: return id
      }
    }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    if let place = words.firstIndex(of: option), place + 1 < words.count { return words[place + 1] }
    return words.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
  }
}
