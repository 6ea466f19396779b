import Foundation
import OffersCore

/// A printer of the household list, page by page, in the formats of a list. Each offer has the users who share
/// it.
struct HouseholdPrinter {
  private static let columns: [OfferColumn] = [.favorite, .ref, .reward, .name]
  /// The place of the column with the users in a table, which is before that of the names.
  private static let sharersIndex = 3

  private let format: ListFormat
  private let feeds: FeedPresentations
  private let style: Style
  private let now: Date
  private var document: PagedJSON
  private let separated: SeparatedPrinter
  private var isFirst = true
  /// The words for the values of the list, and its table, both by the first page.
  private var words: ValueWords?
  private var table: Table?

  /// - Parameters:
  ///   - format: the format of the output.
  ///   - feeds: the presentations of the feeds.
  ///   - style: the style of a table.
  ///   - now: the time at which offers count as expired.
  init(_ format: ListFormat, _ feeds: FeedPresentations, _ style: Style, now: Date) {
    (self.format, self.feeds, self.style, self.now) = (format, feeds, style, now)
    document = PagedJSON("offers", pricedFeeds: feeds.pricedFeeds)
    separated = SeparatedPrinter([], format == .tsv ? .tsv : .csv, feeds, now: now)
  }

  /// Prints the offers of a page, behind the heads of the columns if it is the first.
  mutating func print(_ page: [HouseholdOffer]) throws {
    switch format {
    case .json: try document.print(page) { [now] in $0.value($1, at: now) }
    case .ndjson:
      let lines = page.map { found in
        var json = JSONWriter()
        json.pricedFeeds = feeds.pricedFeeds
        json.value(found, at: now)
        return json.text + "\n"
      }
      try Output.printData(lines.joined(), terminator: "")
    case .csv, .tsv:
      let head = OfferColumn.allCases.map(\.rawValue) + ["shared_by"]
      let records = page.map { found in
        OfferColumn.allCases.map { $0.plain(found.offer, feeds, at: now) ?? "" }
          + [found.sharers.map(\.name).joined(separator: "; ")]
      }
      let lines = (isFirst ? [head] : []) + records
      try Output.printData(lines.map(separated.record).joined(), terminator: "")
    case .table: try printTable(page)
    case .markdown:
      let words = words ?? ValueWords(feeds, of: page.map(\.offer))
      self.words = words
      let head = isFirst ? MarkdownPrinter.head(heads(words)) : ""
      let rows = page.map { MarkdownPrinter.line(row($0, words).map(MarkdownPrinter.escaped)) }
      try Output.print(.text(head + rows.joined()), terminator: "")
    }
    isFirst = false
  }

  /// Ends the list.
  func finish(total: Int, nextPage: Int?) throws {
    guard format == .json else { return }
    try document.finish { json in
      json.member("total", total)
      json.member("next_page", nextPage)
    }
  }

  private mutating func printTable(_ page: [HouseholdOffer]) throws {
    let words = words ?? ValueWords(feeds, of: page.map(\.offer))
    let table =
      table
      ?? Table(
        columns: heads(words), sample: page.map { row($0, words) }, totalWidth: Terminal.width)
    var text: PrintedText = isFirst ? "\(style.bold(table.header))\n" : ""
    (self.words, self.table) = (words, table)
    for found in page {
      text += "\(cells.line(table.line(row(found, words)), of: found.offer, style))\n"
    }
    try Output.print(text, terminator: "")
  }

  private var cells: OfferCells {
    OfferCells(columns: Self.columns, isUsual: true, feeds: feeds, now: now)
  }

  private func heads(_ words: ValueWords) -> [Table.Column] {
    var columns = Self.columns.map { $0.tableColumn(words) }
    columns.insert(Table.Column(title: "SHARED BY"), at: Self.sharersIndex)
    return columns
  }

  private func row(_ found: HouseholdOffer, _ words: ValueWords) -> [String] {
    var row = cells.shown(found.offer, Self.columns, words)
    row.insert(
      DisplayText.oneLine(found.sharers.map(\.name).joined(separator: ", ")), at: Self.sharersIndex)
    return row
  }
}
