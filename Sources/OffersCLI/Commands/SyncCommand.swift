import ArgumentParser
import OffersCore
import OffersStore
import OffersSync

/// `offers sync`
struct SyncCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Read feeds into the database.",
    discussion: """
      Without a feed every subscribed one is synced, at first ibotta from its built-in sample.
      Favorites and what they mark are never removed. When many offers would vanish at once, none
      is removed until --accept-removals says that it is right.

      EXAMPLES
        offers sync
        offers sync --from https://example.com/offers.json
        curl -s https://example.com/offers.json | offers sync --from -
      """)

  @Argument(help: "The feeds to sync (default: every subscribed one).")
  var feed: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where to read it from: an http(s) URL, a file, - for standard input, or sample. Remembered "
        + "for the feed once it has worked.", valueName: "source"))
  var from: String?

  @Flag(name: .long, help: "Remove what the feed no longer has, however much it is.")
  var acceptRemovals = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @Flag(name: .long, help: "Print errors only.")
  var quiet = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if from != nil && feed.count > 1 {
      throw ValidationError("--from names the source of one feed; name just that feed.")
    }
  }

  func run() async throws {
    try await SyncJob(
      feeds: feed, source: from, acceptsRemovals: acceptRemovals, isJSON: json, isQuiet: quiet,
      databasePath: location.path, configurationPath: configuration.path
    ).run()
  }

  /// The job that the plain form asks for; nil for whatever else there is to say.
  static func job(plainWords words: ArraySlice<String>) throws -> SyncJob? {
    guard
      let plain = PlainWords(
        words, command: "sync", flags: ["--accept-removals", "--json", "--quiet"],
        options: ["--from", "--database", "--config"]),
      plain["--from"] == nil || plain.names.count <= 1
    else { return nil }
    return SyncJob(
      feeds: plain.names, source: plain["--from"],
      acceptsRemovals: plain.flags.contains("--accept-removals"),
      isJSON: plain.flags.contains("--json"), isQuiet: plain.flags.contains("--quiet"),
      databasePath: try DatabaseOptions.path(named: plain["--database"]),
      configurationPath: try ConfigurationOptions.path(named: plain["--config"]))
  }
}
