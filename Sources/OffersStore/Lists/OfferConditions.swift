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
    selectState(query, at: now, of: user)
    if query.favoritesOnly, let feed = query.feed {
      parts.append("favorite.feed = \(bindings.add(.text(feed)))")
    } else if let feedKey {
      parts.append("\(offerFeed) = \(bindings.add(.number(feedKey)))")
    }
    selectDates(query)
    selectLabels(query, dialect)
    selectValues(query)
  }

  private mutating func selectState(_ query: OfferQuery, at now: Date, of user: User.ID) {
    if query.favoritesOnly { parts.append("favorite.user_key = \(bindings.add(.number(user)))") }
    if query.goneOnly {
      parts.append("offer.gone_at IS NOT NULL")
    } else if !query.favoritesOnly {
      parts.append(OfferColumns.isCurrent)
    }
    if query.excludesExpired {
      parts.append(
        "(offer.expires_at IS NULL OR offer.expires_at > \(bindings.add(.date(now))))")
    }
  }

  private mutating func selectDates(_ query: OfferQuery) {
    if let date = query.newSince {
      parts.append("offer.first_seen_at >= \(bindings.add(.number(date.nextSeconds)))")
    }
    if let range = query.expiring {
      let start = bindings.add(.number(range.lowerBound.nextSeconds))
      let end = bindings.add(.date(range.upperBound))
      parts.append("offer.expires_at >= \(start) AND offer.expires_at <= \(end)")
    }
  }

  private mutating func selectLabels(_ query: OfferQuery, _ dialect: Dialect) {
    if let retailer = query.retailer {
      let key = bindings.add(.bytes(NaturalOrder.key(retailer)))
      parts.append("offer.retailer_key = \(key)")
    }
    if let category = query.category {
      let key = bindings.add(.bytes(NaturalOrder.element(category)))
      parts.append(dialect.hasCategory(key))
    }
  }

  private mutating func selectValues(_ query: OfferQuery) {
    if let minimum = query.rewardMinimum {
      parts.append("NOT \(isPriced)")
      switch minimum {
      case .amount(let units, let currency): selectAmount(">=", units, in: currency)
      case .anyAmount(let units, let others): selectAmount(">=", units, others)
      case .percent(let hundredths):
        parts.append("offer.reward_percent_hundredths >= \(bindings.add(.number(hundredths)))")
      }
    }
    if let maximum = query.priceMaximum {
      parts.append(isPriced)
      switch maximum {
      case .amount(let units, let currency): selectAmount("<=", units, in: currency)
      case .anyAmount(let units, let others): selectAmount("<=", units, others)
      }
    }
  }

  private mutating func selectAmount(
    _ comparison: String, _ units: Int64, in currency: String
  ) {
    parts.append("offer.reward_currency = \(bindings.add(.text(currency)))")
    parts.append("offer.reward_minor_units \(comparison) \(bindings.add(.number(units)))")
  }

  /// Compares with an amount in several currencies; nil leaves out those that are not in `others`.
  private mutating func selectAmount(
    _ comparison: String, _ units: Int64?, _ others: [String: Int64]
  ) {
    let cases = others.sorted { $0.key < $1.key }.map { currency, units in
      "WHEN \(bindings.add(.text(currency))) THEN \(bindings.add(.number(units)))"
    }
    let bound = bindings.add(.number(units))
    let limit =
      cases.isEmpty
      ? bound : "CASE offer.reward_currency \(cases.joined(separator: " ")) ELSE \(bound) END"
    parts.append("offer.reward_minor_units \(comparison) \(limit)")
  }
}
