import ArgumentParser
import OffersCore
import OffersFeeds

/// `offers feeds set`
struct FeedsSetCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set how often a feed is synced, and the currency of its amounts.",
    usage: "offers feeds set <name> [--every <time>] [--currency <code>] [<options>]",
    discussion: """
      Both are kept in the database, and override those of the feed's definition; intervals: and \
      currencies: in your own YAML file override them. The currency is that of amounts which do not state one; the next sync reads \
      the feed again with it. The source of a feed is set by: offers sync FEED --from SOURCE

      EXAMPLES
        offers feeds set ibotta --every 2h
        offers feeds set ibotta --every default
        offers feeds set shop --currency USD
      """)

  @Argument(help: "The feed.")
  var name: String

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "The interval, such as 30m, 6h, 1d or 2w; or default, for the one of its definition.",
      valueName: "time"))
  var every: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The currency, such as USD; or default, for the one of its definition.", valueName: "code"))
  var currency: String?

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if every == nil, currency == nil {
      throw ValidationError("Name what to set: --every TIME or --currency CODE.")
    }
  }

  var logEntry: LogEntry? { LogEntry("feed changed", ["feed": name]) }

  func run() async throws {
    let file = try configuration.path
    var settings: [FeedSetting] = []
    if let every {
      settings.append(
        .everySeconds(every == "default" ? nil : try IntervalText.seconds(parsing: every)))
    }
    if let currency { settings.append(.currency(currency == "default" ? nil : currency)) }
    for setting in settings { try setting.check() }
    _ = try await file.load(from: location.openIfThere(.readOnly)).fetch(name)
    // An unknown feed and an invalid value create no database.
    let own = OwnFeeds(file: file, database: try await location.open(.readWrite))
    let didChange = try await own.set(settings, of: name)
    let feed = try await own.configuration().fetch(name)
    for (setting, didChange) in zip(settings, didChange) {
      let words =
        switch setting {
        case .everySeconds:
          "every "
            + IntervalText.text(seconds: feed.everySeconds ?? FeedDefinition.defaultEverySeconds)
        case .currency: feed.currency.map { "amounts in \($0)" } ?? "amounts without a currency"
        }
      try Output.print(.text("\(name): \(words)" + (didChange ? "" : ", as before")))
    }
  }
}
