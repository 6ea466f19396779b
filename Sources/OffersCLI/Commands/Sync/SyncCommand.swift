import ArgumentParser
import OffersCore
import OffersSync

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Read feeds into the database.",
    discussion: """
      Without a name, all subscribed feeds are synced; at first that is ibotta with its built-in \
      sample. Favorites and their offers are never removed. If many offers would vanish at once, \
      they are held back until a later sync confirms that they are gone.

      EXAMPLES
        offers sync
        offers sync --from https://example.com/offers.json
        curl -s https://example.com/offers.json | offers sync --from -
        offers sync --due --news    as cron runs it: silent unless a favorite has news
      """)

  @Argument(help: "The feeds to sync (default: every subscribed one).", completion: .feeds)
  var feed: [String] = []

  @Option(
    help: .value(
      "source",
      "The source: an http(s) URL, a file, - for standard input, or sample. Remembered for the "
        + "feed once it has worked. {env:NAME} works in definitions only."))
  var from: String?

  @Flag(help: "Remove the offers that the feed no longer has, however many.")
  var acceptRemovals = false

  @Flag(help: "Keep the offers that are held back, until the feed has them again.")
  var keepMissing = false

  @Flag(help: "Sync only the feeds that are due, and do not mention the others.") var due = false
  @Flag(help: "Sync now, even if the server asked for no requests until later.") var force = false
  @Flag(help: "Show what would change, and write nothing.") var dryRun = false
  @Flag(help: "Print why each feed was fetched, skipped or put off.") var explain = false

  @Flag(help: "Print only news about favorites, feeds that keep failing, and offers held back.")
  var news = false

  @Flag(help: "Also fetch images of favorites and of the newest offers, as many as are cached.")
  var images = false

  @Flag(help: "Leave the search index to the next sync or search, which rebuilds it.")
  var noIndex = false

  @Flag(.json) var json = false
  @Flag(help: "Print errors only.") var quiet = false
  @OptionGroup var network: NetworkOptions
  @OptionGroup var logging: LogOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if from != nil && feed.count > 1 {
      throw ValidationError("--from is the source of one feed; name only that feed.")
    }
    if acceptRemovals && keepMissing {
      throw ValidationError("--accept-removals and --keep-missing exclude each other.")
    }
    if due && force { throw ValidationError("--due and --force exclude each other.") }
    if images && dryRun { throw ValidationError("--images and --dry-run exclude each other.") }
    if news && dryRun { throw ValidationError("--news and --dry-run exclude each other.") }
  }

  func run() async throws {
    var job = PrintedSync(
      feeds: feed, place: try location.place, configurationPath: try configuration.path,
      user: try location.choice)
    job.options.source = from.map { SyncSource(typed: $0) }
    job.options.acceptsRemovals = acceptRemovals
    job.options.keepsMissing = keepMissing
    job.options.reason = force ? .forced : due ? .due : .asked
    job.options.isIndexed = !noIndex
    job.options.allowsPrivateNetwork = network.allowPrivateNetwork
    job.isTrial = dryRun
    job.explains = explain
    job.printsOnlyNews = news
    job.fetchesImages = images
    job.isJSON = json
    job.isQuiet = quiet
    job.log = logging.log
    if !due, !dryRun {
      LogEntry("sync started", ["feed": feed.isEmpty ? "all" : feed.joined(separator: ",")]).send()
    }
    try await job.run()
  }
}
