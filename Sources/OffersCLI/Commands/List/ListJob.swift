import Foundation
import Glibc
import OffersCore
import OffersSQLite

/// A list as a person asked for it, with what is printed of it.
struct ListJob: Sendable {
  let selection: ListSelection
  let databasePath: String
  var sort = OfferQuery.Sort.feed.rawValue
  var isReversed = false
  var limit: Int?
  /// From 1; of so many offers as the limit says, else of the usual number.
  var page: Int?
  /// Names between commas; nil for the usual ones.
  var columns: String?
  /// The format's name; nil for a table.
  var format: String?
  var style = TerminalOptions.style(.auto)
  /// Whether long output goes through a pager on a terminal.
  var isPaged = true

  /// How many offers a page has where nobody says.
  static let usualPageSize = 50

  init(_ selection: ListSelection, databasePath: String) {
    self.selection = selection
    self.databasePath = databasePath
  }

  /// Prints the list and ends the program.
  ///
  /// - Throws: `OffersError` for what cannot be listed.
  func run() throws {
    let format: ListFormat =
      try self.format.map { try NamedChoice.find($0, what: "format", title: "Formats") } ?? .table
    let columns = try self.columns.map { try OfferColumn.list(parsing: $0) }
    var query = try selection.query(at: Date())
    query.sort = try NamedChoice.find(sort, what: "order", title: "Orders")
    query.isReversed = isReversed
    try setPage(of: &query)
    let database = try OffersDatabase(path: databasePath, access: .readOnly)
    var printer = format.printer(columns, usual: Self.usualColumns(query), style)
    var pages = database.pagesBlocking(of: query)
    var count = 0
    // Read first, so that what is refused starts no pager.
    let first = try UnsyncedFeed.explaining(
      selection.feed, try ConfigurationOptions.path(named: nil)
    ) { try pages.next() }
    try PagedOptions.show(isPaged: isPaged) {
      var offers = first
      while !offers.isEmpty {
        printer.print(offers)
        count += offers.count
        offers = try pages.next()
      }
      printer.finish()
    }
    if format.isForPeople || count == 0 { try note(count, query, database, format) }
    // Closing what the end of the process closes anyway takes longer than a short list does.
    withExtendedLifetime(database) { Glibc.exit(0) }
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
    _ count: Int, _ query: OfferQuery, _ database: OffersDatabase, _ format: ListFormat
  ) throws {
    if count == 0, query.offset == 0 {
      // Programs see for themselves that it is empty, but not that a name is misspelt.
      if format.isForPeople || selection.retailer != nil || selection.category != nil {
        Output.note(try selection.note(onEmptyFrom: database))
      }
      return
    }
    guard let limit = query.limit, count == limit || query.offset > 0 else { return }
    let total = try database.countOffersBlocking(query)
    if count == 0 {
      let pages = Units.count(total == 0 ? 0 : (total - 1) / limit + 1, "page")
      Output.note(
        total == 0
          ? try selection.note(onEmptyFrom: database)
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
