import ArgumentParser
import OffersCore
import OffersFeeds

/// `offers feeds set`
struct FeedsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set how often a feed is synced.",
    discussion: """
      The interval is stored in your YAML file, under intervals:, and overrides the one of the \
      feed's definition. The source of a feed is set by: offers sync FEED --from SOURCE

      EXAMPLES
        offers feeds set ibotta --every 2h
        offers feeds set ibotta --every default
      """)

  @Argument(help: "The feed.")
  var name: String

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "The interval, such as 30m, 6h, 1d or 2w; or default, for the one of its definition.",
      valueName: "time"))
  var every: String

  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let file = try configuration.path
    let seconds = every == "default" ? nil : try IntervalText.seconds(parsing: every)
    let didChange = try file.setInterval(seconds, of: name)
    let interval = try file.load().fetch(name).everySeconds ?? FeedDefinition.defaultEverySeconds
    let words = "\(name): every \(IntervalText.text(seconds: interval))"
    try Output.print(.text(didChange ? words : "\(words), as before"))
  }
}
