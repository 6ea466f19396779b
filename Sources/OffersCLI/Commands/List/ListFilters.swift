import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore

/// The options that narrow a list.
struct ListFilters: ParsableArguments {
  @Option(name: .long, help: "Only this feed.", completion: Completions.feeds)
  var feed: String?

  @Flag(name: .long, help: "Only favorites, gone ones too.")
  var favorites = false

  @Option(name: .long, help: ArgumentHelp("Only what this shop sells.", valueName: "name"))
  var retailer: String?

  @Option(name: .long, help: ArgumentHelp("Only what has this category.", valueName: "name"))
  var category: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only what pays so much or more: 1.50 in any currency, $1.50 or 1.50 EUR in one, or 5%.",
      valueName: "reward"))
  var rewardAtLeast: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only what was first seen since then: 12h, 7d, 2w ago, a day (2026-11-01), or a time.",
      valueName: "time"))
  var newSince: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Only what expires so soon: 30m, 48h, 7d or 2w.", valueName: "within"))
  var expiring: String?

  @Flag(name: .long, help: "Only what is gone from its feed.")
  var gone = false

  /// - Throws: `OffersError` with `invalidRequest` for a filter that cannot be read.
  func query(at now: Date) throws -> OfferQuery {
    var query = OfferQuery(feed: feed, favoritesOnly: favorites)
    query.goneOnly = gone
    query.retailer = retailer
    query.category = category
    query.rewardMinimum = try rewardAtLeast.map { try OfferQuery.RewardMinimum(parsing: $0) }
    query.newSince = try newSince.map { try Since.time(parsing: $0, now: now) }
    query.expiring = try expiring.map { now...(now + (try Since.seconds(parsing: $0))) }
    return query
  }

  private var isNarrow: Bool {
    gone || retailer != nil || category != nil || rewardAtLeast != nil || newSince != nil
      || expiring != nil
  }

  /// Says why a list may be empty, and what to do.
  func note(onEmptyFrom database: OffersDatabase) throws -> String {
    if let retailer,
      let note = Self.note(retailer, among: try database.fetchRetailersBlocking(), "retailer")
    {
      return note
    }
    if let category,
      let note = Self.note(category, among: try database.fetchCategoriesBlocking(), "category")
    {
      return note
    }
    if isNarrow { return "No offers are like that. See all there are: offers list" }
    return favorites
      ? "No favorites yet. Star an offer with: offers favorite ID"
      : "No offers yet. Read a feed with: offers sync"
  }

  /// What is wrong with a name that no offer has; nil when some have it.
  private static func note(_ name: String, among names: [String], _ what: String) -> String? {
    if names.contains(where: { NaturalOrder.isSame($0, name) }) { return nil }
    if names.isEmpty { return "No offer says its \(what)." }
    let hint = NearestWord.hint(for: name, among: names, title: "There are")
    return DisplayText.oneLine("No offer has the \(what) “\(name)”. \(hint)")
  }
}
