import ArgumentParser
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync

/// A sync of feeds as a person asked for it, with what is printed of it.
struct SyncJob: Sendable {
  /// Empty for every subscribed one.
  let feeds: [String]
  /// Where to read the one feed from; nil for where it was read from last.
  let source: String?
  let acceptsRemovals: Bool
  let isJSON: Bool
  let isQuiet: Bool
  let databasePath: String
  let configurationPath: ConfigurationOptions.Path

  /// - Throws: an exit code when a feed failed, whose error has been printed then; `OffersError`
  ///   for what keeps all from being synced.
  func run() async throws {
    let configuration = try configurationPath.load()
    let database = try OffersDatabase(path: databasePath, access: .readWrite)
    let engine = SyncEngine(store: database, configuration: configuration)
    var feeds = feeds
    if feeds.isEmpty {
      feeds = source == nil ? try await database.fetchSubscribedFeeds() : ["ibotta"]
    }
    var seen: Set<String> = []
    feeds.removeAll { !seen.insert($0).inserted }
    let bar = ProgressBar(isEnabled: !isQuiet && !isJSON)
    var runs: [SyncRun] = []
    var failures: [OffersError] = []
    for feed in feeds {
      do {
        let run = try await engine.sync(
          feed, options: SyncOptions(source: source, acceptsRemovals: acceptsRemovals),
          progress: { bar.show($0) })
        bar.clear()
        runs.append(run)
        if let error = run.error { failures.append(error) }
        report(run, configuration)
      } catch let error as OffersError {
        bar.clear()
        failures.append(error)
        runs.append(SyncReport.unmade(feed: feed, source: source ?? "", error: error))
        Output.error(error, feed: error.code == .notFound ? nil : feed)
      }
    }
    if isJSON { Output.print(SyncReport.json(runs)) }
    if let code = ExitStatus.code(forFailures: failures, of: feeds.count) { throw code }
  }

  private func report(_ run: SyncRun, _ configuration: FeedConfiguration) {
    if !isQuiet && !isJSON && run.outcome != .failed { Output.print(SyncReport.line(run)) }
    if let error = run.error { Output.error(error, feed: run.feed) }
    if isQuiet || run.outcome == .failed { return }
    for line in SyncReport.problemLines(run) { Output.note(line) }
    if run.source == "sample" && run.error == nil && !isJSON {
      let isElsewhere = (try? configuration.fetch(run.feed))?.source != nil
      Output.note(
        """
        These are the built-in sample offers. To read \(isElsewhere ? "the feed itself" : "your own feed"):
          offers sync \(run.feed)\(isElsewhere ? "" : " --from URL-OR-FILE")
        """)
    }
  }
}
