import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

/// The options that filter a list.
struct ListFilters: ParsableArguments {
  @Option(.feed, completion: .feeds) var feed: String?
  @Flag(.favorites) var favorites = false
  @Option(.retailer) var retailer: String?
  @Option(.category) var category: String?
  @Option(.reward) var rewardAtLeast: String?
  @Option(.price) var priceAtMost: String?
  @Option(.newSince) var newSince: String?
  @Option(.expiring) var expiring: String?
  @Flag(.gone) var gone = false
  @Flag(.expired) var expired = false

  /// The value of a filter's option; nil if it is not given.
  private func text(of filter: OfferFilter) -> String? {
    switch filter {
    case .feed: feed
    case .gone: gone ? "true" : nil
    case .expired: expired ? "true" : nil
    case .favorites: favorites ? "true" : nil
    case .category: category
    case .retailer: retailer
    case .reward: rewardAtLeast
    case .price: priceAtMost
    case .newSince: newSince
    case .expiring: expiring
    }
  }
}

extension Option where Value == String? {
  /// The option of a filter.
  init(_ filter: OfferFilter, completion: CompletionKind? = nil) {
    let words = filter.words
    let parsing: SingleValueParsingStrategy =
      switch filter.value {
      case .flag, .text, .label: .next
      // A value that begins with a hyphen is refused as one, and not taken for an option.
      case .bound, .since, .within: .unconditional
      }
    self.init(
      name: .customLong(words.option), parsing: parsing,
      help: ArgumentHelp(words.help, valueName: words.valueName), completion: completion)
  }
}

extension Flag where Value == Bool {
  /// The option of a filter that is a switch.
  init(wrappedValue: Bool, _ filter: OfferFilter) {
    self.init(
      wrappedValue: wrappedValue, name: .customLong(filter.words.option),
      help: ArgumentHelp(filter.words.help))
  }
}

extension ListFilters {
  /// The query with the parsed filters.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a filter that cannot be parsed.
  func query(at now: Date) throws -> OfferQuery {
    var query = OfferQuery(now: now)
    for filter in OfferFilter.allCases {
      guard let text = text(of: filter) else { continue }
      try filter.set(text, in: &query.selection, at: now, FilterTextParser())
    }
    return query
  }

  /// A note that says why a list is empty, and what to do.
  func note(
    onEmptyFrom database: any OffersStorage, _ feeds: FeedPresentations
  ) async throws -> String {
    if let feed, let note = note(onRoleOf: feed, feeds[feed].valueRole) { return note }
    if let retailer,
      let note = Self.note(
        retailer, among: try await database.fetchRetailers(of: feed), "retailer")
    {
      return note
    }
    if let category,
      let note = Self.note(
        category, among: try await database.fetchCategories(of: feed), "category")
    {
      return note
    }
    if !expired, let note = try await expiredNote(database) { return note }
    if try query(at: Date()).selection.isNarrowed(besides: [.feed, .favorites, .expired]) {
      return "No offer matches the filters. See all offers: offers list"
    }
    if favorites {
      // After a salvage, or without the feed that has them.
      let waiting = feed == nil ? try await database.countEverything().favorites : 0
      if waiting > 0 {
        return Units.count(waiting, "favorite")
          + " of no stored offer. Read the offers: offers sync"
      }
      return
        "No favorites\(feed.map { " of \($0)" } ?? "") yet. Star an offer with: offers favorite ID"
    }
    return try await goneNote(database) ?? "No offers yet. Read a feed with: offers sync"
  }

  /// A note that all offers are gone; nil if there are none.
  private func goneNote(_ database: any OffersStorage) async throws -> String? {
    let counts =
      try await database.fetchFeeds().map { ($0.name, $0.goneCount) }
      + database.fetchFormerFeeds().map { ($0.name, $0.goneCount) }
    let count = counts.reduce(0) { feed == nil || feed == $1.0 ? $0 + $1.1 : $0 }
    guard count > 0 else { return nil }
    let gone = count == 1 ? "The only offer is gone" : "All \(Units.count(count)) offers are gone"
    return "\(gone). See \(count == 1 ? "it" : "them"): offers list --gone"
      + (feed.map { " --feed \($0)" } ?? "")
  }

  /// A note about a filter by reward for a feed of prices, and vice versa; nil for none.
  private func note(onRoleOf feed: String, _ role: ValueRole) -> String? {
    switch role {
    case .price where rewardAtLeast != nil:
      "The offers of \(feed) have prices, not rewards. Filter them with: --price-at-most"
    case .reward where priceAtMost != nil:
      "The offers of \(feed) have no prices. Filter rewards with: --reward-at-least"
    default: nil
    }
  }

  /// A note that only expired offers match; nil if none does.
  private func expiredNote(_ database: any OffersStorage) async throws -> String? {
    let count = try await database.countExpired(leftOutOf: query(at: Date()))
    if count == 0 { return nil }
    let text = count == 1 ? "The only matching offer has" : "All \(Units.count(count)) offers have"
    return "\(text) expired. To see what has expired, add --expired."
  }

  /// A note about a retailer or category that no offer has; nil if it is one of the given names.
  ///
  /// - Parameter what: the noun for the name, such as `retailer`.
  private static func note(_ name: String, among names: [String], _ what: String) -> String? {
    if names.contains(where: { NaturalOrder.isSame($0, name) }) { return nil }
    if names.isEmpty { return "No offer has a \(what)." }
    let hint = NearestWord.hint(for: name, among: names, title: "There are")
    return DisplayText.oneLine("No offer has the \(what) “\(name)”. \(hint)")
  }
}
