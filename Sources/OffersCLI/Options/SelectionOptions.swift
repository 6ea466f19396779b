import ArgumentParser
import OffersCore

/// The words and the options that choose offers, which all commands with a selection of offers share.
struct SelectionOptions: ParsableArguments {
  /// The words, including a `--` that ends the options.
  @Argument(
    parsing: .allUnrecognized,
    help: """
      Words to find, and filters: coffee, "cold brew", -pod, tea OR coffee, reward:>=2, \
      price:<=20, feed:ibotta, retailer:Target, -category:Beer, ending:48h, new:today, is:favorite, \
      near:52.52,13.40,5km, sort:reward. Quote them for the shell, and put words that begin with \
      -- after a --.
      """, completion: .selection)
  var words: [String] = []

  @Option(.feed, completion: .feeds) var feed: [String] = []
  @Option(.notFeed, completion: .feeds) var notFeed: [String] = []
  @Flag(.favorites) var favorites = false
  @Flag(.hidden) var hidden = false
  @Option(.retailer) var retailer: [String] = []
  @Option(.notRetailer) var notRetailer: [String] = []
  @Option(.category) var category: [String] = []
  @Option(.notCategory) var notCategory: [String] = []
  @Option(.reward) var rewardAtLeast: [String] = []
  @Option(.rewardMost) var rewardAtMost: [String] = []
  @Option(.priceLeast) var priceAtLeast: [String] = []
  @Option(.price) var priceAtMost: [String] = []
  @Option(.newSince) var newSince: [String] = []
  @Option(.expiring) var expiring: [String] = []
  @Option(.near) var near: [String] = []
  @Flag(.gone) var gone = false
  @Flag(.expired) var expired = false

  private func texts(of filter: OfferFilter) -> [String] {
    switch filter {
    case .feed: feed
    case .notFeed: notFeed
    case .gone: gone ? ["true"] : []
    case .expired: expired ? ["true"] : []
    case .favorites: favorites ? ["true"] : []
    case .hidden: hidden ? ["true"] : []
    case .category: category
    case .notCategory: notCategory
    case .retailer: retailer
    case .notRetailer: notRetailer
    case .reward: rewardAtLeast
    case .rewardMost: rewardAtMost
    case .priceLeast: priceAtLeast
    case .price: priceAtMost
    case .newSince: newSince
    case .expiring: expiring
    case .near: near
    }
  }

  func validate() throws {
    // A word may begin with one hyphen. With two it is a misspelt option, unless it follows a `--`.
    if let option = words.prefix(while: { $0 != "--" }).first(where: { $0.hasPrefix("--") }) {
      throw ValidationError(
        "Unknown option '\(option)'. Words that begin with -- go after a --.")
    }
  }

  /// The words, without the `--` that ends the options, with single spaces.
  var typed: String {
    var words = words
    if let terminator = words.firstIndex(of: "--") { words.remove(at: terminator) }
    return SearchWords.spaced(words.joined(separator: " "))
  }

  /// The selection: the words, and the options behind them.
  var text: SelectionText {
    get throws {
      var text = try SelectionText(parsing: typed)
      for filter in OfferFilter.allCases {
        for value in texts(of: filter) { text.add(filter, value) }
      }
      return text
    }
  }
}

extension Option where Value == [String] {
  init(wrappedValue: [String], _ filter: OfferFilter, completion: CompletionKind? = nil) {
    let words = filter.words
    let parsing: ArrayParsingStrategy =
      switch filter.value {
      case .flag, .text, .label: .singleValue
      // A value that begins with a hyphen is refused as one, and not taken for an option.
      case .bound, .since, .within, .circle: .unconditionalSingleValue
      }
    self.init(
      wrappedValue: wrappedValue, name: .customLong(words.option), parsing: parsing,
      help: ArgumentHelp(words.help, valueName: words.valueName), completion: completion)
  }
}

extension CompletionKind {
  /// The beginnings of filters, orders, and behind `feed:` the names of feeds.
  static var selection: CompletionKind {
    .custom { (words: [String], index: Int, prefix: String) async -> [String] in
      let shell = CompletionShell.requesting
      // bash ends words at colons, and has only the part behind the last one completed.
      let head = shell == .bash ? wordBeforeColon(words, index, prefix) : nil
      let typed = head.map { $0 + (prefix == ":" ? "" : prefix) } ?? prefix
      let orders = OfferQuery.Sort.allCases.map { "sort:\($0.rawValue)" }
      var found = (SelectionText.terms + orders).filter { $0.hasPrefix(typed) }
      let feedTerms = [OfferFilter.feed, .notFeed].map(\.words.term)
      if let term = feedTerms.first(where: { typed.hasPrefix($0) || found == [$0] }) {
        found = await feedNames(words).map { term + $0 }.filter { $0.hasPrefix(typed) }
      }
      return switch shell {
      case .bash?: found.map { String($0.dropFirst(head?.count ?? 0)) }
      // zsh describes a candidate by the text behind its first colon.
      case .zsh?: found.map { $0.replacing(bytes: ":", with: "\\:") }
      default: found
      }
    }
  }

  /// The beginning of a word, up to its colon, of which bash completes the rest; nil for a word without one.
  private static func wordBeforeColon(
    _ words: [String], _ index: Int, _ prefix: String
  ) -> String? {
    let colon = prefix == ":" ? index : index - 1
    guard colon > 0, words.indices.contains(colon), words[colon] == ":" else { return nil }
    return words[colon - 1] + ":"
  }
}

extension Option where Value == String? {
  /// The option of a filter whose value is one name.
  init(_ filter: OfferFilter, completion: CompletionKind? = nil) {
    let words = filter.words
    self.init(
      name: .customLong(words.option), help: ArgumentHelp(words.help, valueName: words.valueName),
      completion: completion)
  }
}

extension Flag where Value == Bool {
  /// The option of a filter that is a switch.
  ///
  /// - Parameter help: the explanation, if that of the list does not fit the command.
  init(wrappedValue: Bool, _ filter: OfferFilter, help: String? = nil) {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(filter.words.option),
      help: ArgumentHelp(help ?? filter.words.help))
  }
}
