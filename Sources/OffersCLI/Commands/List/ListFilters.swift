import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

/// The options that filter a list.
struct ListFilters: ParsableArguments {
  @Option(name: .long, help: "Only this feed.", completion: .feeds)
  var feed: String?

  @Flag(name: .long, help: "Only favorites, including those that are gone or expired.")
  var favorites = false

  @Option(name: .long, help: ArgumentHelp("Only offers of this retailer.", valueName: "name"))
  var retailer: String?

  @Option(name: .long, help: ArgumentHelp("Only offers of this category.", valueName: "name"))
  var category: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only this reward or more: 1.50 in any currency, $1.50 in dollars, 1.50 EUR, or 5%.",
      valueName: "reward"))
  var rewardAtLeast: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only this price or less: 20 in any currency, $20 in dollars, or 19.90 EUR.",
      valueName: "price"))
  var priceAtMost: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only offers first seen since: 12h, 7d, 2w ago, a day (2026-11-01), or a time.",
      valueName: "time"))
  var newSince: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("Only offers that expire within 30m, 48h, 7d or 2w.", valueName: "within"))
  var expiring: String?

  @Flag(name: .long, help: "Only offers that are gone from their feed.")
  var gone = false

  @Flag(name: .long, help: "List expired offers, too, behind all others.")
  var expired = false
}

extension ListFilters {
  /// The query with the parsed filters.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a filter that cannot be parsed.
  func query(at now: Date) throws -> OfferQuery {
    var query = OfferQuery(
      feed: feed, favoritesOnly: favorites, includesExpired: expired, now: now)
    query.goneOnly = gone
    query.retailer = retailer
    query.category = category
    query.rewardMinimum = try rewardAtLeast.map { try OfferQuery.RewardMinimum(parsing: $0) }
    query.priceMaximum = try priceAtMost.map { try OfferQuery.PriceMaximum(parsing: $0) }
    query.newSince = try newSince.map { try PeriodStart.time(parsing: $0, now: now) }
    query.expiring = try expiring.map { now...(now + (try PeriodStart.seconds(parsing: $0))) }
    return query
  }

  private var isNarrow: Bool {
    gone || retailer != nil || category != nil || rewardAtLeast != nil
      || priceAtMost != nil || newSince != nil || expiring != nil
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
    if isNarrow { return "No offer matches the filters. See all offers: offers list" }
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
