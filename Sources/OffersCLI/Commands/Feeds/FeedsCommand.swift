import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

struct FeedsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds",
    abstract: "List, add, check, change and remove feeds.",
    discussion: """
      A feed has a definition: its source, the path of its offers, and the path of each field. \
      Five feeds ship with the program; those that you add are kept in the database, and those of \
      your own YAML file count before both. RSS, Atom, JSON Feed, Google \
      Merchant, Meta and Shopify feeds need no definition: the URL is enough.

      EXAMPLES
        offers feeds
        offers feeds add deals https://example.com/deals.rss
        offers feeds check deals
      """,
    subcommands: [
      FeedsListCommand.self, FeedsAddCommand.self, FeedsShowCommand.self, FeedsEditCommand.self,
      FeedsCheckCommand.self, FeedsGuessCommand.self, FeedsSetCommand.self, FeedsRemoveCommand.self,
      FeedsImportCommand.self, FeedsExportCommand.self,
    ],
    defaultSubcommand: FeedsListCommand.self)
}

struct FeedsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all feeds, subscribed or not.",
    discussion: """
      A feed without a definition is not synced. It is listed if it is subscribed, or while offers or \
      favorites of it are stored: it was removed, comes from an import, or has its definition in \
      another file (--config).
      """)

  @Flag(.json) var json = false
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
    if json { return try Output.print(.json(FeedListing.document(entries, configuration))) }
    try Output.print(.text(FeedListing.table(entries, at: Date())))
    for entry in entries {
      if let note = DefinitionOrigin.conflict(of: entry.name, configuration, file) {
        Output.note(.line(note))
      }
      if let hint = UndefinedFeed.hint(on: entry) {
        Output.note(.line("\(entry.name): \(hint)"))
      }
    }
  }
}

enum FeedListing {
  static func table(_ entries: [FeedSummary], at now: Date) -> String {
    let columns: [Table.Column] = [
      .whole("FEED"), .right("OFFERS"), .whole("LAST SYNC"), .whole("NEXT DUE"),
      Table.Column(title: "SOURCE", isCutInMiddle: true),
    ]
    return Table.text(columns, entries) { entry in
      [
        entry.name,
        (entry.feed?.currentCount ?? entry.former.flatMap { $0.isKept ? $0.currentCount : nil })
          .map { Units.count($0) } ?? "–",
        entry.lastSync(at: now), entry.nextDue(at: now), DisplayText.oneLine(source(of: entry)),
      ]
    }
  }

  /// The source of a feed, with a note if the feed has no definition. For a feed that has neither a
  /// source nor a built-in sample it is the command that sets a source.
  private static func source(of entry: FeedSummary) -> String {
    let isNone =
      entry.known != nil && entry.source == SyncSource.sample.text
      && FeedCatalog.findSample(of: entry.name) == nil
    return isNone ? "none yet: offers sync \(entry.name) --from SOURCE" : entry.nextSource
  }

  static func document(_ entries: [FeedSummary], _ configuration: FeedConfiguration) -> JSONObject {
    let now = Date()
    return [
      "feeds": entries.map { entry in
        JSONObject(members: { $0.writeMembers(of: entry, now: now) }) + [
          "defined": entry.known != nil,
          "defined_in": configuration.findOrigin(of: entry.name)?.rawValue,
        ]
      }
    ]
  }
}

struct FeedsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a feed's definition as YAML.",
    discussion: """
      Says on standard error where the definition is from: your file, the database, or the program. \
      Of several with one name, the first of these counts.

      EXAMPLES
        offers feeds show albums
      """)

  @Argument(help: "The feed.", completion: .feeds) var name: String
  @Flag(help: .hidden) var save = false
  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if save {
      throw ValidationError(
        "--save is gone, since your file is never written. To change a definition: "
          + "offers feeds edit NAME")
    }
  }

  func run() async throws {
    let file = try configuration.path
    let known = try await file.load(from: location.openIfThere(.readOnly))
    let yaml = try known.fetchText(name)
    let origin = known.findOrigin(of: name)
    if json {
      return try Output.print(
        .json(["name": name, "definition": yaml, "defined_in": origin?.rawValue]))
    }
    try Output.printData(yaml, terminator: "")
    Output.note(.line("\(name): \(DefinitionOrigin.words(for: origin, file))"))
    if let note = DefinitionOrigin.conflict(of: name, known, file) { Output.note(.line(note)) }
  }
}

enum DefinitionOrigin {
  /// Where a feed is defined, in words.
  ///
  /// - Parameter origin: nil for a text in the database that is invalid.
  static func words(for origin: FeedConfiguration.Origin?, _ file: SettingPath) -> String {
    switch origin {
    case .file: "defined in \(file.text)"
    case .database: "defined in the database"
    case .shipped: "ships with the program"
    case nil: "defined in the database, but invalid. Correct it: offers feeds edit NAME"
    }
  }

  /// A sentence about a feed with two definitions; nil for any other.
  static func conflict(
    of name: String, _ known: FeedConfiguration, _ file: SettingPath
  ) -> String? {
    guard known.isStoredInVain(name) else { return nil }
    return "\(name) is defined in \(file.text) and in the database; the file's definition counts"
  }
}

/// The texts about a feed that has no definition here: it was removed, comes from an import, or has
/// its definition in another file.
enum UndefinedFeed {
  /// The state of a feed without a definition, and the commands that define or remove it; nil for a feed with
  /// a definition.
  static func hint(on summary: FeedSummary) -> String? {
    guard summary.known == nil else { return nil }
    let name = summary.name
    let what =
      summary.feed != nil
      ? "has no definition here, so it is not synced"
      : "is not subscribed and has no definition here, but \(stored(summary))"
    var remedies = [
      "If another file has its definition, name that file: --config FILE",
      "To define it again: offers feeds add \(name) SOURCE",
    ]
    // After `feeds remove --offers` only favorites are stored, and the command would remove nothing more.
    if summary.feed != nil
      || summary.former.map({ $0.currentCount + $0.goneCount > $0.favoriteCount }) == true
    {
      remedies.append("To remove it: offers feeds remove \(name) --offers")
    }
    return ([what] + remedies).joined(separator: ". ")
  }

  /// The source that a user named for the feed, with hidden values and a note.
  static func source(of summary: FeedSummary) -> String {
    guard let chosen = summary.feed?.chosenSource ?? summary.former?.source else {
      return "no definition"
    }
    return "\(AddressRedaction.hidden(in: chosen)) (no definition)"
  }

  /// The offers and favorites that are stored of a feed without a subscription, such as `12 offers
  /// and 1 favorite of it are stored`.
  private static func stored(_ summary: FeedSummary) -> String {
    guard let former = summary.former else { return "it is known" }
    let offers = former.currentCount + former.goneCount
    let parts = [
      offers > 0 ? Units.count(offers, "offer") : nil,
      former.favoriteCount > 0 ? Units.count(former.favoriteCount, "favorite") : nil,
    ].compactMap(\.self)
    let verb = parts.count == 1 && max(offers, former.favoriteCount) == 1 ? "is" : "are"
    return "\(parts.joined(separator: " and ")) of it \(verb) stored"
  }
}
