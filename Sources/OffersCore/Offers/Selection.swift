import Foundation

/// Which offers are meant. A criterion that is empty, nil or false does not restrict the selection.
///
/// `SelectionText` is its form that people type and read.
public struct Selection: Hashable, Sendable {
  /// Words that an offer must have, as typed: `coffee`, `"cold brew"` (words that follow each other), `tea OR coffee`,
  /// `-pod` (without this word). `SearchQuery` says how they are compared.
  public var words = ""
  /// The names of feeds.
  public var feeds = NameChoice()
  /// The names of retailers, compared by `NaturalOrder`: case and accents are ignored.
  public var retailers = NameChoice()
  /// The names of categories, compared in the same way.
  public var categories = NameChoice()
  /// Only favorites, including gone ones.
  public var favoritesOnly = false
  /// Only offers that the user hides; see `Hiding`. Without it these are left out.
  public var hiddenOnly = false
  /// Whether hidden offers are selected as well.
  package var includesHidden = false
  /// Only offers that are gone from their feed and still kept.
  public var goneOnly = false
  /// Whether expired offers are selected as well. Selections of favorites and of gone offers, and those
  /// with a range of `expiring`, have them in any case.
  public var includesExpired = false
  /// Only offers whose reward has an exact value of at least this bound. An amount excludes
  /// percentages, and vice versa.
  ///
  /// Offers of `OfferQuery.pricedFeeds` have no reward, and no others have a price.
  public var rewardMinimum: ValueBound?
  /// Only offers whose reward has an exact value of at most this bound.
  public var rewardMaximum: ValueBound?
  /// Only offers whose price has an exact value of at least this bound.
  public var priceMinimum: ValueBound?
  /// Only offers whose price has an exact value of at most this bound.
  public var priceMaximum: ValueBound?
  /// Only offers first seen at this time or later.
  public var newSince: Date?
  /// Only offers that expire within this range, bounds included, expired ones too.
  public var expiring: ClosedRange<Date>?
  /// Only offers with a place within this circle.
  public var near: MapCircle?

  /// Creates a selection of all current offers that have not expired.
  public init() {}

  /// The feed, if only one is wanted.
  public var feed: String? {
    get { feeds.only }
    set { feeds.only = newValue }
  }

  /// The retailer, if only one is wanted.
  public var retailer: String? {
    get { retailers.only }
    set { retailers.only = newValue }
  }

  /// The category, if only one is wanted.
  public var category: String? {
    get { categories.only }
    set { categories.only = newValue }
  }

  /// Whether expired offers are left out.
  package var excludesExpired: Bool {
    !includesExpired && !favoritesOnly && !goneOnly && expiring == nil
  }

  /// Whether expired offers are sorted behind all others.
  package var sortsExpiredLast: Bool {
    (includesExpired || favoritesOnly) && !goneOnly && expiring == nil
  }

  /// Whether all current offers of one feed or of all feeds are selected, apart from expired ones.
  package var isWholeFeed: Bool {
    !isNarrowed(besides: [.feed, .expired]) && feeds.wanted.count <= 1
  }
}

/// Names to choose by: an offer has one of the wanted names, if there are any, and none of the unwanted ones.
public struct NameChoice: Hashable, Sendable {
  /// The most names of a choice.
  public static let limit = 100

  /// The names of which an offer has one; none for any offer.
  public var wanted: [String]
  /// The names of which an offer has none.
  public var unwanted: [String]

  /// Creates a choice, of all offers without arguments.
  public init(_ wanted: [String] = [], unwanted: [String] = []) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  /// The wanted name; nil if there is none or several.
  public var only: String? {
    get { wanted.count == 1 ? wanted[0] : nil }
    set { wanted = newValue.map { [$0] } ?? [] }
  }
}

/// The places around a place, up to a distance on the ground.
public struct MapCircle: Hashable, Sendable {
  /// The latitude of the center, in degrees, -90 to 90.
  public let latitude: Double
  /// The longitude of the center, in degrees, -180 to 180.
  public let longitude: Double
  /// The radius in kilometers, at most `limitKilometers`.
  public let kilometers: Double

  /// The largest radius.
  public static let limitKilometers = 500.0
  /// The radius of a circle for which none is named.
  public static let usualKilometers = 10.0
  /// The length of a degree of latitude, in kilometers.
  package static let degreeKilometers = 111.195

  /// Creates a circle; nil for a center or a radius out of range.
  public init?(latitude: Double, longitude: Double, kilometers: Double = usualKilometers) {
    guard abs(latitude) <= 90, abs(longitude) <= 180, kilometers > 0,
      kilometers <= Self.limitKilometers
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.kilometers = kilometers
  }

  /// The length of a degree of longitude at the center, as a part of one of latitude.
  package var narrowing: Double { cos(latitude * .pi / 180) }

  /// Whether a place is within the circle, on a plane that touches the earth at its center: at this size, the
  /// distance differs from that on the ground by less than a hundredth between the polar circles.
  package func contains(latitude: Double, longitude: Double) -> Bool {
    let turn = abs(longitude - self.longitude)
    let (x, y) = (min(turn, 360 - turn) * narrowing, latitude - self.latitude)
    let radius = kilometers / Self.degreeKilometers
    return x * x + y * y <= radius * radius
  }
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
  case feed, notFeed, gone, expired, favorites, hidden, category, notCategory, retailer, notRetailer
  case reward, rewardMost, priceLeast, price, newSince, expiring, near

  /// The filters that a list of changes takes beside its kinds.
  package static let ofChanges: [OfferFilter] = [.feed, .favorites]

  /// The kind of a filter's value, and its place in a selection.
  package enum Value {
    /// A filter that is on or off.
    case flag(WritableKeyPath<Selection, Bool>)
    /// Texts that must be equal, or differ.
    case text(WritableKeyPath<Selection, [String]>)
    /// Texts that must be equal by `NaturalOrder`, or differ.
    case label(WritableKeyPath<Selection, [String]>)
    /// A bound of the reward or the price, such as `1.50 EUR`.
    case bound(WritableKeyPath<Selection, ValueBound?>, of: ValueRole, isLeast: Bool)
    /// A time in the past, such as `7d` (ago) or a day.
    case since(WritableKeyPath<Selection, Date?>)
    /// A duration from now on, such as `48h`.
    case within(WritableKeyPath<Selection, ClosedRange<Date>?>)
    /// A place with a distance, such as `52.52,13.40,5km`.
    case circle(WritableKeyPath<Selection, MapCircle?>)
  }

  package var value: Value {
    switch self {
    case .feed: .text(\.feeds.wanted)
    case .notFeed: .text(\.feeds.unwanted)
    case .gone: .flag(\.goneOnly)
    case .expired: .flag(\.includesExpired)
    case .favorites: .flag(\.favoritesOnly)
    case .hidden: .flag(\.hiddenOnly)
    case .category: .label(\.categories.wanted)
    case .notCategory: .label(\.categories.unwanted)
    case .retailer: .label(\.retailers.wanted)
    case .notRetailer: .label(\.retailers.unwanted)
    case .reward: .bound(\.rewardMinimum, of: .reward, isLeast: true)
    case .rewardMost: .bound(\.rewardMaximum, of: .reward, isLeast: false)
    case .priceLeast: .bound(\.priceMinimum, of: .price, isLeast: true)
    case .price: .bound(\.priceMaximum, of: .price, isLeast: false)
    case .newSince: .since(\.newSince)
    case .expiring: .within(\.expiring)
    case .near: .circle(\.near)
    }
  }

  /// How commands and the API name and explain a filter.
  package struct Words: Sendable {
    /// The name of the option, without its hyphens.
    package let option: String
    /// The name of the parameter of the API.
    package let parameter: String
    /// The filter in the text form of a selection, up to its value.
    package let term: String
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
      Words(
        option: "feed", parameter: "feed", term: "feed:", help: "Only this feed.",
        valueName: "name", example: "ibotta")
    case .notFeed:
      Words(
        option: "not-feed", parameter: "not_feed", term: "-feed:", help: "Without this feed.",
        valueName: "name", example: "ibotta")
    case .gone:
      Words(
        option: "gone", parameter: "gone", term: "is:gone",
        help: "Only offers that are gone from their feed.")
    case .expired:
      Words(
        option: "expired", parameter: "expired", term: "is:expired",
        help: "Expired offers, too, behind all others.")
    case .favorites:
      Words(
        option: "favorites", parameter: "favorites", term: "is:favorite",
        help: "Only favorites, including those that are gone or expired.")
    case .hidden:
      Words(
        option: "hidden", parameter: "hidden", term: "is:hidden",
        help: "Only the offers that you hide, which are left out otherwise.")
    case .category:
      Words(
        option: "category", parameter: "category", term: "category:",
        help: "Only offers of this category.", valueName: "name", example: "Coffee")
    case .notCategory:
      Words(
        option: "not-category", parameter: "not_category", term: "-category:",
        help: "Without offers of this category.", valueName: "name", example: "Alcohol")
    case .retailer:
      Words(
        option: "retailer", parameter: "retailer", term: "retailer:",
        help: "Only offers of this retailer.", valueName: "name", example: "Target")
    case .notRetailer:
      Words(
        option: "not-retailer", parameter: "not_retailer", term: "-retailer:",
        help: "Without offers of this retailer.", valueName: "name", example: "Walmart")
    case .reward:
      Words(
        option: "reward-at-least", parameter: "min_reward", term: "reward:>=",
        help: "Only this reward or more: 1.50 in any currency, $1.50 in dollars, 1.50 EUR, or 5%.",
        valueName: "reward", example: "1.50")
    case .rewardMost:
      Words(
        option: "reward-at-most", parameter: "max_reward", term: "reward:<=",
        help: "Only this reward or less.", valueName: "reward", example: "5")
    case .priceLeast:
      Words(
        option: "price-at-least", parameter: "min_price", term: "price:>=",
        help: "Only this price or more.", valueName: "price", example: "5")
    case .price:
      Words(
        option: "price-at-most", parameter: "max_price", term: "price:<=",
        help: "Only this price or less: 20 in any currency, $20 in dollars, or 19.90 EUR.",
        valueName: "price", example: "20")
    case .newSince:
      Words(
        option: "new-since", parameter: "new_since", term: "new:",
        help:
          "Only offers first seen since: 12h, 7d, 2w ago, today, a day (2026-11-01), or a time.",
        valueName: "time", example: "7d")
    case .expiring:
      Words(
        option: "expiring", parameter: "expiring", term: "ending:",
        help: "Only offers that expire within 30m, 48h, 7d or 2w.", valueName: "within",
        example: "48h")
    case .near:
      Words(
        option: "near", parameter: "near", term: "near:",
        help: "Only offers near a place: 52.52,13.40 (within 10 km) or 52.52,13.40,5km.",
        valueName: "place", example: "52.52,13.40,5km")
    }
  }

  /// How a browser tests an offer that it has stored.
  package struct Test: Sendable {
    /// The comparisons of `offline-lists.js`.
    package enum Kind: String, Sendable {
      case equals, contains, atLeast, atMost, since, within, starred, hidden, gone, near
    }

    package let kind: Kind
    /// The member of `OfflineOffer` that is compared.
    package let member: String?
    /// Whether an offer must fail the comparison.
    package let isExcluded: Bool

    fileprivate init(_ kind: Kind, _ member: String? = nil, isExcluded: Bool = false) {
      (self.kind, self.member, self.isExcluded) = (kind, member, isExcluded)
    }
  }

  /// Nil for a filter that selects more offers instead of fewer.
  package var test: Test? {
    switch self {
    case .feed: Test(.equals, "feed")
    case .notFeed: Test(.equals, "feed", isExcluded: true)
    case .gone: Test(.gone)
    case .expired: nil
    case .favorites: Test(.starred)
    case .hidden: Test(.hidden)
    case .category: Test(.contains, "category_keys")
    case .notCategory: Test(.contains, "category_keys", isExcluded: true)
    case .retailer: Test(.equals, "retailer_key")
    case .notRetailer: Test(.equals, "retailer_key", isExcluded: true)
    case .reward, .priceLeast: Test(.atLeast, "reward")
    case .rewardMost, .price: Test(.atMost, "reward")
    case .newSince: Test(.since, "first_seen")
    case .expiring: Test(.within, "expires")
    case .near: Test(.near)
    }
  }

  /// How the pages ask for a filter.
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

    /// The name of the field in the address of a page.
    package let field: String
    /// The label in the form; empty for the menu, which has its own.
    package let label: String
    /// The label of the chip that removes the filter. The value of a field follows it.
    package let chip: String
    package let input: Input
    /// The filter is not offered where no shown offer has this.
    package var needs: Trait?
    /// Whether the list of favorites has the filter in any case.
    package var isOfFavorites = false
  }

  /// How the pages ask for the filter; nil for one that they lack.
  package var question: Question? {
    switch self {
    case .feed:
      Question(
        field: "feed", label: "", chip: "", input: .feeds)
    case .gone, .hidden, .notFeed, .notCategory, .notRetailer, .rewardMost, .priceLeast, .near: nil
    case .expired:
      Question(
        field: "expired", label: "Also expired", chip: "Also expired", input: .box("true"),
        needs: .end, isOfFavorites: true)
    case .favorites:
      Question(
        field: "favorites", label: "Favorites only", chip: "Favorites", input: .box("true"),
        isOfFavorites: true)
    case .category:
      Question(
        field: "category", label: "Category", chip: "", input: .field(placeholder: "Any"),
        needs: .categories)
    case .retailer:
      Question(
        field: "retailer", label: "Retailer", chip: "", input: .field(placeholder: "Any"),
        needs: .retailers)
    case .reward:
      Question(
        field: "minimum", label: "Minimum reward", chip: "At least ",
        input: .field(
          placeholder: "1.50 or 5%",
          pattern: #"\s*[^\d\s]*\s*\d+([.]\d+)?\s*(%|[A-Za-z]{3})?\s*"#,
          hint: "An amount or a percentage, such as 1.50, 2 EUR or 5%"),
        needs: .reward)
    case .price:
      Question(
        field: "maximum", label: "Maximum price", chip: "At most ",
        input: .field(
          placeholder: "20 or 15 EUR", pattern: #"\s*[^\d\s]*\s*\d+([.]\d+)?\s*([A-Za-z]{3})?\s*"#,
          hint: "An amount, such as 20, $9.99 or 15 EUR"),
        needs: .price)
    case .newSince:
      Question(
        field: "new", label: "New this week", chip: "New this week", input: .box("7d"))
    case .expiring:
      Question(
        field: "ending", label: "Expiring this week", chip: "Expiring this week",
        input: .box("7d"), needs: .end
      )
    }
  }

  /// Whether what the filter selects depends on the current time.
  package var isTimed: Bool {
    switch value {
    case .since, .within: true
    case .flag, .text, .label, .bound, .circle: false
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
    case .text(let path), .label(let path): selection[keyPath: path].append(text)
    case .bound(let path, let role, let isLeast):
      selection[keyPath: path] = try reader.readBound(text, of: role, isLeast: isLeast)
    case .since(let path): selection[keyPath: path] = try reader.readTime(text, now: now)
    case .within(let path):
      selection[keyPath: path] = now...(now + (try reader.readSeconds(text)))
    case .circle(let path): selection[keyPath: path] = try MapCircle(parsing: text)
    }
  }
}

extension Selection {
  /// Whether a filter is set.
  package func has(_ filter: OfferFilter) -> Bool {
    switch filter.value {
    case .flag(let path): self[keyPath: path]
    case .text(let path), .label(let path): !self[keyPath: path].isEmpty
    case .bound(let path, _, _): self[keyPath: path] != nil
    case .since(let path): self[keyPath: path] != nil
    case .within(let path): self[keyPath: path] != nil
    case .circle(let path): self[keyPath: path] != nil
    }
  }

  /// Whether words or another filter than those are set.
  package func isNarrowed(besides filters: Set<OfferFilter>) -> Bool {
    !words.isEmpty || OfferFilter.allCases.contains { !filters.contains($0) && has($0) }
  }
}

/// Parses bounds, times and durations as users type them, and writes exact rewards. User interfaces
/// depend on this protocol instead of on the parsers.
package protocol FilterTextReader: Sendable {
  /// Parses `1.50` (an amount in any currency), `$1.50` (an amount in any dollars) or `1.50 EUR` (an amount in
  /// the currency of the sign or the ISO 4217 code) and, for a reward, `5%`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else, as do the other methods.
  func readBound(_ text: String, of role: ValueRole, isLeast: Bool) throws -> ValueBound

  /// Parses `30m`, `12h`, `7d`, `2w` (a duration before `now`), `today`, a day such as `2026-11-01`, and an
  /// ISO 8601 time.
  func readTime(_ text: String, now: Date) throws -> Date

  /// Parses `30m`, `12h`, `7d` and `2w` as a number of seconds.
  func readSeconds(_ text: String) throws -> Double

  /// An exact reward as `$1.25`, `1.25 CAD` or `2.5%`.
  func text(of value: Reward.Value) -> String
}

extension MapCircle {
  /// Parses `52.52,13.40`, with a radius of 10 km, and `52.52,13.40,5km`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for anything else.
  init(parsing text: String) throws {
    let parts = text.lowercased().filter { $0 != " " }
      .split(scalar: ",", omittingEmptySubsequences: false)
    let radius = parts.count > 2 ? parts[2] : "\(Self.usualKilometers)"
    let digits = radius.hasSuffix("km") ? radius.dropLast(2) : radius
    guard parts.count == 2 || parts.count == 3, let latitude = Double(parts[0]),
      let longitude = Double(parts[1]), let kilometers = Double(digits),
      let circle = MapCircle(latitude: latitude, longitude: longitude, kilometers: kilometers)
    else {
      throw OffersError(
        .invalidRequest, "“\(text)” is not a place.",
        hint: "Write its latitude and longitude, and how near: 52.52,13.40 or 52.52,13.40,5km.")
    }
    self = circle
  }
}
