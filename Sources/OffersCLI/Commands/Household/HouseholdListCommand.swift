import ArgumentParser
import Foundation
import OffersCore

/// `offers household list`
struct HouseholdListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the offers that users share, the latest first.",
    usage: "offers household list [<options>]")

  @Option(name: .long, help: "Only this feed.", completion: .feeds)
  var feed: String?

  @OptionGroup var paging: PageOptions

  @OptionGroup var output: ListFormatOptions
  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserRecordOptions
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
        guard page.hasMore, rest > 0, let last = page.offers.last else { break }
        query.limit = min(rest, Self.pageSize)
        query.offset = 0
        query.after = last.position
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
