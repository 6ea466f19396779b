import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

/// The options that set the format of a list.
struct ListFormatOptions: ParsableArguments {
  @Option(
    help: .value(
      "format", "The output format: \(ListFormat.allCases.map(\.rawValue).joined(separator: ", "))."
    ), completion: .list(ListFormat.allCases.map(\.rawValue)))
  var format: String?

  @Flag(help: "Print one JSON document, like --format json.") var json = false

  func validate() throws {
    guard json, let format, format != ListFormat.json.rawValue else { return }
    throw ValidationError("--json and --format \(DisplayText.oneLine(format)) exclude each other.")
  }

  /// The format that the options name; `table` if they name none.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an unknown name.
  var chosen: ListFormat {
    get throws {
      if json { return .json }
      return try format.map { try NamedChoice.find($0, what: "format", title: "Formats") } ?? .table
    }
  }
}

/// The format of a list.
enum ListFormat: String, CaseIterable {
  /// A table of aligned columns.
  case table
  /// One JSON document, `{"offers":[…]}`.
  case json
  /// One JSON object per line (https://github.com/ndjson/ndjson-spec).
  case ndjson
  /// Comma-separated values (RFC 4180).
  case csv
  /// Tab-separated values, one line per offer.
  case tsv
  /// A table in GitHub Flavored Markdown.
  case markdown

  /// Whether the format is for people: it has a few columns by default, and local times.
  var isForPeople: Bool { self == .table || self == .markdown }

  /// The printer of the format.
  ///
  /// - Parameters:
  ///   - columns: the columns that the user chose; nil for the default ones.
  ///   - usual: the default columns of the formats for people. Those of the other formats are all
  ///     columns.
  ///   - feeds: the presentations of the feeds.
  ///   - style: the style of a table; the other formats have none.
  ///   - now: the time at which offers count as expired.
  ///   - allowsFormulas: as for `SeparatedPrinter`.
  ///   - hasMark: as for `SeparatedPrinter`.
  func printer(
    _ columns: [OfferColumn]?, usual: [OfferColumn], _ feeds: FeedPresentations, _ style: Style,
    now: Date, allowsFormulas: Bool, hasMark: Bool
  ) -> any OfferPrinter {
    let cells = OfferCells(
      columns: columns ?? usual, isUsual: columns == nil, feeds: feeds, now: now)
    return switch self {
    case .table: TablePrinter(cells, style)
    case .json: DocumentPrinter(columns: columns, feeds: feeds, now: now)
    case .ndjson: ObjectLinePrinter(columns: columns, feeds: feeds, now: now)
    case .csv, .tsv:
      SeparatedPrinter(
        columns ?? OfferColumn.allCases, self == .csv ? .csv : .tsv, feeds, now: now,
        allowsFormulas: allowsFormulas, hasMark: hasMark)
    case .markdown: MarkdownPrinter(cells)
    }
  }
}

/// A printer of a list of offers that is passed page by page, so that only one page is in memory.
/// It prints nothing before the first page, so that a refused command prints no partial document.
protocol OfferPrinter {
  mutating func print(_ page: [UserOffer]) throws
  /// Ends the list. If there were no offers, it prints what the format requires for an empty list,
  /// such as the names of the columns.
  ///
  /// - Parameter rest: what a document says behind the offers; nil for the other formats.
  mutating func finish(_ rest: ListRest?) throws
}

/// The facts about a whole list that are printed with one page of it.
struct ListRest {
  /// The number of offers on all pages.
  let total: Int
  /// The number of the next page; nil for none.
  let nextPage: Int?
  /// The feeds of the list with offers that are held back.
  let held: [Feed]
}

extension HeldBack {
  /// What is held back, as JSON.
  ///
  /// - Parameter current: the number of offers in the feed's list, with the missing ones.
  func document(current: Int) -> JSONObject {
    ["missing": missingCount, "current": current, "since": since, "until": until]
  }

  func document(of feed: Feed) -> JSONObject {
    ["feed": feed.name] + document(current: feed.currentCount)
  }
}

/// A printer of one JSON document.
private struct DocumentPrinter: OfferPrinter {
  let columns: [OfferColumn]?
  let feeds: FeedPresentations
  let now: Date
  private var list: PagedJSON

  init(columns: [OfferColumn]?, feeds: FeedPresentations, now: Date) {
    self.columns = columns
    self.feeds = feeds
    self.now = now
    list = PagedJSON("offers", pricedFeeds: feeds.pricedFeeds)
  }

  mutating func print(_ page: [UserOffer]) throws {
    try list.print(page) { $0.value($1, columns, feeds, at: now) }
  }

  mutating func finish(_ rest: ListRest?) throws {
    guard let rest else { return try list.finish() }
    try list.finish([
      "total": rest.total, "next_page": rest.nextPage,
      "held": rest.held.compactMap { feed in feed.fetch.held?.document(of: feed) },
    ])
  }
}

/// A printer of one JSON object per line.
private struct ObjectLinePrinter: OfferPrinter {
  let columns: [OfferColumn]?
  let feeds: FeedPresentations
  let now: Date

  func print(_ page: [UserOffer]) throws {
    var text = ""
    let pricedFeeds = feeds.pricedFeeds
    for offer in page {
      var json = JSONWriter()
      json.pricedFeeds = pricedFeeds
      json.value(offer, columns, feeds, at: now)
      text += json.text + "\n"
    }
    try Output.printData(text, terminator: "")
  }

  func finish(_ rest: ListRest?) {}
}

extension JSONWriter {
  /// Writes the JSON object of an offer with the given columns as its members; nil for all members.
  fileprivate mutating func value(
    _ offer: UserOffer, _ columns: [OfferColumn]?, _ feeds: FeedPresentations, at now: Date
  ) {
    guard let columns else { return value(offer, at: now) }
    object { json in
      for column in columns { column.write(offer, feeds, at: now, to: &json) }
    }
  }
}

/// A column of a list of offers. The raw value is the name of a member in the JSON of an offer; the
/// columns `reward_…` are parts of the member `reward`.
enum OfferColumn: String, CaseIterable {
  case ref, feed, id, name, description, terms, reward
  case rewardRole = "reward_role"
  case rewardKind = "reward_kind"
  case rewardAmount = "reward_amount"
  case rewardMinorUnits = "reward_minor_units"
  case rewardCurrency = "reward_currency"
  case rewardPercent = "reward_percent"
  case rewardUpTo = "reward_up_to"
  case imageURL = "image_url"
  case url, favorite, state, expired
  case firstSeenAt = "first_seen_at"
  case changedAt = "changed_at"
  case goneAt = "gone_at"
  case retailer, categories
  case startsAt = "starts_at"
  case expiresAt = "expires_at"
  case latitude, longitude, attributes

  /// Parses a list such as `name,reward,expires_at`. Case and spaces do not matter, and hyphens
  /// count as underscores.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an unknown or a repeated column.
  static func list(parsing text: String) throws -> [OfferColumn] {
    var columns: [OfferColumn] = []
    for word in text.split(scalar: ",", omittingEmptySubsequences: false) {
      let name = String(word.filter { $0 != " " }).lowercased().replacing(bytes: "-", with: "_")
      // Tables of products call the value a price.
      let column: OfferColumn =
        try name == "price"
        ? .reward : NamedChoice.find(name, what: "column", title: "Columns")
      if columns.contains(column) {
        throw OffersError(
          .invalidRequest, "The column \(name) is listed twice.", hint: "List each column once.")
      }
      columns.append(column)
    }
    return columns
  }

  /// The title of the column in a table for people.
  var title: String {
    switch self {
    case .favorite: ""
    case .ref: "ID"
    case .id: "BARE ID"
    default: rawValue.uppercased().replacing(bytes: "_", with: " ")
    }
  }

  /// The layout of the column in a table.
  ///
  /// - Parameter words: the words for the rewards and prices of the list.
  func tableColumn(_ words: ValueWords) -> Table.Column {
    switch self {
    case .reward: Table.Column(title: words.title, hasNumber: true)
    case .favorite: Table.Column(title: " ", isWhole: true)
    case .ref, .id, .feed, .state, .expired, .firstSeenAt, .changedAt, .goneAt, .startsAt,
      .expiresAt:
      Table.Column(title: title, isWhole: true)
    case .rewardAmount, .rewardMinorUnits, .rewardPercent, .latitude, .longitude:
      Table.Column(title: title, isRight: true)
    default: Table.Column(title: title)
    }
  }

  /// The value for people, safe for a terminal and in one line; `–` if it is absent. A favorite is
  /// a star, any other offer a space. `now` is the time at which the offer counts as expired.
  ///
  /// - Parameters:
  ///   - offer: the offer of the row.
  ///   - feeds: the presentations of the feeds.
  ///   - words: the words for the rewards and prices of the list.
  func shown(_ offer: UserOffer, _ feeds: FeedPresentations, _ words: ValueWords, at now: Date)
    -> String
  {
    switch self {
    case .reward: return words.text(offer.reward, of: offer.ref.feed)
    case .favorite: return offer.isFavorite ? "★" : " "
    case .firstSeenAt, .changedAt, .goneAt, .startsAt, .expiresAt:
      return time(offer).map(Units.time) ?? "–"
    default: return plain(offer, feeds, at: now).map(DisplayText.oneLine) ?? "–"
    }
  }

  /// The value for programs, with the unchanged text of the feed and times in UTC; nil if it is
  /// absent.
  func plain(_ offer: UserOffer, _ feeds: FeedPresentations, at now: Date) -> String? {
    switch self {
    case .ref: offer.ref.description
    case .feed: offer.ref.feed
    case .id: offer.ref.offerID
    case .name: offer.name
    case .description: offer.description
    case .terms: offer.terms
    case .reward: offer.reward?.text
    case .rewardRole: offer.reward.map { _ in feeds[offer.ref.feed].valueRole.rawValue }
    case .rewardKind: offer.reward?.kind.rawValue
    case .rewardAmount:
      offer.reward?.minorUnits.map { Units.decimal(minorUnits: $0, offer.reward?.currency) }
    case .rewardMinorUnits: offer.reward?.minorUnits.map(String.init)
    case .rewardCurrency: offer.reward?.currency
    case .rewardPercent: offer.reward?.percentHundredths.map(JSONWriter.decimal)
    case .rewardUpTo: offer.reward.map { $0.isUpTo ? "true" : "false" }
    case .imageURL: offer.imageURLText
    case .url: offer.urlText
    case .favorite: offer.isFavorite ? "true" : "false"
    case .state: offer.state.rawValue
    case .expired: offer.isExpired(at: now) ? "true" : "false"
    case .firstSeenAt, .changedAt, .goneAt, .startsAt, .expiresAt:
      time(offer)?.formatted(.iso8601)
    case .retailer: offer.retailer
    case .categories: joined(offer.categories)
    case .latitude: offer.latitude.map { "\($0)" }
    case .longitude: offer.longitude.map { "\($0)" }
    case .attributes: joined(offer.attributes.map { "\($0.label): \($0.value)" })
    }
  }

  /// Writes the value as a member of the JSON object of the offer.
  func write(
    _ offer: UserOffer, _ feeds: FeedPresentations, at now: Date, to json: inout JSONWriter
  ) {
    switch self {
    case .reward: json.member(rawValue, offer.reward, of: offer.ref.feed)
    case .rewardMinorUnits: json.member(rawValue, offer.reward?.minorUnits)
    case .rewardUpTo: json.member(rawValue, offer.reward?.isUpTo)
    case .favorite: json.member(rawValue, offer.isFavorite)
    case .expired: json.member(rawValue, offer.isExpired(at: now))
    case .categories: json.member(rawValue, each: offer.categories) { $0.value($1) }
    case .rewardAmount, .rewardPercent, .latitude, .longitude:
      json.member(rawValue, number: plain(offer, feeds, at: now))
    case .attributes: json.member(rawValue) { $0.value(offer.attributes) }
    default: json.member(rawValue, plain(offer, feeds, at: now))
    }
  }

  private func time(_ offer: UserOffer) -> Date? {
    switch self {
    case .firstSeenAt: offer.firstSeenAt
    case .changedAt: offer.changedAt
    case .goneAt: offer.goneAt
    case .startsAt: offer.startsAt
    case .expiresAt: offer.expiresAt
    default: nil
    }
  }

  private func joined(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : texts.joined(separator: "; ")
  }
}

/// The mark of an offer that is gone from its feed or has expired, before its name in a list.
enum OfferMark {
  /// `gone: `, `expired: `, `gone, expired: `, or nothing.
  ///
  /// - Parameters:
  ///   - offer: the offer to mark.
  ///   - now: the time at which the offer counts as expired.
  ///   - tellsGone: whether to mark a gone offer.
  ///   - tellsExpired: whether to mark an expired offer.
  static func text(
    _ offer: UserOffer, at now: Date, tellsGone: Bool = true, tellsExpired: Bool = true
  ) -> String {
    let words = [
      tellsGone && offer.state == .gone ? "gone" : nil,
      tellsExpired && offer.isExpired(at: now) ? "expired" : nil,
    ].compactMap(\.self)
    return words.isEmpty ? "" : words.joined(separator: ", ") + ": "
  }
}
