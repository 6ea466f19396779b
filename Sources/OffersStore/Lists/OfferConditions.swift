import Foundation
import OffersCore

/// The keys of the feeds that a selection names.
package struct NamedFeeds: Sendable {
  package let wanted: [Int64]
  let unwanted: [Int64]

  package init(wanted: [Int64] = [], unwanted: [Int64] = []) {
    (self.wanted, self.unwanted) = (wanted, unwanted)
  }

  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  init(
    _ feeds: NameChoice, _ definitions: (any FeedDefinitions)?, in transaction: any Transaction
  ) throws {
    func keys(_ names: [String]) throws -> [Int64] {
      try names.map { try FeedTable.fetchReadKey($0, definitions, in: transaction) }
    }
    self.init(wanted: try keys(feeds.wanted), unwanted: try keys(feeds.unwanted))
  }
}

/// The conditions of a selection, and the parameters of its statements.
package struct OfferConditions {
  /// The statement that has the conditions.
  package enum Purpose {
    /// A list over `SelectedOffers.source`.
    case list
    /// A search over the table `offer`. It finds the offers that a search on a feed's server found, too, and its
    /// own condition is that they have the words.
    case search
    /// The condition that a user hides an offer, of any table `offer`. Gone and expired offers count.
    case hiding
  }

  package private(set) var parts: [String] = []
  package private(set) var bindings: Bindings
  /// The condition that the value of an offer is a price.
  let isPriced: String
  private let feeds: NamedFeeds

  /// The conditions of a search.
  package var ofSearch: SearchConditions {
    SearchConditions(
      parts: parts, bindings, feedKey: feeds.wanted.count == 1 ? feeds.wanted[0] : nil)
  }

  /// - Parameters:
  ///   - selection: the selection.
  ///   - purpose: the kind of statement.
  ///   - now: the time at which offers count as expired.
  ///   - user: the user whose favorites are meant.
  ///   - feeds: the keys of the feeds that the selection names.
  ///   - isValued: whether `isPriced` is needed in any case.
  ///   - pricedFeeds: the names of the feeds whose values are prices.
  ///   - bindings: the parameters before those of the conditions.
  ///   - transaction: reads the keys of feeds.
  /// - Throws: `OffersError` with `invalidRequest` for words beyond the limits of a search.
  package init(
    _ selection: Selection, for purpose: Purpose, at now: Date, of user: User.ID,
    feeds: NamedFeeds, isValued: Bool = false, pricedFeeds: Set<String>,
    after bindings: Bindings = Bindings(), in transaction: any Transaction
  ) throws {
    for names in [selection.feeds, selection.retailers, selection.categories]
    where names.wanted.count + names.unwanted.count > NameChoice.limit {
      throw OffersError(
        .invalidRequest, "A selection has at most \(NameChoice.limit) names of a kind.",
        hint: "Name fewer feeds, retailers or categories.")
    }
    self.bindings = bindings
    self.feeds = feeds
    let dialect = transaction.dialect
    let usesRole =
      isValued || [.reward, .rewardMost, .priceLeast, .price].contains { selection.has($0) }
    let priced = usesRole ? try Self.keys(of: pricedFeeds, in: transaction) : []
    let offerFeed = dialect.unindexed("offer.feed_key")
    isPriced =
      priced.isEmpty
      ? "false" : "(\(dialect.isElement(offerFeed, of: self.bindings.add(.numbers(priced)))))"
    if !selection.words.isEmpty, purpose != .search {
      if try !transaction.isSearchCurrent() { throw SearchIndexMissing() }
      let words = try SearchWords(selection.words)
      parts.append(dialect.hasWords(words, &self.bindings, isRare: purpose == .hiding))
    }
    for filter in OfferFilter.allCases {
      switch filter {
      case .feed:
        if purpose == .hiding {
          if !selection.feeds.wanted.isEmpty {
            let names = self.bindings.add(.texts(selection.feeds.wanted))
            parts.append("\(offerFeed) IN (\(dialect.feedKeys(of: names)))")
          }
        } else if selection.favoritesOnly, purpose == .list, !selection.feeds.wanted.isEmpty {
          // A single name lets SQLite begin at its favorites.
          if let feed = selection.feed {
            parts.append("favorite.feed = \(self.bindings.add(.text(feed)))")
          } else {
            let names = self.bindings.add(.texts(selection.feeds.wanted))
            parts.append(dialect.isElement("favorite.feed", of: names))
          }
        } else if feeds.wanted.count == 1 {
          parts.append("\(offerFeed) = \(self.bindings.add(.number(feeds.wanted[0])))")
        } else if !feeds.wanted.isEmpty {
          parts.append(dialect.isElement(offerFeed, of: self.bindings.add(.numbers(feeds.wanted))))
        }
      case .notFeed:
        if purpose == .hiding {
          if !selection.feeds.unwanted.isEmpty {
            let names = self.bindings.add(.texts(selection.feeds.unwanted))
            parts.append("\(offerFeed) NOT IN (\(dialect.feedKeys(of: names)))")
          }
        } else if !feeds.unwanted.isEmpty {
          let keys = self.bindings.add(.numbers(feeds.unwanted))
          parts.append("NOT (\(dialect.isElement(offerFeed, of: keys)))")
        }
      case .gone:
        if purpose == .hiding {
          break
        } else if selection.goneOnly {
          parts.append("offer.gone_at IS NOT NULL")
        } else if !selection.favoritesOnly {
          parts.append(purpose == .search ? "offer.gone_at IS NULL" : OfferColumns.isCurrent)
        }
      case .expired:
        if selection.excludesExpired, purpose != .hiding {
          let end = self.bindings.add(.date(now))
          parts.append("(offer.expires_at IS NULL OR offer.expires_at > \(end))")
        }
      case .favorites:
        guard selection.favoritesOnly else { break }
        let user = self.bindings.add(.number(user))
        // SQLite evaluates the favorites of a search once, instead of looking up each match.
        parts.append(
          purpose == .list
            ? "favorite.user_key = \(user)"
            : "\(dialect.unindexed("offer.offer_key")) IN (\(FavoriteTable.offerKeys(of: user)))")
      case .hidden:
        if purpose != .hiding { try chooseHidden(selection, of: user, in: transaction) }
      case .category:
        choose(selection.categories.wanted) { dialect.hasCategory($0) }
      case .notCategory:
        choose(selection.categories.unwanted, isExcluded: true) { dialect.hasCategory($0) }
      case .retailer:
        choose(selection.retailers.wanted, key: NaturalOrder.key) { "offer.retailer_key = \($0)" }
      case .notRetailer:
        choose(selection.retailers.unwanted, key: NaturalOrder.key, isExcluded: true) {
          "offer.retailer_key = \($0)"
        }
      case .reward: bound(">=", selection.rewardMinimum, isOfPrice: false)
      case .rewardMost: bound("<=", selection.rewardMaximum, isOfPrice: false)
      case .priceLeast: bound(">=", selection.priceMinimum, isOfPrice: true)
      case .price: bound("<=", selection.priceMaximum, isOfPrice: true)
      case .newSince:
        if let date = selection.newSince {
          let start = self.bindings.add(.number(date.nextSeconds))
          parts.append("offer.first_seen_at >= \(start)")
        }
      case .expiring:
        if let range = selection.expiring {
          let start = self.bindings.add(.number(range.lowerBound.nextSeconds))
          let end = self.bindings.add(.date(range.upperBound))
          parts.append("offer.expires_at >= \(start) AND offer.expires_at <= \(end)")
        }
      case .near: if let circle = selection.near { surround(circle, dialect) }
      }
    }
  }

  /// Adds the condition that an offer is hidden, or that it is not. A favorite is never hidden.
  private mutating func chooseHidden(
    _ selection: Selection, of user: User.ID, in transaction: any Transaction
  ) throws {
    if selection.includesHidden || selection.favoritesOnly && !selection.hiddenOnly { return }
    let isHidden =
      selection.favoritesOnly
      ? nil : try HidingTable.isHidden(from: user, &bindings, in: transaction)
    if selection.hiddenOnly {
      parts.append(isHidden ?? "false")
    } else if let isHidden {
      parts.append("NOT (\(isHidden))")
    }
  }

  /// The keys of feeds.
  private static func keys(
    of names: Set<String>, in transaction: any Transaction
  ) throws -> [Int64] {
    let names = names.filter(StoredText.isStorable)
    if names.isEmpty { return [] }
    return try transaction.rows(
      """
      SELECT feed_key FROM feed WHERE \(transaction.dialect.isElement("name", of: "$1"))
      ORDER BY feed_key
      """, [.texts(names.sorted())]
    ) { $0.number(0) }
  }

  /// Adds the condition that an offer has one of some names, or none of them.
  private mutating func choose(
    _ names: [String], key: (String) -> [UInt8] = NaturalOrder.element, isExcluded: Bool = false,
    _ condition: (String) -> String
  ) {
    if names.isEmpty { return }
    let any = names.map { condition(bindings.add(.bytes(key($0)))) }.joined(separator: " OR ")
    // An offer without a name has none of them.
    parts.append(isExcluded ? "NOT coalesce(\(any), false)" : "(\(any))")
  }

  /// Adds the condition that an offer is within a circle; see `MapCircle.contains(latitude:longitude:)`.
  private mutating func surround(_ circle: MapCircle, _ dialect: Dialect) {
    func number(_ value: Double) -> String { bindings.add(.real(value)) }
    let radius = circle.kilometers / MapCircle.degreeKilometers
    let turn = "abs(offer.longitude - \(number(circle.longitude)))"
    let x = "(\(dialect.least)(\(turn), 360 - \(turn)) * \(number(circle.narrowing)))"
    let y = "(offer.latitude - \(number(circle.latitude)))"
    parts.append("\(x) * \(x) + \(y) * \(y) <= \(number(radius * radius))")
  }

  private mutating func bound(_ comparison: String, _ bound: ValueBound?, isOfPrice: Bool) {
    guard let bound else { return }
    parts.append(isOfPrice ? isPriced : "NOT \(isPriced)")
    switch bound {
    case .amount(let units, let currency):
      parts.append("offer.reward_currency = \(bindings.add(.text(currency)))")
      parts.append("offer.reward_minor_units \(comparison) \(bindings.add(.number(units)))")
    case .anyAmount(let units, let others):
      let cases = others.sorted { $0.key < $1.key }.map { currency, units in
        "WHEN \(bindings.add(.text(currency))) THEN \(bindings.add(.number(units)))"
      }
      let usual = bindings.add(.number(units))
      let limit =
        cases.isEmpty
        ? usual : "CASE offer.reward_currency \(cases.joined(separator: " ")) ELSE \(usual) END"
      parts.append("offer.reward_minor_units \(comparison) \(limit)")
    case .percent(let hundredths):
      parts.append(
        "offer.reward_percent_hundredths \(comparison) \(bindings.add(.number(hundredths)))")
    }
  }
}

extension Dialect {
  /// Selects the keys of the feeds whose names are in a parameter.
  fileprivate func feedKeys(of names: String) -> String {
    "SELECT feed_key FROM feed WHERE \(isElement("feed.name", of: names))"
  }
}
