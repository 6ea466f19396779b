import ArgumentParser
import Foundation
import OffersCore

/// The options that set the format of a list.
struct ListFormatOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The output format: \(ListFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "format"),
    completion: .list(ListFormat.allCases.map(\.rawValue)))
  var format: String?

  @Flag(name: .long, help: "Print one JSON document, like --format json.")
  var json = false

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

extension JSONWriter {
  /// Writes a member with the offers of feeds that are held back, an object for each feed.
  mutating func member(_ name: String, heldOf feeds: [Feed]) {
    let entries = feeds.compactMap { feed in feed.fetch.held.map { (feed, $0) } }
    member(name, objects: entries) { json, entry in
      json.member("feed", entry.0.name)
      json.members(of: entry.1, current: entry.0.currentCount)
    }
  }

  /// Writes the members of what is held back.
  ///
  /// - Parameter current: the number of offers in the feed's list, with the missing ones.
  mutating func members(of held: HeldBack, current: Int) {
    member("missing", held.missingCount)
    member("current", current)
    member("since", held.since)
    member("until", held.until)
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
    try list.finish { json in
      guard let rest else { return }
      json.member("total", rest.total)
      json.member("next_page", rest.nextPage)
      json.member("held", heldOf: rest.held)
    }
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
