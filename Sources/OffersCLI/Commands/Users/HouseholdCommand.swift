import ArgumentParser
import Foundation
import OffersCore

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
    let printer = format.printer(
      nil, usual: [.favorite, .ref, .reward, .sharedBy, .name], feeds, paged.terminal.style,
      now: now)
    var rest = (limit ?? .max) - first.offers.count
    var position = first.next
    func next() async throws -> [ListedOffer] {
      guard rest > 0, let after = position else { return [] }
      (query.limit, query.offset, query.after) = (min(rest, Self.pageSize), 0, after)
      let page = try await database.fetchHousehold(query, maximumBytes: Self.pageBytes)
      rest -= page.offers.count
      position = page.next
      return page.listed
    }
    let count = try await paged.show(printer, first.listed, next: next) { count in
      ["total": total, "next_page": paging.next(after: offset + count, of: total)]
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

extension HouseholdOfferPage {
  fileprivate var listed: [ListedOffer] {
    offers.map { ListedOffer(offer: $0.offer, sharers: $0.sharers) }
  }
}

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
      let gone = offer.isGone ? " (gone from its feed)" : ""
      try Output.print("\(mark) \(text)\(gone)\(change.didChange ? "" : " (\(unchanged))")")
    }
  }
}

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
