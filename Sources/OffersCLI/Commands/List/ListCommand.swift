import ArgumentParser
import Foundation
import OffersCore

/// `offers list`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List offers.",
    discussion: """
      Lists the offers of the feeds, in the order of the feeds. Expired offers are left out; with \
      --expired they are listed behind all others. With --favorites, favorites that are gone from \
      their feed or expired are listed, too. All of these are marked.

      EXAMPLES
        offers list --limit 20 --page 2
        offers list --favorites --expiring 48h
        offers list --sort reward --reward-at-least 5%
        offers list --sort price --price-at-most 20
        offers list --columns ref,reward_amount --format csv --bom > offers.csv
        offers list --json | jq -r '.offers[].name'
      """)

  @OptionGroup var filters: ListFilters

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The order: feed (as in the feed), reward (highest first), price (lowest first), name, "
        + "newest, expiry.",
      valueName: "order"),
    completion: .list(OfferQuery.Sort.allCases.map(\.rawValue)))
  var sort = OfferQuery.Sort.feed.rawValue

  @Flag(name: .long, help: "Reverse the order; offers without a value to sort by stay last.")
  var reverse = false

  @OptionGroup var paging: PageOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The columns to show, in order, such as ref,name,reward,expires_at.",
      valueName: "columns"),
    completion: .list(OfferColumn.allCases.map(\.rawValue)))
  var columns: String?

  @OptionGroup var output: ListFormatOptions

  @Flag(
    name: .long,
    help: "Write CSV and TSV values as they are, although a spreadsheet may take some for formulas."
  )
  var allowFormulas = false

  @Flag(name: .long, help: "Begin CSV and TSV with a byte order mark, by which Excel knows UTF-8.")
  var bom = false

  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserRecordOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if bom, output.format != "csv", output.format != "tsv" {
      throw ValidationError("--bom is for --format csv and tsv.")
    }
  }

  func run() async throws {
    let format = try output.chosen
    let columns = try self.columns.map { try OfferColumn.list(parsing: $0) }
    let now = Date()
    var query = try filters.query(at: now)
    query.sort = try NamedChoice.find(sort, what: "order", title: "Orders")
    query.isReversed = reverse
    (query.offset, query.limit) = try paging.part()
    let database = try await location.open(.readOnly)
    let feeds = try await configuration.path.presentations(in: database)
    query.pricedFeeds = feeds.pricedFeeds
    var printer = format.printer(
      columns, usual: Self.usualColumns(query), feeds, paged.terminal.style, now: now,
      allowsFormulas: allowFormulas, hasMark: bom)
    var pages = database.pages(of: query)
    var count = 0
    // The first offers are read before the pager starts, so that a query that fails starts none.
    let selected = query
    let first = try await UnsyncedFeed.explaining(
      filters.feed, try configuration.path, in: database
    ) { try await pages.next() }
    try await paged.show {
      var offers = first
      while !offers.isEmpty {
        try printer.print(offers)
        count += offers.count
        offers = try await pages.next()
      }
      try printer.finish(format == .json ? try await rest(selected, behind: count, database) : nil)
    }
    if format.isForPeople || count == 0 {
      try await note(count, query, database, feeds, format)
    }
    if format.isForPeople {
      for feed in try await currentFeeds(of: query, database) {
        let noun = feeds[feed.name].noun
        if let stop = feed.stopText(at: now) {
          let force = feed.fetch.stoppedAt == nil ? "" : " --force"
          Output.note(
            .line("\(feed.name) \(stop). To try now: offers sync \(feed.name)\(force)"))
        }
        let held = feed.fetch.held?.sentence(of: feed.currentCount, noun, at: Date())
        for text in [held, KeptOffers.sentence(feed.keptApartCount, noun)].compactMap(\.self) {
          Output.note(.line("\(feed.name): \(text)"))
        }
      }
    }
    try emptiness.check(isEmpty: count == 0)
  }

  /// The feeds whose current offers a list selects.
  private func currentFeeds(of query: OfferQuery, _ database: any OffersStorage) async throws
    -> [Feed]
  {
    if query.favoritesOnly || query.goneOnly { return [] }
    return try await database.fetchFeeds().filter { query.feed ?? $0.name == $0.name }
  }

  private func rest(
    _ query: OfferQuery, behind count: Int, _ database: any OffersStorage
  ) async throws -> ListRest {
    let isWhole = query.limit == nil && query.offset == 0
    let total = isWhole ? count : try await database.countOffers(query)
    return ListRest(
      total: total, nextPage: paging.next(after: query.offset + count, of: total),
      held: try await currentFeeds(of: query, database))
  }

  /// The default columns of the formats for people, with the times that the list is filtered or
  /// sorted by.
  private static func usualColumns(_ query: OfferQuery) -> [OfferColumn] {
    var columns: [OfferColumn] = [.favorite, .ref, .reward]
    if query.goneOnly { columns.append(.goneAt) }
    if query.newSince != nil || query.sort == .newest { columns.append(.firstSeenAt) }
    if query.expiring != nil || query.sort == .expiry { columns.append(.expiresAt) }
    return columns + [.name]
  }

  /// Prints a note that says why the list is empty, or which part of the matching offers it has and how
  /// many expired ones it leaves out. There is no note on a list of all matching offers.
  private func note(
    _ count: Int, _ query: OfferQuery, _ database: any OffersStorage,
    _ feeds: FeedPresentations, _ format: ListFormat
  ) async throws {
    if count == 0, query.offset == 0 {
      // A program can see that the list is empty, but not that a retailer or category is misspelt.
      if format.isForPeople || filters.retailer != nil || filters.category != nil {
        Output.note(.text(try await filters.note(onEmptyFrom: database, feeds)))
      }
      return
    }
    let noun = try await noun(of: query, database, feeds)
    var parts: [String] = []
    if let limit = query.limit, count == limit || query.offset > 0 {
      let total = try await database.countOffers(query)
      if total == 0 {
        return Output.note(.text(try await filters.note(onEmptyFrom: database, feeds)))
      }
      if count == 0 {
        let pages = Units.count((total - 1) / limit + 1, "page")
        return Output.note(
          .text("\(Units.count(total, noun)) make \(pages) of \(Units.count(limit))."))
      }
      let last = Units.count(query.offset + count)
      if query.offset > 0 {
        parts.append("\(Units.count(query.offset + 1))–\(last) of \(Units.count(total, noun))")
      } else if total > count {
        parts.append("\(last) of \(Units.count(total, noun))")
      }
    }
    let expired = try await database.countExpired(leftOutOf: query)
    if expired > 0 {
      let word = expired == 1 ? noun.singular : noun.plural
      parts.append("\(Units.count(expired)) expired \(word) left out (--expired lists them, too)")
    }
    if !parts.isEmpty { Output.note(.text(parts.joined(separator: "; "))) }
  }

  /// The noun for the offers of a list: that of its feed, or of all feeds if they have the same.
  private func noun(
    of query: OfferQuery, _ database: any OffersStorage, _ feeds: FeedPresentations
  ) async throws -> OfferNoun {
    if let feed = query.feed { return feeds[feed].noun }
    let names =
      try await database.fetchFeeds().map(\.name) + database.fetchFormerFeeds().map(\.name)
    return feeds.noun(of: names)
  }
}
