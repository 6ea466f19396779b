import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

/// `offers feeds`
struct FeedsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds",
    abstract: "List, add, check, change and remove feeds.",
    discussion: """
      A feed has a definition: its source, the path of its offers, and the path of each field. \
      Five feeds ship with the program; those that you add are kept in the database, and those of \
      your own YAML file count before both. RSS, Atom, JSON Feed, Google \
      Merchant and Shopify feeds need no definition: the URL is enough.

      EXAMPLES
        offers feeds
        offers feeds add deals https://example.com/deals.rss
        offers feeds check deals
      """,
    subcommands: [
      FeedsListCommand.self, FeedsAddCommand.self, FeedsShowCommand.self, FeedsEditCommand.self,
      FeedsCheckCommand.self, FeedsGuessCommand.self, FeedsSetCommand.self, FeedsRemoveCommand.self,
    ],
    defaultSubcommand: FeedsListCommand.self)
}

/// `offers feeds list`
struct FeedsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all feeds, subscribed or not.",
    discussion: """
      A feed without a definition is not synced. It is listed if it is subscribed, or while offers or \
      favorites of it are stored: it was removed, comes from an import, or has its definition in \
      another file (--config).
      """)

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let file = try configuration.path
    // Listing creates no database.
    let database = try await location.openIfThere(.readOnly)
    let configuration = try await file.load(from: database)
    let entries = FeedSummary.all(
      known: try configuration.knownFeeds(), subscribed: try await database?.fetchFeeds() ?? [],
      former: try await database?.fetchFormerFeeds() ?? [], includesKept: true)
    if json { return try Output.printData(FeedListing.json(entries, configuration)) }
    try Output.print(.text(FeedListing.table(entries, at: Date())))
    for entry in entries {
      if let note = DefinitionOrigin.conflict(of: entry.name, configuration, file) {
        Output.note(.line(note))
      }
      if let advice = UndefinedFeed.advice(on: entry) {
        Output.note(.line("\(entry.name): \(advice)"))
      }
    }
  }
}

/// The list of feeds that `offers feeds` prints, as a table or a JSON document.
enum FeedListing {
  static func table(_ entries: [FeedSummary], at now: Date) -> String {
    let columns = [
      Table.Column(title: "FEED", isWhole: true), Table.Column(title: "OFFERS", isRight: true),
      Table.Column(title: "LAST SYNC", isWhole: true),
      Table.Column(title: "NEXT DUE", isWhole: true),
      Table.Column(title: "SOURCE", isCutInMiddle: true),
    ]
    let rows = entries.map { entry in
      [
        entry.name,
        (entry.feed?.currentCount ?? entry.former.flatMap { $0.isKept ? $0.currentCount : nil })
          .map { Units.count($0) } ?? "–",
        entry.lastSync(at: now), entry.nextDue(at: now), DisplayText.oneLine(source(of: entry)),
      ]
    }
    return Table.text(columns, rows)
  }

  /// The source of a feed, with a note if the feed has no definition. For a feed that has neither a
  /// source nor a built-in sample it is the command that sets a source.
  private static func source(of entry: FeedSummary) -> String {
    let isNone =
      entry.known != nil && entry.source == SyncSource.sample.text
      && FeedCatalog.findSample(of: entry.name) == nil
    return isNone ? "none yet: offers sync \(entry.name) --from SOURCE" : entry.nextSource
  }

  /// `{"feeds":[…]}`
  static func json(_ entries: [FeedSummary], _ configuration: FeedConfiguration) -> String {
    let now = Date()
    return JSONWriter.document { json in
      json.member("feeds", objects: entries) { json, entry in
        json.writeMembers(of: entry, now: now)
        json.member("defined", entry.known != nil)
        json.member("defined_in", configuration.findOrigin(of: entry.name)?.rawValue)
      }
    }
  }
}
