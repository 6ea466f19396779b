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
  private let feeds: FeedPresentations
  private let words: ValueWords
  private let style: Style
  private let now: Date
  private let table: Table

  /// - Parameters:
  ///   - page: the first offers, which determine the widths of the columns.
  ///   - feeds: the presentations of the feeds.
  ///   - style: the style of the lines.
  ///   - now: the time at which offers count as expired.
  init(_ page: [HouseholdOffer], _ feeds: FeedPresentations, _ style: Style, now: Date) {
    self.feeds = feeds
    self.style = style
    self.now = now
    let words = ValueWords(feeds, of: page.map(\.offer))
    self.words = words
    table = Table(
      columns: [OfferColumn.favorite, .ref, .reward].map { $0.tableColumn(words) } + [
        Table.Column(title: "SHARED BY"), OfferColumn.name.tableColumn(words),
      ],
      sample: page.map { Self.cells($0, feeds, words, now) }, totalWidth: Terminal.width)
  }

  func print(_ page: [HouseholdOffer], withHeader: Bool) throws {
    var text: PrintedText = withHeader ? "\(style.bold(table.header))\n" : ""
    for found in page {
      let line = table.line(Self.cells(found, feeds, words, now))
      let isFaint = found.offer.state == .gone || found.offer.isExpired(at: now)
      text += "\(isFaint ? style.faint(line) : .text(line))\n"
    }
    try Output.print(text, terminator: "")
  }

  private static func cells(
    _ found: HouseholdOffer, _ feeds: FeedPresentations, _ words: ValueWords, _ now: Date
  ) -> [String] {
    let offer = found.offer
    let start = [OfferColumn.favorite, .ref, .reward].map {
      $0.shown(offer, feeds, words, at: now)
    }
    let names = found.sharers.map(\.name).joined(separator: ", ")
    return start + [
      DisplayText.oneLine(names),
      OfferMark.text(offer, at: now) + DisplayText.oneLine(offer.name)
        + feeds.bylineSuffix(of: offer.offer),
    ]
  }
}
