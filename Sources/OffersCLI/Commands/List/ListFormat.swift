import Foundation
import OffersCore

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
  func printer(
    _ columns: [OfferColumn]?, usual: [OfferColumn], _ feeds: FeedPresentations, _ style: Style,
    now: Date, allowsFormulas: Bool
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
        allowsFormulas: allowsFormulas)
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
  mutating func finish() throws
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

  mutating func finish() throws { try list.finish() }
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

  func finish() {}
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
