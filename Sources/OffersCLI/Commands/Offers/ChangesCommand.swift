import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore

struct ChangesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Show the changes of offers.",
    usage: "offers changes [<options>]",
    discussion: """
      Shows the changes that syncs made, oldest first: new, up or down (the exact reward or price), changed \
      (anything else, with what a text was before), gone, back; and expiring, for offers that expire \
      within 48 hours. The first sync of a feed, which makes all of its offers new, is one line, of the \
      kind first. A new offer that is probably a favorite under another \
      id is marked.

      With --since last it shows the changes that were not shown by an earlier call with this option, at \
      first those of 7 days; with --favorites, --feed or --kind only what is shown counts as read. Each \
      name that --reader gives, such as that of a script, has a mark of its own.

      EXAMPLES
        offers changes --favorites
        offers changes --since 2026-11-01 --kind up,back --feed ibotta
        offers changes --since last --reader mail --json
      """)

  @Option(
    parsing: .unconditional,
    help: .value(
      "time", "The start: 30m, 12h, 7d, 2w ago, a day (2026-11-01), a time in ISO 8601, or last."))
  var since = "7d"

  @Option(
    help: .value("name", "The name under which --since last keeps its mark (default: default)."))
  var reader: String?

  @Flag(.favorites) var favorites = false
  @Option(.feed, completion: .feeds) var feed: String?

  @Option(
    help: .value(
      "kinds",
      "Only these kinds, separated by commas: first, new, up, down, changed, gone, back, expiring.")
  )
  var kind: String?

  @Option(parsing: .unconditional, help: .value("n", "Only this many changes, the newest."))
  var limit: Int?

  @Flag(.json) var json = false
  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  /// The number of changes that are held in memory at a time.
  private static let pageSize = 500

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if let reader {
      if since != "last" { throw ValidationError("--reader requires --since last.") }
      if reader.isEmpty || reader.unicodeScalars.contains(where: { $0.value < 0x20 }) {
        throw ValidationError("--reader needs a name without control characters.")
      }
    }
    _ = try kinds()
  }

  private func kinds() throws -> Set<OfferChange.Kind>? {
    guard let kind else { return nil }
    return try Set(
      kind.split(scalar: ",", omittingEmptySubsequences: false).map { word in
        guard let kind = OfferChange.Kind(rawValue: String(word)) else {
          let all = OfferChange.Kind.allCases.map(\.rawValue).joined(separator: ", ")
          throw ValidationError(
            "There is no kind “\(DisplayText.oneLine(String(word)))”. Kinds: \(all).")
        }
        return kind
      })
  }

  func run() async throws {
    let now = Date()
    let start = try PeriodStart(parsing: since, now: now)
    let database = try await location.open(.readOnly)
    var query = ChangeQuery(now: now)
    query.favoritesOnly = favorites
    query.feed = feed
    query.kinds = try kinds()
    // Selects one more than the limit, to find out whether the limit cuts any off.
    query.limit = limit.map { min($0, .max - 1) + 1 }
    let mark = ChangeSelection(of: query).markName(of: reader ?? "default")
    let (selection, shownSince) = try await UnsyncedFeed.explaining(
      feed, try configuration.path, in: database
    ) {
      switch start {
      case .time(let time):
        query.since = time
        return (try await database.selectChanges(query), time)
      case .last: return try await database.selectUnread(query, by: reader ?? "default")
      }
    }
    let feeds = try await configuration.path.presentations(in: database)
    if json {
      try await printJSON(selection, feeds)
    } else {
      let style = paged.terminal.style
      try await paged.show { try await printTable(selection, feeds, style) }
      if let limit, start == .last, isCut(selection) {
        Output.note(
          "Only the newest \(limit == 1 ? "is" : "\(Units.count(limit)) are") shown, so none is marked as read."
        )
      }
      if selection.count == 0 { Output.note("No changes since \(Units.time(shownSince)).") }
    }
    // The mark is set after printing, because changes that were not printed have not been read.
    if start == .last, !isCut(selection) {
      try await location.open(.readWrite).setMark(
        ReaderMark(changeID: selection.lastID, readAt: now), of: mark)
    }
    try emptiness.check(isEmpty: selection.count == 0)
  }

  private func isCut(_ selection: LongChangeList) -> Bool {
    limit.map { selection.count > $0 } ?? false
  }

  private func forEachPage(
    _ selection: LongChangeList, _ body: ([OfferChange]) throws -> Void
  ) async throws {
    for start in stride(from: isCut(selection) ? 1 : 0, to: selection.count, by: Self.pageSize) {
      try body(await selection.fetch(start..<start + Self.pageSize))
    }
  }

  private func printJSON(
    _ selection: LongChangeList, _ feeds: FeedPresentations
  ) async throws {
    var list = PagedJSON("changes", pricedFeeds: feeds.pricedFeeds)
    try await forEachPage(selection) { try list.print($0) { $0.value($1) } }
    try list.finish()
  }

  private func printTable(
    _ selection: LongChangeList, _ feeds: FeedPresentations,
    _ style: Style
  ) async throws {
    var lines: ChangeLines?
    try await forEachPage(selection) { page in
      let made = lines ?? ChangeLines(page, feeds)
      let header: PrintedText = lines == nil ? "\(style.bold(made.header))\n" : ""
      lines = made
      try Output.print("\(header)\(page.map { made.lines($0, style) }.joined())", terminator: "")
    }
  }
}
