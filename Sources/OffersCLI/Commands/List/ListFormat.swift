import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

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

  var chosen: ListFormat {
    get throws {
      if json { return .json }
      return try format.map { try NamedChoice.find($0, what: "format", title: "Formats") } ?? .table
    }
  }
}

enum ListFormat: String, CaseIterable {
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
  ///   - columns: the columns that the user chose; nil for the default ones, which for programs are all.
  ///   - usual: the default columns of the formats for people.
  func printer(
    _ columns: [OfferColumn]?, usual: [OfferColumn], _ feeds: FeedPresentations, _ style: Style,
    now: Date, allowsFormulas: Bool = false, hasMark: Bool = false
  ) -> any OfferPrinter {
    let cells = OfferCells(
      columns: columns ?? usual, isUsual: columns == nil, feeds: feeds, now: now)
    switch self {
    case .table: return TablePrinter(cells, style)
    case .json:
      let list = PagedJSON("offers", pricedFeeds: feeds.pricedFeeds)
      return JSONPrinter(columns: columns, cells: cells, list: list)
    case .ndjson: return JSONPrinter(columns: columns, cells: cells, list: nil)
    case .csv, .tsv:
      let all = OfferColumn.listed + (cells.hasSharers ? [.sharedBy] : [])
      return SeparatedPrinter(
        columns ?? all, self, feeds, now: now, allowsFormulas: allowsFormulas, hasMark: hasMark)
    case .markdown: return MarkdownPrinter(cells)
    }
  }
}

/// An offer in a list, on the household list with the users who share it, among the results of a search with
/// the field that has its words.
struct ListedOffer {
  let offer: UserOffer
  var sharers: [HouseholdOffer.Sharer] = []
  var match: SearchMatch?
}

/// A printer of a list of offers that is passed page by page, so that only one page is in memory.
/// It prints nothing before the first page, so that a refused command prints no partial document.
protocol OfferPrinter {
  mutating func print(_ page: [ListedOffer]) throws
  /// Ends the list. If there were no offers, it prints what the format requires for an empty list,
  /// such as the names of the columns.
  ///
  /// - Parameter rest: the members of a document behind the offers.
  mutating func finish(_ rest: JSONObject) throws
}

extension PagerOptions {
  /// Prints a list page by page.
  ///
  /// - Parameter first: the first page, which is read before the pager starts, so that a query that fails starts none.
  func show(
    _ printer: any OfferPrinter, _ first: [ListedOffer], next: () async throws -> [ListedOffer],
    rest: (Int) async throws -> JSONObject
  ) async throws -> Int {
    var printer = printer
    var count = 0
    try await show {
      var page = first
      while !page.isEmpty {
        try printer.print(page)
        count += page.count
        page = try await next()
      }
      try printer.finish(try await rest(count))
    }
    return count
  }
}

extension HeldBack {
  /// The removals that are held back, as a JSON object.
  ///
  /// - Parameter current: the number of offers in the feed's list, with the missing ones.
  func document(current: Int) -> JSONObject {
    ["missing": missingCount, "current": current, "since": since, "until": until]
  }

  func document(of feed: Feed) -> JSONObject {
    ["feed": feed.name] + document(current: feed.currentCount)
  }
}

/// A printer of one JSON document, or of one JSON object per line.
private struct JSONPrinter: OfferPrinter {
  /// The members of each offer; nil for all.
  let columns: [OfferColumn]?
  let cells: OfferCells
  /// The document; nil for lines.
  var list: PagedJSON?

  mutating func print(_ page: [ListedOffer]) throws {
    if list != nil {
      let write = write
      try list?.print(page) { write(&$0, $1) }
    } else {
      let priced = cells.feeds.pricedFeeds
      let lines = page.map { found in
        PrintedText.json(pricedFeeds: priced) { write(to: &$0, found) }.plain + "\n"
      }
      try Output.printData(lines.joined(), terminator: "")
    }
  }

  func finish(_ rest: JSONObject) throws { try list?.finish(rest) }

  private func write(to json: inout JSONWriter, _ found: ListedOffer) {
    if let columns {
      json.object { json in
        for column in columns { column.write(found, cells.feeds, at: cells.now, to: &json) }
      }
    } else if cells.hasSharers {
      json.value(HouseholdOffer(offer: found.offer, sharers: found.sharers), at: cells.now)
    } else {
      json.value(found.offer, at: cells.now)
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
  case sharedBy = "shared_by"

  /// The columns from which a person chooses: all but that of the household list.
  static let listed = allCases.filter { $0 != .sharedBy }

  /// Parses a list such as `name,reward,expires_at`. Case and spaces do not matter, and hyphens
  /// count as underscores.
  static func list(parsing text: String) throws -> [OfferColumn] {
    var columns: [OfferColumn] = []
    for word in text.split(scalar: ",", omittingEmptySubsequences: false) {
      let name = String(word.filter { $0 != " " }).lowercased().replacing(bytes: "-", with: "_")
      // Tables of products call the value a price.
      let column: OfferColumn =
        try name == "price"
        ? .reward : NamedChoice.find(name, among: listed, what: "column", title: "Columns")
      if columns.contains(column) {
        throw OffersError(
          .invalidRequest, "The column \(name) is listed twice.", hint: "List each column once.")
      }
      columns.append(column)
    }
    return columns
  }

  var title: String {
    switch self {
    case .favorite: ""
    case .ref: "ID"
    case .id: "BARE ID"
    default: rawValue.uppercased().replacing(bytes: "_", with: " ")
    }
  }

  func tableColumn(_ words: ValueWords) -> Table.Column {
    switch self {
    case .reward: Table.Column(title: words.title, hasNumber: true)
    case .favorite: .whole(" ")
    case .ref, .id, .feed, .state, .expired, .firstSeenAt, .changedAt, .goneAt, .startsAt,
      .expiresAt:
      .whole(title)
    case .rewardAmount, .rewardMinorUnits, .rewardPercent, .latitude, .longitude:
      .right(title)
    default: .text(title)
    }
  }

  /// The value for people, safe for a terminal and in one line; `–` if it is absent. A favorite is
  /// a star, any other offer a space.
  func shown(
    _ found: ListedOffer, _ feeds: FeedPresentations, _ words: ValueWords, at now: Date
  ) -> String {
    let offer = found.offer
    switch self {
    case .reward: return words.text(offer.reward, of: offer.ref.feed)
    case .sharedBy:
      return DisplayText.oneLine(found.sharers.map(\.name).joined(separator: ", "))
    case .favorite: return offer.isFavorite ? "★" : " "
    case .firstSeenAt, .changedAt, .goneAt, .startsAt, .expiresAt:
      return time(offer).map(Units.time) ?? "–"
    default: return valueForPrograms(found, feeds, at: now).map(DisplayText.oneLine) ?? "–"
    }
  }

  /// The value for programs, with the unchanged text of the feed and times in UTC; nil if it is
  /// absent.
  func valueForPrograms(_ found: ListedOffer, _ feeds: FeedPresentations, at now: Date) -> String? {
    let offer = found.offer
    return switch self {
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
    case .state: offer.state
    case .expired: offer.isExpired(at: now) ? "true" : "false"
    case .firstSeenAt, .changedAt, .goneAt, .startsAt, .expiresAt:
      time(offer)?.formatted(.iso8601)
    case .retailer: offer.retailer
    case .categories: joined(offer.categories)
    case .latitude: offer.latitude.map { "\($0)" }
    case .longitude: offer.longitude.map { "\($0)" }
    case .attributes: joined(offer.attributes.map { "\($0.label): \($0.value)" })
    case .sharedBy: joined(found.sharers.map(\.name))
    }
  }

  func write(
    _ found: ListedOffer, _ feeds: FeedPresentations, at now: Date, to json: inout JSONWriter
  ) {
    let offer = found.offer
    switch self {
    case .reward: json.member(rawValue, offer.reward, of: offer.ref.feed)
    case .rewardMinorUnits: json.member(rawValue, offer.reward?.minorUnits)
    case .rewardUpTo: json.member(rawValue, offer.reward?.isUpTo)
    case .favorite: json.member(rawValue, offer.isFavorite)
    case .expired: json.member(rawValue, offer.isExpired(at: now))
    case .categories: json.member(rawValue, each: offer.categories) { $0.value($1) }
    case .rewardAmount, .rewardPercent, .latitude, .longitude:
      json.member(rawValue, number: valueForPrograms(found, feeds, at: now))
    case .attributes: json.member(rawValue) { $0.value(offer.attributes) }
    default: json.member(rawValue, valueForPrograms(found, feeds, at: now))
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
