import ArgumentParser
import OffersCore

/// `offers list`
struct ListCommand: ParsableCommand {
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
      "This page, from 1, of --limit offers (\(ListJob.usualPageSize) without one).", valueName: "n"
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

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if let page, page < 1 { throw ValidationError("--page must be at least 1.") }
    if json, let format, format != "json" {
      throw ValidationError(
        "--json and --format \(DisplayText.oneLine(format)) exclude each other.")
    }
  }

  func run() throws {
    var job = ListJob(filters.selection, databasePath: try location.path)
    job.sort = sort
    job.isReversed = reverse
    job.limit = limit
    job.page = page
    job.columns = columns
    job.format = json ? "json" : format
    job.style = paged.terminal.style
    job.isPaged = !paged.noPager
    try job.run()
  }

  /// Lists offers in its plain form without the parser.
  ///
  /// - Returns: false for whatever else there is to say; the parser then says it.
  static func run(plainWords words: ArraySlice<String>) throws -> Bool {
    guard
      let plain = PlainWords(
        words, command: "list",
        flags: ["--favorites", "--gone", "--reverse", "--json", "--no-pager"],
        options: [
          "--feed", "--retailer", "--category", "--reward-at-least", "--new-since", "--expiring",
          "--sort", "--limit", "--page", "--columns", "--format", "--database",
        ]),
      plain.names.isEmpty
    else { return false }
    let isJSON = plain.flags.contains("--json")
    if isJSON, plain["--format"] != nil { return false }
    let selection = ListSelection(
      feed: plain["--feed"], favoritesOnly: plain.flags.contains("--favorites"),
      goneOnly: plain.flags.contains("--gone"), retailer: plain["--retailer"],
      category: plain["--category"], rewardAtLeast: plain["--reward-at-least"],
      newSince: plain["--new-since"], expiring: plain["--expiring"])
    var job = ListJob(selection, databasePath: try DatabaseOptions.path(named: plain["--database"]))
    for option in ["--limit", "--page"] {
      guard let text = plain[option] else { continue }
      guard let number = Int(text), number > 0 else { return false }
      if option == "--limit" { job.limit = number } else { job.page = number }
    }
    job.sort = plain["--sort"] ?? job.sort
    job.isReversed = plain.flags.contains("--reverse")
    job.columns = plain["--columns"]
    job.format = isJSON ? "json" : plain["--format"]
    job.isPaged = !plain.flags.contains("--no-pager")
    try job.run()
    return true
  }
}
