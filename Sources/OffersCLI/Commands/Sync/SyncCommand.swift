import ArgumentParser
import OffersCore
import OffersSQLite
import OffersSync

/// `offers sync`
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Read feeds into the database.",
    discussion: """
      Without a feed every subscribed one is synced, at first ibotta from its built-in sample. \
      Favorites and what they mark are never removed. When many offers would vanish at once, none \
      is removed until --accept-removals says that it is right.

      EXAMPLES
        offers sync
        offers sync --from https://example.com/offers.json
        curl -s https://example.com/offers.json | offers sync --from -
        offers sync --due --news    what cron runs: silent unless a favorite has news
      """)

  @Argument(
    help: "The feeds to sync (default: every subscribed one).", completion: Completions.feeds)
  var feed: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where to read it from: an http(s) URL, a file, - for standard input, or sample. Remembered "
        + "for the feed once it has worked. {env:NAME} is for definitions.", valueName: "source"))
  var from: String?

  @Flag(name: .long, help: "Remove what the feed no longer has, however much it is.")
  var acceptRemovals = false

  @Flag(name: .long, help: "Sync only what is due, and say nothing of the rest.")
  var due = false

  @Flag(name: .long, help: "Sync at once, also a feed whose server asked to be left alone.")
  var force = false

  @Flag(name: .long, help: "Show what would change, and write nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Say of each feed why it was fetched, skipped or put off.")
  var explain = false

  @Flag(name: .long, help: "Print only what is news about favorites, and what keeps failing.")
  var news = false

  @Flag(
    name: .long, help: "Fetch the images of favorites and of the newest offers, 50 at most, too.")
  var images = false

  @Flag(
    name: .long, help: "Leave the search index to the next sync or search, which makes it anew.")
  var noIndex = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @Flag(name: .long, help: "Print errors only.")
  var quiet = false

  @OptionGroup var network: NetworkOptions
  @OptionGroup var logging: LogOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if from != nil && feed.count > 1 {
      throw ValidationError("--from names the source of one feed; name just that feed.")
    }
    if due && force { throw ValidationError("--due and --force contradict each other.") }
    if images && dryRun {
      throw ValidationError("--images needs a sync that is not a --dry-run.")
    }
    if news && dryRun { throw ValidationError("--news needs a sync that is not a --dry-run.") }
  }

  func run() async throws {
    var job = SyncJob(
      feeds: feed, source: from, databasePath: try location.path,
      configurationPath: try configuration.path)
    job.acceptsRemovals = acceptRemovals
    job.reason = force ? .forced : due ? .due : .asked
    job.isTrial = dryRun
    job.explains = explain
    job.isNews = news
    job.fetchesImages = images
    job.isIndexed = !noIndex
    job.isJSON = json
    job.isQuiet = quiet
    job.allowsPrivateNetwork = network.allowPrivateNetwork
    job.log = logging.log
    try await job.run()
  }
}
