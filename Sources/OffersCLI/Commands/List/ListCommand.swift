import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List offers.",
    discussion: """
      Lists the offers of the feeds, in the order of the feeds. Words and filters choose which, as \
      in a search: coffee -pod "cold brew" reward:>=2 feed:ibotta. Expired offers are left out; with \
      --expired they are listed behind all others. With --favorites, favorites that are gone from \
      their feed or expired are listed, too. All of these are marked.

      EXAMPLES
        offers list --limit 20 --page 2
        offers list 'coffee reward:>=2 -pod sort:reward' --total
        offers list --favorites --expiring 48h
        offers list --sort reward --reward-at-least 5%
        offers list --sort price --price-at-most 20
        offers list --columns ref,reward_amount --format csv --bom > offers.csv
        offers list --json | jq -r '.offers[].name'
      """)

  @OptionGroup var filters: SelectionOptions

  @Option(
    help: .value(
      "order",
      "The order: feed (as in the feed, the usual one), reward (highest first), price (lowest "
        + "first), name, newest, expiry."),
    completion: .list(OfferQuery.Sort.allCases.map(\.rawValue)))
  var sort: String?

  @Flag(help: "Reverse the order; offers without a value to sort by stay last.") var reverse = false
  @Flag(help: "Say what the listed offers pay together, by currency.") var total = false
  @OptionGroup var paging: PageOptions

  @Option(
    help: .value("columns", "The columns to show, in order, such as ref,name,reward,expires_at."),
    completion: .list(OfferColumn.listed.map(\.rawValue)))
  var columns: String?

  @OptionGroup var output: ListFormatOptions

  @Flag(
    help: "Write CSV and TSV values as they are, although a spreadsheet may take some for formulas."
  )
  var allowFormulas = false

  @Flag(help: "Begin CSV and TSV with a byte order mark, by which Excel knows UTF-8.")
  var bom = false

  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserDatabaseOptions
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
    let text = try filters.text
    var query = OfferQuery(now: now)
    query.selection = try text.selection(at: now, FilterTextParser())
    query.sort =
      try sort.map { try NamedChoice.find($0, what: "order", title: "Orders") }
      ?? text.sort ?? .feed
    query.isReversed = reverse != (sort == nil && text.isReversed)
    (query.offset, query.limit) = try paging.part()
    let database = try await location.open(.readOnly)
    let feeds = try await configuration.path.presentations(in: database)
    query.pricedFeeds = feeds.pricedFeeds
    let printer = format.printer(
      columns, usual: Self.usualColumns(query), feeds, paged.terminal.style, now: now,
      allowsFormulas: allowFormulas, hasMark: bom)
    var pages = database.pages(of: query)
    var totals = ValueTotals(pricedFeeds: feeds.pricedFeeds)
    func next() async throws -> [ListedOffer] {
      try await pages.next().map {
        totals.add($0.offer)
        return ListedOffer(offer: $0)
      }
    }
    let first = try await UnsyncedFeed.explaining(
      query.feed, try configuration.path, in: database, next)
    let selected = query
    let count = try await paged.show(printer, first, next: next) { count in
      guard format == .json else { return [:] }
      let totals = totals
      var rest = try await rest(selected, behind: count, database)
      if total { rest += ["totals": WrittenJSON { $0.value(totals) }] }
      return rest
    }
    if total, format != .json, count > 0 {
      let noun = try await noun(of: query, database, feeds)
      Output.note(.text("\(Units.count(count, noun)): \(totals.sentence(Units.value))"))
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

  private func currentFeeds(of query: OfferQuery, _ database: OffersDatabase) async throws
    -> [Feed]
  {
    if query.favoritesOnly || query.goneOnly { return [] }
    return try await database.fetchFeeds().filter { query.feed ?? $0.name == $0.name }
  }

  private func rest(
    _ query: OfferQuery, behind count: Int, _ database: OffersDatabase
  ) async throws -> JSONObject {
    let isWhole = query.limit == nil && query.offset == 0
    let total = isWhole ? count : try await database.countOffers(query)
    let feeds = try await currentFeeds(of: query, database)
    return [
      "total": total, "next_page": paging.next(after: query.offset + count, of: total),
      "held": feeds.compactMap { feed in feed.fetch.held?.document(of: feed) },
    ]
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
    _ count: Int, _ query: OfferQuery, _ database: OffersDatabase,
    _ feeds: FeedPresentations, _ format: ListFormat
  ) async throws {
    if count == 0, query.offset == 0 {
      // A program can see that the list is empty, but not that a retailer or category is misspelt.
      let names = query.selection.retailers.wanted + query.selection.categories.wanted
      if format.isForPeople || !names.isEmpty {
        Output.note(.text(try await EmptyListNote(query, feeds).text(from: database)))
      }
      return
    }
    let noun = try await noun(of: query, database, feeds)
    var parts: [String] = []
    if let limit = query.limit, count == limit || query.offset > 0 {
      let total = try await database.countOffers(query)
      if total == 0 {
        return Output.note(.text(try await EmptyListNote(query, feeds).text(from: database)))
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
    of query: OfferQuery, _ database: OffersDatabase, _ feeds: FeedPresentations
  ) async throws -> OfferNoun {
    if let feed = query.feed { return feeds[feed].noun }
    let names =
      try await database.fetchFeeds().map(\.name) + database.fetchFormerFeeds().map(\.name)
    return feeds.noun(of: names)
  }
}

/// A note that says why a list is empty, and what to do.
struct EmptyListNote {
  private let query: OfferQuery
  private let feeds: FeedPresentations
  private var selection: Selection { query.selection }

  init(_ query: OfferQuery, _ feeds: FeedPresentations) {
    (self.query, self.feeds) = (query, feeds)
  }

  func text(from database: OffersDatabase) async throws -> String {
    if let text = try await mistake(in: database) { return text }
    let feed = query.feed
    if !selection.includesExpired, let note = try await expiredNote(database) { return note }
    if let note = try await hiddenNote(database) { return note }
    if selection.isNarrowed(besides: [.feed, .favorites, .expired]) {
      return "No offer matches the filters. See all offers: offers list"
    }
    if selection.favoritesOnly {
      // After a salvage, or without the feed that has them.
      let waiting = feed == nil ? try await database.countEverything().favorites : 0
      if waiting > 0 {
        return Units.count(waiting, "favorite")
          + " of no stored offer. Read the offers: offers sync"
      }
      return
        "No favorites\(feed.map { " of \($0)" } ?? "") yet. Star an offer with: offers favorite ID"
    }
    return try await goneNote(database) ?? "No offers yet. Read a feed with: offers sync"
  }

  /// Prints a note about a filter of a selection that no offer passes; nothing if there is none.
  static func tellMistake(
    in selection: SelectionText, _ database: OffersDatabase, _ configuration: SettingPath
  ) async throws {
    var query = OfferQuery()
    query.selection = try selection.selection(at: Date(), FilterTextParser())
    let feeds = try await configuration.presentations(in: database)
    if let text = try await EmptyListNote(query, feeds).mistake(in: database) {
      Output.note(.text(text))
    }
  }

  /// A note about a filter that no offer passes: one of prices for a feed of rewards, or a retailer or category that
  /// there is not; nil for none.
  func mistake(in database: OffersDatabase) async throws -> String? {
    let feed = query.feed
    if let feed, let note = note(onRoleOf: feed, feeds[feed].valueRole) { return note }
    for name in selection.retailers.wanted {
      let names = try await database.fetchRetailers(of: feed)
      if let note = Self.note(name, among: names, "retailer") { return note }
    }
    for name in selection.categories.wanted {
      let names = try await database.fetchCategories(of: feed)
      if let note = Self.note(name, among: names, "category") { return note }
    }
    return nil
  }

  /// A note that all offers are gone; nil if there are none.
  private func goneNote(_ database: OffersDatabase) async throws -> String? {
    let counts =
      try await database.fetchFeeds().map { ($0.name, $0.goneCount) }
      + database.fetchFormerFeeds().map { ($0.name, $0.goneCount) }
    let feed = query.feed
    let count = counts.reduce(0) { feed == nil || feed == $1.0 ? $0 + $1.1 : $0 }
    guard count > 0 else { return nil }
    let gone = count == 1 ? "The only offer is gone" : "All \(Units.count(count)) offers are gone"
    return "\(gone). See \(count == 1 ? "it" : "them"): offers list --gone"
      + (feed.map { " --feed \($0)" } ?? "")
  }

  /// A note about a filter by reward for a feed of prices, and vice versa; nil for none.
  private func note(onRoleOf feed: String, _ role: ValueRole) -> String? {
    switch role {
    case .price where selection.rewardMinimum != nil:
      "The offers of \(feed) have prices, not rewards. Filter them with: --price-at-most"
    case .reward where selection.priceMaximum != nil:
      "The offers of \(feed) have no prices. Filter rewards with: --reward-at-least"
    default: nil
    }
  }

  /// A note that only expired offers match; nil if none does.
  private func expiredNote(_ database: OffersDatabase) async throws -> String? {
    let count = try await database.countExpired(leftOutOf: query)
    if count == 0 { return nil }
    let text = count == 1 ? "The only matching offer has" : "All \(Units.count(count)) offers have"
    return "\(text) expired. To see what has expired, add --expired."
  }

  /// A note that the matching offers are hidden, or that none of the hidden ones is asked for; nil for other lists.
  private func hiddenNote(_ database: OffersDatabase) async throws -> String? {
    if selection.hiddenOnly {
      return "None of these offers is hidden. See what you hide: offers hide"
    }
    if selection.favoritesOnly { return nil }
    var query = query
    (query.selection.hiddenOnly, query.limit, query.offset) = (true, nil, 0)
    let count = try await database.countOffers(query)
    if count == 0 { return nil }
    let text = count == 1 ? "The only matching offer is" : "All \(Units.count(count)) offers are"
    return "\(text) hidden. To see what you hide, add --hidden."
  }

  /// A note about a retailer or category that no offer has; nil if it is one of the given names.
  private static func note(_ name: String, among names: [String], _ what: String) -> String? {
    if names.contains(where: { NaturalOrder.isSame($0, name) }) { return nil }
    if names.isEmpty { return "No offer has a \(what)." }
    let hint = NearestWord.hint(for: name, among: names, title: "There are")
    return DisplayText.oneLine("No offer has the \(what) “\(name)”. \(hint)")
  }
}
