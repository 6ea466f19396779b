import Foundation
import OffersCore

/// The filters and the order of a list of offers, as given in the query of the page's URL.
struct ListSelection {
  private(set) var feed: String?
  var favoritesOnly: Bool
  let category: String?
  let retailer: String?
  /// The minimum reward as it was typed, if it is a reward, and its value.
  let minimum: (text: String, value: OfferQuery.RewardMinimum)?
  /// The maximum price as it was typed, if it is a price, and its value.
  let maximum: (text: String, value: OfferQuery.PriceMaximum)?
  /// Only offers first seen in the last days.
  let isNew: Bool
  /// Only offers that end in the next days.
  let isEnding: Bool
  let sort: OfferQuery.Sort
  let isReversed: Bool
  let includesExpired: Bool
  /// The feeds whose values are prices.
  let pricedFeeds: Set<String>

  /// - Parameters:
  ///   - fields: the fields of the page's query.
  ///   - presentations: how the offers of each feed are shown.
  ///   - feed: the feed that the page belongs to; nil for the `feed` field of the query.
  ///   - content: reads the minimum reward and the maximum price.
  init(
    _ fields: SentFields, _ presentations: FeedPresentations, feed: String? = nil,
    content: ServerDependencies
  ) {
    pricedFeeds = presentations.pricedFeeds
    self.feed = feed ?? fields["feed"]
    favoritesOnly = fields.isSet("favorites")
    category = fields["category"]
    retailer = fields["retailer"]
    minimum = fields["minimum"].flatMap { text in
      // A value that a page cannot use has the same effect as none, as in every field of a query.
      (try? content.texts.readRewardMinimum(text)).map { (text, $0) }
    }
    maximum = fields["maximum"].flatMap { text in
      (try? content.texts.readPriceMaximum(text)).map { (text, $0) }
    }
    isNew = fields.isSet("new")
    isEnding = fields.isSet("ending")
    sort = fields["sort"].flatMap(OfferQuery.Sort.init) ?? .feed
    isReversed = fields.isSet("reverse")
    includesExpired = fields.isSet("expired")
  }

  /// The length of the time in which an offer counts as new, and as ending soon, in seconds.
  static let soonSeconds: TimeInterval = 7 * 86_400

  /// The query for all offers of the list, not only one page of it.
  ///
  /// - Parameter now: the time at which offers count as expired.
  func query(at now: Date) -> OfferQuery {
    var query = OfferQuery(
      feed: feed, favoritesOnly: favoritesOnly, includesExpired: includesExpired, now: now)
    query.category = category
    query.retailer = retailer
    query.rewardMinimum = minimum?.value
    query.priceMaximum = maximum?.value
    if isNew { query.newSince = now.addingTimeInterval(-Self.soonSeconds) }
    if isEnding { query.expiring = now...now.addingTimeInterval(Self.soonSeconds) }
    query.sort = sort
    query.isReversed = isReversed
    query.pricedFeeds = pricedFeeds
    return query
  }

  /// The maximum size of a text in a list, in bytes. Longer texts are truncated; the offer's own
  /// page shows them whole.
  static let textBytes = 2 << 10

  /// The query for one page of the list.
  ///
  /// - Parameters:
  ///   - page: the number of the page, from 1.
  ///   - size: the number of offers to fetch: one more than the page shows, to determine whether
  ///     there is a next page.
  ///   - now: the time at which offers count as expired.
  ///   - textBytes: the maximum size of a text, in bytes.
  func query(
    page: Int, size: Int, at now: Date, textBytes: Int = Self.textBytes
  ) -> OfferQuery {
    var query = query(at: now)
    query.textBytes = textBytes
    query.limit = size
    query.offset = (page - 1) * (size - 1)
    return query
  }

  /// Whether a filter is set besides those that the page itself implies: the favorites on the page
  /// of favorites, and the feed `own` on its page.
  func narrows(isFavorites: Bool, feed own: String? = nil) -> Bool {
    category != nil || retailer != nil || minimum != nil || maximum != nil || isNew || isEnding
      || favoritesOnly != isFavorites || feed != own
  }

  /// The message in place of a list whose offers have all expired, with a link to them.
  ///
  /// - Parameters:
  ///   - count: the number of expired offers.
  ///   - noun: the noun for the offers of the list.
  ///   - path: the path of the page.
  ///   - own: the feed that the path already names.
  func allExpired(
    _ count: Int, _ noun: OfferNoun, _ path: String, own: String? = nil
  ) -> PageFields {
    PageFields(
      empty: count == 1
        ? "The \(noun.singular) has expired" : "All \(Units.count(count, noun)) have expired",
      "New \(noun.plural) are listed here after a refresh.", icon: "clock",
      link: (link(path, own: own, more: [("expired", "1")]), "Show expired offers"))
  }

  /// The URL of a page with these filters and this order.
  ///
  /// - Parameters:
  ///   - path: the path of the page, which implies the filter of favorites if it is `/favorites`.
  ///   - page: the number of the page of the list, from 1.
  ///   - left: the name of a filter, or of the order, to leave out.
  ///   - own: the feed that the path already names.
  ///   - more: further fields of the query.
  func link(
    _ path: String, page: Int = 1, without left: String? = nil, own: String? = nil,
    more: [(String, String?)] = []
  ) -> String {
    let isFavorites = path == "/favorites"
    let fields: [(String, String?)] = [
      ("feed", feed == own ? nil : feed),
      ("favorites", favoritesOnly && !isFavorites ? "1" : nil),
      ("category", category), ("retailer", retailer), ("minimum", minimum?.text),
      ("maximum", maximum?.text),
      ("new", isNew ? "1" : nil), ("ending", isEnding ? "1" : nil),
      ("expired", includesExpired && !isFavorites ? "1" : nil),
      ("sort", sort == .feed ? nil : sort.rawValue), ("reverse", isReversed ? "1" : nil),
    ]
    let left = left == "sort" ? ["sort", "reverse"] : [left].compactMap(\.self)
    return PageLinks.path(
      path,
      fields.filter { !left.contains($0.0) } + more + [("page", page == 1 ? nil : String(page))])
  }
}
