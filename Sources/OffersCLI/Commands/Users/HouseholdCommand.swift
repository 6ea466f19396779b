import ArgumentParser
import Foundation
import OffersCore

/// `offers household`
struct HouseholdCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "household",
    abstract: "List, add and remove what users share.",
    discussion: """
      All users see the household list, with the names of those who share an offer. Sharing an \
      offer stars it for you. Taking it off the list ends the sharing by everyone, and nobody's \
      star; removing your star ends your own sharing.

      EXAMPLES
        offers household
        offers household add 900117
        offers household add ibotta:900116 --user ben
        offers household remove 900117
      """,
    subcommands: [
      HouseholdListCommand.self, HouseholdAddCommand.self, HouseholdRemoveCommand.self,
    ],
    defaultSubcommand: HouseholdListCommand.self)
}

/// `offers household list`
struct HouseholdListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the offers that users share, the latest first.",
    usage: "offers household list [<options>]")

  @Option(.feed, completion: .feeds) var feed: String?
  @OptionGroup var paging: PageOptions
  @OptionGroup var output: ListFormatOptions
  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  /// The number of offers that are read at a time, and the maximum size of their texts in bytes.
  private static let pageSize = 500
  private static let pageBytes = 8 << 20

  func run() async throws {
    let now = Date()
    let format = try output.chosen
    let database = try await location.open(.readOnly)
    let feeds = try await configuration.path.presentations(in: database)
    let (offset, limit) = try paging.part()
    var query = HouseholdQuery(
      limit: min(limit ?? .max, Self.pageSize), offset: offset, feed: feed)
    // The first offers are read before the pager starts, so that a failed read starts none.
    let first = try await UnsyncedFeed.explaining(
      feed, try configuration.path, in: database
    ) {
      try await database.fetchHousehold(query, maximumBytes: Self.pageBytes)
    }
    let total = try await database.countHousehold(of: feed)
    if first.offers.isEmpty, format.isForPeople {
      Output.note(.line(nothing(at: offset)))
      if format == .table { return try emptiness.check(isEmpty: true) }
    }
    var printer = HouseholdPrinter(format, feeds, paged.terminal.style, now: now)
    var count = 0
    try await paged.show {
      var page = first
      while true {
        count += page.offers.count
        try printer.print(page.offers)
        let rest = (limit ?? .max) - count
        guard rest > 0, let next = page.next else { break }
        query.limit = min(rest, Self.pageSize)
        query.offset = 0
        query.after = next
        page = try await database.fetchHousehold(query, maximumBytes: Self.pageBytes)
      }
      try printer.finish(total: total, nextPage: paging.next(after: offset + count, of: total))
    }
    if format.isForPeople, let page = paging.next(after: offset + count, of: total) {
      Output.note("More: --page \(page)")
    }
    try emptiness.check(isEmpty: count == 0)
  }

  /// The note on an empty list.
  private func nothing(at offset: Int) -> String {
    if offset > 0 { return "Nothing on page \(paging.page ?? 1)." }
    return feed.map { "Nobody shares an offer of \($0) with the household." }
      ?? "Nobody shares an offer with the household. Share one: offers household add ID"
  }
}

/// `offers household add`
struct HouseholdAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Share offers with all users, and star them.",
    usage: "offers household add <id> ... [<options>]",
    discussion: """
      Sharing twice is no error. If one of several offers is unknown, none is shared.

      EXAMPLES
        offers household add 900117 900116
        offers household add ibotta:900117 --user ben
      """)

  @Argument(help: "The offers: 900117, or ibotta:900117 when several feeds have that id.")
  var id: [String]

  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let changes = try await location.openExisting().share(named: id, at: Date())
    try SharingChange.print(changes, asJSON: json, mark: "+", unchanged: "was shared already")
  }
}

extension SharingChange {
  /// Prints the results of a command that shares offers, or takes them off the list.
  ///
  /// - Parameters:
  ///   - asJSON: whether to print one document, `{"offers":[{"ref","changed","shared_by"}]}`.
  ///   - mark: the sign before each offer.
  ///   - unchanged: the words behind an offer whose sharing was so before.
  static func print(
    _ changes: [SharingChange], asJSON: Bool, mark: String, unchanged: String
  ) throws {
    if asJSON {
      let offers = changes.map { change in
        ["ref": change.offer.id.description, "changed": change.didChange]
          + JSONObject(members: { $0.member(sharersOf: change.offer) })
      }
      return try Output.print(.json(["offers": offers]))
    }
    for change in changes {
      let offer = change.offer.offer
      let text = DisplayText.oneLine("\(offer.ref)  \(offer.name)")
      let gone = offer.state == .gone ? " (gone from its feed)" : ""
      try Output.print("\(mark) \(text)\(gone)\(change.didChange ? "" : " (\(unchanged))")")
    }
  }
}

/// `offers household remove`
struct HouseholdRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take offers off the list, whoever shares them.",
    usage: "offers household remove <id> ... [<options>]",
    discussion: """
      Nobody loses a star by it. If one of several offers is unknown, none is taken off.

      EXAMPLES
        offers household remove 900117
      """)

  @Argument(help: "The offers: 900117, or ibotta:900117 when several feeds have that id.")
  var id: [String]

  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let changes = try await location.openExisting().unshare(named: id)
    try SharingChange.print(changes, asJSON: json, mark: "-", unchanged: "was not shared")
  }
}

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

  /// - Parameter now: the time at which offers count as expired.
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
    try document.finish(["total": total, "next_page": nextPage])
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
