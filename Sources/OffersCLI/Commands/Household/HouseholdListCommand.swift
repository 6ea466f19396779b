import ArgumentParser
import Foundation
import OffersCore

/// `offers household list`
struct HouseholdListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the offers that users share, the latest first.",
    usage: "offers household list [<options>]")

  @Option(name: .long, help: "Only this feed.", completion: CompletionCandidates.feeds)
  var feed: String?

  @OptionGroup var paging: PageOptions

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserRecordOptions
  @OptionGroup var configuration: ConfigurationOptions

  /// The number of offers that are read at a time, and the maximum size of their texts in bytes.
  private static let pageSize = 500
  private static let pageBytes = 8 << 20

  func run() async throws {
    let now = Date()
    let database = try await location.open(.readOnly)
    let feeds = try await configuration.path.presentations(in: database)
    let (offset, limit) = try paging.part()
    var query = HouseholdQuery(
      limit: min(limit ?? .max, Self.pageSize), offset: offset, feed: feed)
    // The first offers are read before the pager starts, so that a failed read starts none.
    let first = try await UnsyncedFeed.explaining(feed, try configuration.path) {
      try await database.fetchHousehold(query, maximumBytes: Self.pageBytes)
    }
    if first.offers.isEmpty, !json {
      Output.note(.line(nothing(at: offset)))
      return try emptiness.check(isEmpty: true)
    }
    var document = PagedJSON("offers", pricedFeeds: feeds.pricedFeeds)
    var table: HouseholdTable?
    var isCut = false
    try await paged.show {
      var page = first
      var count = 0
      while true {
        count += page.offers.count
        if json {
          try document.print(page.offers) { $0.value($1, at: now) }
        } else {
          let lines = table ?? HouseholdTable(page.offers, feeds, paged.terminal.style, now: now)
          try lines.print(page.offers, withHeader: table == nil)
          table = lines
        }
        let rest = (limit ?? .max) - count
        isCut = page.hasMore && rest == 0
        guard page.hasMore, rest > 0, let last = page.offers.last else { break }
        query.limit = min(rest, Self.pageSize)
        query.offset = 0
        query.after = last.position
        page = try await database.fetchHousehold(query, maximumBytes: Self.pageBytes)
      }
      if json { try document.finish() }
    }
    if isCut, !json { Output.note("More: --page \((paging.page ?? 1) + 1)") }
    try emptiness.check(isEmpty: first.offers.isEmpty)
  }

  /// The note on an empty list.
  private func nothing(at offset: Int) -> String {
    if offset > 0 { return "Nothing on page \(paging.page ?? 1)." }
    return feed.map { "Nobody shares an offer of \($0) with the household." }
      ?? "Nobody shares an offer with the household. Share one: offers household add ID"
  }
}

/// A printer of the household list as an aligned table.
private struct HouseholdTable {
  private static let columns: [OfferColumn] = [.favorite, .ref, .reward, .name]
  /// The place of the column with the users, which is before that of the names.
  private static let sharersIndex = 3

  private let cells: OfferCells
  private let words: ValueWords
  private let style: Style
  private let table: Table

  /// - Parameters:
  ///   - page: the first offers, which determine the widths of the columns.
  ///   - feeds: the presentations of the feeds.
  ///   - style: the style of the lines.
  ///   - now: the time at which offers count as expired.
  init(_ page: [HouseholdOffer], _ feeds: FeedPresentations, _ style: Style, now: Date) {
    let cells = OfferCells(columns: Self.columns, isUsual: true, feeds: feeds, now: now)
    let words = ValueWords(feeds, of: page.map(\.offer))
    var columns = Self.columns.map { $0.tableColumn(words) }
    columns.insert(Table.Column(title: "SHARED BY"), at: Self.sharersIndex)
    (self.cells, self.words, self.style) = (cells, words, style)
    table = Table(
      columns: columns, sample: page.map { Self.row($0, cells, words) }, totalWidth: Terminal.width)
  }

  func print(_ page: [HouseholdOffer], withHeader: Bool) throws {
    var text: PrintedText = withHeader ? "\(style.bold(table.header))\n" : ""
    for found in page {
      text += "\(cells.line(table.line(Self.row(found, cells, words)), of: found.offer, style))\n"
    }
    try Output.print(text, terminator: "")
  }

  private static func row(
    _ found: HouseholdOffer, _ cells: OfferCells, _ words: ValueWords
  ) -> [String] {
    var row = cells.shown(found.offer, columns, words)
    row.insert(
      DisplayText.oneLine(found.sharers.map(\.name).joined(separator: ", ")), at: sharersIndex)
    return row
  }
}
