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
      Both are stored in your YAML file, under intervals: and currencies:, and override those of the \
      feed's definition. The currency is that of amounts which do not state one; the next sync reads \
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

  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if every == nil, currency == nil {
      throw ValidationError("Name what to set: --every TIME or --currency CODE.")
    }
  }

  var logEntry: LogEntry? { LogEntry("feed changed", ["feed": name]) }

  func run() async throws {
    let file = try configuration.path
    if let every {
      let seconds = every == "default" ? nil : try IntervalText.seconds(parsing: every)
      let didChange = try file.setInterval(seconds, of: name)
      let interval = try file.load().fetch(name).everySeconds ?? FeedDefinition.defaultEverySeconds
      try report("every \(IntervalText.text(seconds: interval))", didChange)
    }
    if let currency {
      let code = currency == "default" ? nil : currency
      let didChange = try file.setCurrency(code, of: name)
      let present = try file.load().fetch(name).currency
      try report(present.map { "amounts in \($0)" } ?? "amounts without a currency", didChange)
    }
  }

  private func report(_ words: String, _ didChange: Bool) throws {
    let line = "\(name): \(words)"
    try Output.print(.text(didChange ? line : "\(line), as before"))
  }
}
