import Foundation
import OffersCore

/// The conditions of a query, which restrict its list, and the parameters of its statements.
struct OfferConditions {
  private(set) var parts: [String] = []
  private(set) var bindings = Bindings()
  /// The condition that the value of an offer is a price.
  let isPriced: String

  /// - Parameters:
  ///   - query: the query.
  ///   - now: the time at which offers count as expired.
  ///   - user: the user whose favorites are meant.
  ///   - feedKey: the key of the query's feed; nil for all feeds.
  ///   - pricedKeys: the keys of the query's `pricedFeeds`.
  ///   - dialect: the SQL of the engine.
  init(
    _ query: OfferQuery, at now: Date, of user: User.ID, feedKey: Int64?, pricedKeys: [Int64],
    _ dialect: Dialect
  ) {
    let offerFeed = dialect.unindexed("offer.feed_key")
    isPriced =
      pricedKeys.isEmpty
      ? "false" : "(\(dialect.isElement(offerFeed, of: bindings.add(.numbers(pricedKeys)))))"
    for filter in OfferFilter.allCases {
      switch filter {
      case .feed:
        if query.favoritesOnly, let feed = query.feed {
          parts.append("favorite.feed = \(bindings.add(.text(feed)))")
        } else if let feedKey {
          parts.append("\(offerFeed) = \(bindings.add(.number(feedKey)))")
        }
      case .gone:
        if query.goneOnly {
          parts.append("offer.gone_at IS NOT NULL")
        } else if !query.favoritesOnly {
          parts.append(OfferColumns.isCurrent)
        }
      case .expired:
        if query.selection.excludesExpired {
          parts.append(
            "(offer.expires_at IS NULL OR offer.expires_at > \(bindings.add(.date(now))))")
        }
      case .favorites:
        if query.favoritesOnly {
          parts.append("favorite.user_key = \(bindings.add(.number(user)))")
        }
      case .category:
        if let category = query.category {
          let key = bindings.add(.bytes(NaturalOrder.element(category)))
          parts.append(dialect.hasCategory(key))
        }
      case .retailer:
        if let retailer = query.retailer {
          let key = bindings.add(.bytes(NaturalOrder.key(retailer)))
          parts.append("offer.retailer_key = \(key)")
        }
      case .reward:
        if let minimum = query.rewardMinimum {
          parts.append("NOT \(isPriced)")
          select(">=", minimum)
        }
      case .price:
        if let maximum = query.priceMaximum {
          parts.append(isPriced)
          select("<=", maximum)
        }
      case .newSince:
        if let date = query.newSince {
          parts.append("offer.first_seen_at >= \(bindings.add(.number(date.nextSeconds)))")
        }
      case .expiring:
        if let range = query.expiring {
          let start = bindings.add(.number(range.lowerBound.nextSeconds))
          let end = bindings.add(.date(range.upperBound))
          parts.append("offer.expires_at >= \(start) AND offer.expires_at <= \(end)")
        }
      }
    }
  }

  private mutating func select(_ comparison: String, _ bound: ValueBound) {
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
