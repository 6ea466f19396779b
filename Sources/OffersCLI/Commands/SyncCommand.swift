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

  func validate() throws {
    if from != nil && feed.count > 1 {
      throw ValidationError("--from names the source of one feed; name just that feed.")
    }
  }

  func run() async throws {
    let database = try location.open(.readWrite)
    let engine = SyncEngine(store: database)
    var feeds = feed
    if feeds.isEmpty {
      feeds = from == nil ? try await database.fetchSubscribedFeeds() : ["ibotta"]
    }
    var seen: Set<String> = []
    feeds.removeAll { !seen.insert($0).inserted }
    let bar = ProgressBar(isEnabled: !quiet && !json)
    var runs: [SyncRun] = []
    var failures: [OffersError] = []
    for feed in feeds {
      do {
        let run = try await engine.sync(
          feed, options: SyncOptions(source: from, acceptsRemovals: acceptRemovals),
          progress: { bar.show($0) })
        bar.clear()
        runs.append(run)
        if let error = run.error { failures.append(error) }
        report(run)
      } catch let error as OffersError {
        bar.clear()
        failures.append(error)
        runs.append(SyncReport.unmade(feed: feed, source: from ?? "", error: error))
        Output.error(error, feed: error.code == .notFound ? nil : feed)
      }
    }
    if json { Output.print(SyncReport.json(runs)) }
    if let code = ExitStatus.code(forFailures: failures, of: feeds.count) { throw code }
  }

  private func report(_ run: SyncRun) {
    if !quiet && !json && run.outcome != .failed { Output.print(SyncReport.line(run)) }
    if let error = run.error { Output.error(error, feed: run.feed) }
    if quiet || run.outcome == .failed { return }
    for line in SyncReport.problemLines(run) { Output.note(line) }
    if run.source == "sample" && run.error == nil && !json {
      Output.note(
        """
        These are the built-in sample offers. To read your own feed:
          offers sync \(run.feed) --from URL-OR-FILE
        """)
    }
  }
}
