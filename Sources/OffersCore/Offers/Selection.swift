import Foundation

/// Which offers are meant. A criterion that is nil or false does not restrict the selection.
public struct Selection: Hashable, Sendable {
  /// Only offers of this feed; nil for all.
  public var feed: String?
  /// Only favorites, including gone ones.
  public var favoritesOnly = false
  /// Only offers that are gone from their feed and still kept.
  public var goneOnly = false
  /// Whether expired offers are selected as well. Selections of favorites and of gone offers, and those
  /// with a range of `expiring`, have them in any case.
  public var includesExpired = false
  /// Only offers with this category, compared by `NaturalOrder`: case and accents are ignored.
  public var category: String?
  /// Only offers of this retailer, compared in the same way.
  public var retailer: String?
  /// Only offers whose reward has an exact value of at least this bound. An amount excludes
  /// percentages, and vice versa.
  ///
  /// Offers of `OfferQuery.pricedFeeds` have no reward.
  public var rewardMinimum: ValueBound?
  /// Only offers of `OfferQuery.pricedFeeds` whose price has an exact value of at most this bound.
  public var priceMaximum: ValueBound?
  /// Only offers first seen at this time or later.
  public var newSince: Date?
  /// Only offers that expire within this range, bounds included, expired ones too.
  public var expiring: ClosedRange<Date>?

  /// Creates a selection of all current offers that have not expired.
  public init() {}

  /// Whether expired offers are left out.
  package var excludesExpired: Bool {
    !includesExpired && !favoritesOnly && !goneOnly && expiring == nil
  }

  /// Whether expired offers are sorted behind all others.
  package var sortsExpiredLast: Bool {
    (includesExpired || favoritesOnly) && !goneOnly && expiring == nil
  }

  /// Whether all current offers of one feed or of all feeds are selected, apart from expired ones.
  package var isWholeFeed: Bool { !isNarrowed(besides: [.feed, .expired]) }
}

/// The least that a reward must pay, or the most that a price may be. A value "up to" the bound qualifies.
public enum ValueBound: Hashable, Sendable {
  /// An amount in one currency (ISO 4217), in its minor units.
  case amount(minorUnits: Int64, currency: String)
  /// An amount in several currencies, in minor units: for a currency in `others` the value of its code,
  /// for all other currencies `minorUnits`; nil leaves these out.
  case anyAmount(minorUnits: Int64?, others: [String: Int64])
  /// A percentage, in hundredths of a percent.
  case percent(hundredths: Int64)
}

/// A filter of offers. This list is the only one: the options of commands, the parameters of the API and its
/// description, the forms of the pages and the lists that browsers make offline are taken from it.
///
/// `OfferConditions` of OffersStore has the SQL, and `ListFilters` of OffersCLI the variable of the option. Both are a
/// `switch` over the filters.
package enum OfferFilter: String, CaseIterable, Sendable {
  case feed, gone, expired, favorites, category, retailer, reward, price, newSince, expiring

  /// The filters that a search takes beside its words.
  package static let ofSearch: [OfferFilter] = [.feed, .favorites, .expired]
  /// The filters that a list of changes takes beside its kinds.
  package static let ofChanges: [OfferFilter] = [.feed, .favorites]

  /// The kind of a filter's value, and its place in a selection.
  package enum Value {
    /// A filter that is on or off.
    case flag(WritableKeyPath<Selection, Bool>)
    /// A text that must be equal.
    case text(WritableKeyPath<Selection, String?>)
    /// A text that must be equal by `NaturalOrder`.
    case label(WritableKeyPath<Selection, String?>)
    /// A bound of the reward or the price, such as `1.50 EUR`.
    case bound(WritableKeyPath<Selection, ValueBound?>, of: ValueRole)
    /// A time in the past, such as `7d` (ago) or a day.
    case since(WritableKeyPath<Selection, Date?>)
    /// A duration from now on, such as `48h`.
    case within(WritableKeyPath<Selection, ClosedRange<Date>?>)
  }

  package var value: Value {
    switch self {
    case .feed: .text(\.feed)
    case .gone: .flag(\.goneOnly)
    case .expired: .flag(\.includesExpired)
    case .favorites: .flag(\.favoritesOnly)
    case .category: .label(\.category)
    case .retailer: .label(\.retailer)
    case .reward: .bound(\.rewardMinimum, of: .reward)
    case .price: .bound(\.priceMaximum, of: .price)
    case .newSince: .since(\.newSince)
    case .expiring: .within(\.expiring)
    }
  }

  /// How commands and the API name and explain a filter.
  package struct Words: Sendable {
    /// The name of the option, without its hyphens.
    package let option: String
    /// The name of the parameter of the API.
    package let parameter: String
    /// The sentence that explains it.
    package let help: String
    /// The noun for the value in the help of commands.
    package var valueName: String?
    /// A value, as in the description of the API.
    package var example: String?
  }

  package var words: Words {
    switch self {
    case .feed:
      Words(option: "feed", parameter: "feed", help: "Only this feed.", example: "ibotta")
    case .gone:
      Words(option: "gone", parameter: "gone", help: "Only offers that are gone from their feed.")
    case .expired:
      Words(
        option: "expired", parameter: "expired", help: "Expired offers, too, behind all others.")
    case .favorites:
      Words(
        option: "favorites", parameter: "favorites",
        help: "Only favorites, including those that are gone or expired.")
    case .category:
      Words(
        option: "category", parameter: "category", help: "Only offers of this category.",
        valueName: "name", example: "Coffee")
    case .retailer:
      Words(
        option: "retailer", parameter: "retailer", help: "Only offers of this retailer.",
        valueName: "name", example: "Target")
    case .reward:
      Words(
        option: "reward-at-least", parameter: "min_reward",
        help: "Only this reward or more: 1.50 in any currency, $1.50 in dollars, 1.50 EUR, or 5%.",
        valueName: "reward", example: "1.50")
    case .price:
      Words(
        option: "price-at-most", parameter: "max_price",
        help: "Only this price or less: 20 in any currency, $20 in dollars, or 19.90 EUR.",
        valueName: "price", example: "20")
    case .newSince:
      Words(
        option: "new-since", parameter: "new_since",
        help: "Only offers first seen since: 12h, 7d, 2w ago, a day (2026-11-01), or a time.",
        valueName: "time", example: "7d")
    case .expiring:
      Words(
        option: "expiring", parameter: "expiring",
        help: "Only offers that expire within 30m, 48h, 7d or 2w.", valueName: "within",
        example: "48h")
    }
  }

  /// How the pages ask for a filter, and how a browser tests it offline.
  package struct Question: Sendable {
    /// The input of the form.
    package enum Input: Sendable {
      /// A menu of the feeds.
      case feeds
      /// A check box, which stands for a text such as `true`.
      case box(_ text: String)
      /// A field with the texts that are proposed for an empty one and if the value does not have the pattern.
      case field(placeholder: String, pattern: String? = nil, hint: String? = nil)
    }

    /// A property that an offer must have to pass a filter.
    package enum Trait: String, Sendable {
      case reward, price, end, categories, retailers
    }

    /// How a browser tests an offer that it has stored.
    package struct Test: Sendable {
      /// The comparisons of `offline-lists.js`.
      package enum Kind: String, Sendable {
        case equals, contains, atLeast, atMost, since, within, starred
      }

      package let kind: Kind
      /// The member of `OfflineOffer` that is compared.
      package let member: String?
      /// For `since` and `within`, the distance from the current time.
      package let seconds: Int?

      init(_ kind: Kind, _ member: String? = nil, seconds: Int? = nil) {
        (self.kind, self.member, self.seconds) = (kind, member, seconds)
      }
    }

    /// The name of the field in the address of a page.
    package let field: String
    /// The label in the form; empty for the menu, which has its own.
    package let label: String
    /// The label of the chip that removes the filter. The value of a field follows it.
    package let chip: String
    package let input: Input
    /// The filter is not offered where no shown offer has this.
    package var needs: Trait?
    /// Nil for a filter that selects more offers instead of fewer.
    package let test: Test?
    /// Whether the list of favorites has the filter in any case.
    package var isOfFavorites = false
  }

  /// How the pages ask for the filter; nil for one that they lack.
  package var question: Question? {
    switch self {
    case .feed:
      Question(
        field: "feed", label: "", chip: "", input: .feeds,
        test: Question.Test(.equals, "feed"))
    case .gone: nil
    case .expired:
      Question(
        field: "expired", label: "Also expired", chip: "Also expired", input: .box("true"),
        needs: .end, test: nil, isOfFavorites: true)
    case .favorites:
      Question(
        field: "favorites", label: "Favorites only", chip: "Favorites", input: .box("true"),
        test: Question.Test(.starred), isOfFavorites: true)
    case .category:
      Question(
        field: "category", label: "Category", chip: "", input: .field(placeholder: "Any"),
        needs: .categories, test: Question.Test(.contains, "category_keys"))
    case .retailer:
      Question(
        field: "retailer", label: "Retailer", chip: "", input: .field(placeholder: "Any"),
        needs: .retailers, test: Question.Test(.equals, "retailer_key"))
    case .reward:
      Question(
        field: "minimum", label: "Minimum reward", chip: "At least ",
        input: .field(
          placeholder: "1.50 or 5%",
          pattern: #"\s*[^\d\s]*\s*\d+([.]\d+)?\s*(%|[A-Za-z]{3})?\s*"#,
          hint: "An amount or a percentage, such as 1.50, 2 EUR or 5%"),
        needs: .reward, test: Question.Test(.atLeast, "reward"))
    case .price:
      Question(
        field: "maximum", label: "Maximum price", chip: "At most ",
        input: .field(
          placeholder: "20 or 15 EUR", pattern: #"\s*[^\d\s]*\s*\d+([.]\d+)?\s*([A-Za-z]{3})?\s*"#,
          hint: "An amount, such as 20, $9.99 or 15 EUR"),
        needs: .price, test: Question.Test(.atMost, "reward"))
    case .newSince:
      Question(
        field: "new", label: "New this week", chip: "New this week", input: .box("7d"),
        test: Question.Test(.since, "first_seen", seconds: 7 * 86_400))
    case .expiring:
      Question(
        field: "ending", label: "Expiring this week", chip: "Expiring this week",
        input: .box("7d"), needs: .end, test: Question.Test(.within, "expires", seconds: 7 * 86_400)
      )
    }
  }

  /// Whether what the filter selects depends on the current time.
  package var isTimed: Bool {
    switch value {
    case .since, .within: true
    case .flag, .text, .label, .bound: false
    }
  }

  /// Sets the filter to the value that a text names: `true` or `false` for a switch.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no such value.
  package func set(
    _ text: String, in selection: inout Selection, at now: Date, _ reader: any FilterTextReader
  ) throws {
    switch value {
    case .flag(let path):
      guard text == "true" || text == "false" else {
        throw OffersError(
          .invalidRequest, "“\(text)” is not true or false.", hint: "Write true or false.")
      }
      selection[keyPath: path] = text == "true"
    case .text(let path), .label(let path): selection[keyPath: path] = text
    case .bound(let path, let role): selection[keyPath: path] = try reader.readBound(text, of: role)
    case .since(let path): selection[keyPath: path] = try reader.readTime(text, now: now)
    case .within(let path):
      selection[keyPath: path] = now...(now + (try reader.readSeconds(text)))
    }
  }
}

extension Selection {
  /// Whether a filter is set.
  package func has(_ filter: OfferFilter) -> Bool {
    switch filter.value {
    case .flag(let path): self[keyPath: path]
    case .text(let path), .label(let path): self[keyPath: path] != nil
    case .bound(let path, _): self[keyPath: path] != nil
    case .since(let path): self[keyPath: path] != nil
    case .within(let path): self[keyPath: path] != nil
    }
  }

  /// Whether another filter than those is set.
  package func isNarrowed(besides filters: Set<OfferFilter>) -> Bool {
    OfferFilter.allCases.contains { !filters.contains($0) && has($0) }
  }
}

/// Parses bounds, times and durations as users type them, and writes exact rewards. User interfaces
/// depend on this protocol instead of on the parsers.
package protocol FilterTextReader: Sendable {
  /// Parses `1.50` (an amount in any currency), `$1.50` (an amount in any dollars) or `1.50 EUR` (an amount in
  /// the currency of the sign or the ISO 4217 code) and, for a reward, `5%`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else, as do the other methods.
  func readBound(_ text: String, of role: ValueRole) throws -> ValueBound

  /// Parses `30m`, `12h`, `7d`, `2w` (a duration before `now`), a day such as `2026-11-01`, and an
  /// ISO 8601 time.
  func readTime(_ text: String, now: Date) throws -> Date

  /// Parses `30m`, `12h`, `7d` and `2w` as a number of seconds.
  func readSeconds(_ text: String) throws -> Double

  /// An exact reward as `$1.25`, `1.25 CAD` or `2.5%`.
  func text(of value: Reward.Value) -> String
}
