import ArgumentParser
import Foundation
import OffersCore
import OffersSQLite

/// `offers list`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List offers.",
    discussion: """
      Lists what the feeds have, in their order. Favorites are listed with --favorites even when \
      the feed no longer has them, marked gone.

      EXAMPLES
        offers list --limit 20 --page 2
        offers list --favorites --expiring 48h
        offers list --sort reward --reward-at-least 5%
        offers list --columns ref,reward,expires_at --format csv > offers.csv
        offers list --json | jq -r '.offers[].name'
      """)

  @OptionGroup var filters: ListFilters

  @Option(
    name: .long,
    help: ArgumentHelp(
      "What it goes by: feed (its order), reward (highest first), name, newest, expiry.",
      valueName: "order"),
    completion: .list(OfferQuery.Sort.allCases.map(\.rawValue)))
  var sort = OfferQuery.Sort.feed.rawValue

  @Flag(name: .long, help: "Turn it round; what the order says nothing of stays last.")
  var reverse = false

  @Option(
    name: .long, parsing: .unconditional, help: ArgumentHelp("At most this many.", valueName: "n"))
  var limit: Int?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "This page, from 1, of --limit offers (\(Self.usualPageSize) without one).", valueName: "n"
    ))
  var page: Int?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "What to show, in this order, with commas: ref,name,reward,expires_at.",
      valueName: "columns"),
    completion: .list(OfferColumn.allCases.map(\.rawValue)))
  var columns: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How to print it: \(ListFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "format"),
    completion: .list(ListFormat.allCases.map(\.rawValue)))
  var format: String?

  @Flag(name: .long, help: "Print one JSON document, as --format json.")
  var json = false

  @OptionGroup var paged: PagedOptions
  @OptionGroup var location: DatabaseOptions

  /// How many offers a page has where nobody says.
  private static let usualPageSize = 50

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if let page, page < 1 { throw ValidationError("--page must be at least 1.") }
    if json, let format, format != "json" {
      throw ValidationError(
        "--json and --format \(DisplayText.oneLine(format)) exclude each other.")
    }
  }

  func run() async throws {
    let format = try fetchFormat()
    let columns = try self.columns.map { try OfferColumn.list(parsing: $0) }
    let selection = filters.selection
    var query = try selection.query(at: Date())
    query.sort = try NamedChoice.find(sort, what: "order", title: "Orders")
    query.isReversed = reverse
    try setPage(of: &query)
    let database = try location.open(.readOnly)
    var printer = format.printer(columns, usual: Self.usualColumns(query), paged.terminal.style)
    var pages = database.pages(of: query)
    var count = 0
    // Read first, so that what is refused starts no pager.
    let first = try await UnsyncedFeed.explaining(
      selection.feed, try ConfigurationOptions.path(named: nil)
    ) { try await pages.next() }
    try await paged.show {
      var offers = first
      while !offers.isEmpty {
        try printer.print(offers)
        count += offers.count
        offers = try await pages.next()
      }
      try printer.finish()
    }
    if format.isForPeople || count == 0 {
      try await note(count, query, selection, database, format)
    }
  }

  private func fetchFormat() throws -> ListFormat {
    if json { return .json }
    guard let format else { return .table }
    return try NamedChoice.find(format, what: "format", title: "Formats")
  }

  private func setPage(of query: inout OfferQuery) throws {
    query.limit = limit
    guard let page else { return }
    let size = limit ?? Self.usualPageSize
    let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: size)
    if isTooFar {
      throw OffersError(
        .invalidRequest, "There is no page \(page).", hint: "Pages are counted from 1.")
    }
    query.limit = size
    query.offset = offset
  }

  /// What people want to see, and what the list is about.
  private static func usualColumns(_ query: OfferQuery) -> [OfferColumn] {
    var columns: [OfferColumn] = [.favorite, .ref, .reward]
    if query.goneOnly { columns.append(.goneAt) }
    if query.newSince != nil || query.sort == .newest { columns.append(.firstSeenAt) }
    if query.expiring != nil || query.sort == .expiry { columns.append(.expiresAt) }
    return columns + [.name]
  }

  /// Says why nothing is shown, or how much of what there is.
  private func note(
    _ count: Int, _ query: OfferQuery, _ selection: ListSelection, _ database: OffersDatabase,
    _ format: ListFormat
  ) async throws {
    if count == 0, query.offset == 0 {
      // Programs see for themselves that it is empty, but not that a name is misspelt.
      if format.isForPeople || selection.retailer != nil || selection.category != nil {
        Output.note(try await selection.note(onEmptyFrom: database))
      }
      return
    }
    guard let limit = query.limit, count == limit || query.offset > 0 else { return }
    let total = try await database.countOffers(query)
    if count == 0 {
      let pages = Units.count(total == 0 ? 0 : (total - 1) / limit + 1, "page")
      Output.note(
        total == 0
          ? try await selection.note(onEmptyFrom: database)
          : "\(Units.count(total, "offer")) make \(pages) of \(Units.count(limit)).")
    } else if query.offset > 0 {
      let first = query.offset + 1
      Output.note(
        "\(Units.count(first))–\(Units.count(query.offset + count)) of \(Units.count(total)) offers"
      )
    } else if total > count {
      Output.note("\(Units.count(count)) of \(Units.count(total)) offers")
    }
  }
}
