import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersStore
import OffersSync

/// A sync of feeds that prints its results, for `offers sync` and `offers feeds add`.
struct PrintedSync: Sendable {
  /// The names of the feeds. If it is empty, all subscribed feeds are synced, or only
  /// `Feed.initialName` if there is a `source`.
  let feeds: [String]
  let place: any StorePlace
  let configurationPath: SettingPath
  /// The user whose favorites the news are about.
  let user: UserChoice
  /// The options of the sync. A source is for a single feed.
  var options = SyncOptions()
  /// Whether to show what would change, and write nothing.
  var isTrial = false
  /// Whether to print why each feed was fetched or skipped.
  var explains = false
  /// Whether to print only the news about favorites and failing feeds.
  var printsOnlyNews = false
  /// Whether to fetch images after the sync.
  var fetchesImages = false
  var isJSON = false
  var isQuiet = false
  /// The transport of a caller that has loaded the document before; nil to open connections.
  var transport: (any HTTPTransport)?
  var log = Log()

  /// The definitions by which the feeds are synced.
  private var configuration = FeedConfiguration.shipped
  private var results = Results()

  init(
    feeds: [String], place: any StorePlace, configurationPath: SettingPath, user: UserChoice
  ) {
    self.feeds = feeds
    self.place = place
    self.configurationPath = configurationPath
    self.user = user
    options.fallbackSource = FeedSummary.fallbackSource
  }

  /// The results of the feeds that are finished, and of fetching images.
  private struct Results {
    var runs: [SyncRun] = []
    var changes: [OfferChange] = []
    var failures: [OffersError] = []
    var images: FetchedImages?
    /// Whether there are several feeds, so that a feed without news has no line, and all of them have one.
    var isMany = false
    let begun = ContinuousClock.now
    /// The error that printing a result of a feed threw; nil for none.
    var outputError: (any Error)?
  }

  /// Syncs the feeds and prints the results.
  ///
  /// - Throws: `ExitCode` if feeds failed, whose errors have been printed unless only news are;
  ///   otherwise the error that kept the whole sync from its end, such as `OffersError` for a
  ///   database that cannot be opened.
  mutating func run() async throws {
    // Invalid definitions create no database.
    let own = try configurationPath.load()
    let bar = ProgressBar(isEnabled: isForPeople)
    try user.check(place)
    // A trial creates no database. If there is none, it compares with an empty store.
    let opened = try await isTrial ? place.openExisting(.readWrite) : place.open(.readWrite)
    let database: OffersDatabase? =
      if let opened { try await user.bind(opened) } else { nil }
    configuration = own.including(try await database?.fetchDefinitions() ?? [])
    let store = if let database { database } else { try await StoreLocation.inMemory() }
    let engine = SyncEngine(
      store: store,
      transport: transport.map { .shared($0) }
        ?? .owned { HTTPConnections(environment: ProcessContext.findVariable) },
      configuration: configuration, environment: ProcessContext.findVariable,
      logger: log.logger, now: { Date() })
    let names = try names(subscribed: try await store.fetchSubscribedFeeds())
    results.isMany = names.count > 1
    if names.isEmpty, options.reason != .due, isForPeople {
      Output.note("No feed is subscribed. See all feeds: offers feeds")
    }
    if let database, !isTrial {
      try await sync(names, engine, database, bar)
    } else {
      for name in names {
        try await preview(name, engine, bar)
      }
      try finish()
    }
    if let code = ExitStatus.code(forFailures: results.failures, of: names.count) { throw code }
  }

  private mutating func sync(
    _ names: [String], _ engine: SyncEngine, _ database: OffersDatabase, _ bar: ProgressBar
  ) async throws {
    let feeds = try await database.fetchPresentations(try configuration.knownFeeds())
    let news = printsOnlyNews ? try await NewsReport(database, feeds) : nil
    let lastNotice = try await database.fetchNotices(limit: 1).first?.id ?? 0
    // On a terminal the favorites that changed come first, so the results wait for all feeds.
    let favorites = Terminal.isOutput && isForPeople ? try await FavoriteNews(database, feeds) : nil
    var waiting: [(feed: String, result: Result<SyncRun, OffersError>)] = []
    func add(_ feed: String, _ result: Result<SyncRun, OffersError>) {
      do {
        try self.add(feed, result)
      } catch {
        // The other feeds are synced even if a result cannot be printed.
        results.outputError = error
      }
    }
    do {
      try await engine.run(
        names, options: options, progress: { bar.show($0) },
        finished: { feed, result in
          bar.clear()
          if favorites == nil { add(feed, result) } else { waiting.append((feed, result)) }
        })
    } catch {
      for (feed, result) in waiting { add(feed, result) }
      throw error
    }
    for line in try await favorites?.fetchLines() ?? [] { try Output.print(.text(line)) }
    for (feed, result) in waiting { add(feed, result) }
    if isForPeople {
      for run in results.runs where try await CurrencyQuestion.isNew(in: run, database) {
        Output.note(.line(CurrencyQuestion.question(of: run.feed)))
      }
    }
    // An earlier sync with `--no-index` may have left the index outdated, and a sync that changes
    // no offer does not update it.
    if options.isIndexed { try await database.prepareSearch() }
    // Notices are delivered first, as fetching images or printing results may fail.
    let notices = try await deliver(database, after: lastNotice)
    if fetchesImages {
      results.images = try await fetchImages(into: database, bar)
    }
    if let error = results.outputError { throw error }
    if isForPeople {
      // Several watches may tell the same.
      var told: Set<String> = []
      for notice in notices where notice.watchID != nil && told.insert(notice.line).inserted {
        let lines = DisplayText.hanging("", notice.line, indent: 2, width: Terminal.width)
        for line in lines { try Output.print(.text(line)) }
      }
      NoticeLines.noteCut(
        notices.count, of: try await database.countNotices(after: lastNotice),
        command: "offers notices --limit")
    }
    if let news {
      try await news.report(isJSON: isJSON)
    } else {
      try finish()
    }
  }

  /// Writes the notices that are due as time passes, and delivers what waits. A failed delivery does not fail the sync:
  /// it is tried again.
  ///
  /// - Returns: the notices of the user since one.
  private func deliver(
    _ database: OffersDatabase, after last: Notice.ID
  ) async throws -> [Notice] {
    do {
      try await database.lookAtWatches(FilterTextParser())
      if try await !database.fetchDueChannels(at: Date()).isEmpty {
        let summary = try await NoticeServices.delivery(for: database).run()
        for failure in summary.failures where failure.user == database.user {
          // Cron would mail the other failures after each sync.
          if !isQuiet, !isJSON, failure.isFinal || !printsOnlyNews {
            Output.note(.line(failure.line))
          }
        }
      }
    } catch let error as OffersError where error.code != .cancelled {
      if !isQuiet, !isJSON { Output.error(error) }
    }
    return try await database.fetchNotices(after: last, limit: Self.printedNotices).reversed()
  }

  /// The most notices that a sync prints.
  private static let printedNotices = 100

  /// Whether the results are told as they come, and not only in a document, as news or as errors.
  private var isForPeople: Bool { !isQuiet && !isJSON && !printsOnlyNews }

  private func finish() throws {
    let total = SyncReport.total(
      results.runs, seconds: (.now - results.begun) / .seconds(1), isTrial: isTrial)
    if results.isMany, !isQuiet, !isJSON, let total { try Output.print(.text(total)) }
    // One error for all feeds.
    if results.isMany, let error = results.failures.first(where: { $0.code == .noNetwork }) {
      Output.error(error)
    }
    if isJSON {
      let feeds = FeedPresentations(try configuration.knownFeeds())
      let document = SyncReport.document(
        results.runs, explains: explains, isTrial ? results.changes : nil, results.images)
      try Output.print(.json(document, pricedFeeds: feeds.pricedFeeds))
    }
  }

  /// Fetches images and prints the result. A failed image does not fail the sync, because the
  /// offers are stored.
  private func fetchImages(
    into database: OffersDatabase, _ bar: ProgressBar
  ) async throws -> FetchedImages {
    let allowsPrivateNetwork = options.allowsPrivateNetwork || configuration.allowsPrivateNetwork
    let offers = try await database.fetchOffersWithWantedImages()
    let result = try await ImageLoader.withLoader(
      database, allowsPrivateNetwork: allowsPrivateNetwork
    ) {
      defer { bar.clear() }
      return try await $0.fetchAhead(offers, feeds: database) { bar.show(images: $0, of: $1) }
    }
    if !isForPeople { return result }
    try Output.print(.text(result.line))
    for line in result.hintLines { Output.note(.text(line)) }
    return result
  }

  private func names(subscribed: [String]) throws -> [String] {
    if feeds.isEmpty {
      if options.source != nil { return [Feed.initialName] }
      // Without the file that the user named, the user's own feeds would silently not be synced.
      if configuration.absentFile != nil {
        for feed in subscribed { _ = try configuration.fetch(feed) }
      }
      // Feeds without a definition are reported by `offers status`, not by every sync.
      return subscribed.filter { configuration.names.contains($0) }
    }
    var seen: Set<String> = []
    return feeds.filter { seen.insert($0).inserted }
  }

  private mutating func preview(
    _ feed: String, _ engine: SyncEngine, _ bar: ProgressBar
  ) async throws {
    let preview: (run: SyncRun, changes: [OfferChange])
    do {
      defer { bar.clear() }
      preview = try await engine.runTrial(feed, options: options, progress: { bar.show($0) })
    } catch {
      if error.code == .cancelled { throw error }
      return try add(feed, .failure(error))
    }
    try add(feed, .success(preview.run))
    results.changes += preview.changes
    if isJSON || isQuiet || preview.changes.isEmpty { return }
    let lines = ChangeLines(
      preview.changes, FeedPresentations(try configuration.knownFeeds()))
    try Output.print(
      "\(lines.header)\n\(preview.changes.map { lines.lines($0) }.joined())", terminator: "")
  }

  /// Adds the result of a feed, and prints it unless only news are printed.
  private mutating func add(_ feed: String, _ result: Result<SyncRun, OffersError>) throws {
    switch result {
    case .success(let run):
      results.runs.append(run)
      if let error = run.error, !isPutOff(error) { results.failures.append(error) }
      if !printsOnlyNews { try report(run) }
    case .failure(let error):
      results.failures.append(error)
      results.runs.append(
        SyncReport.unmade(feed: feed, source: options.source?.text ?? "", error: error))
      if !printsOnlyNews { Output.error(error, feed: error.code == .notFound ? nil : feed) }
    }
  }

  /// Whether a feed stays due because there is no network, which a scheduled sync passes over like a feed
  /// that is not due.
  private func isPutOff(_ error: OffersError) -> Bool {
    error.code == .noNetwork && options.reason == .due
  }

  private func report(_ run: SyncRun) throws {
    let isMany = results.isMany
    let isSilent = isQuiet || isJSON
    if run.skip != nil {
      // With `--due`, a feed that was not fetched is reported only if `--explain` is given.
      if !isSilent, explains || options.reason != .due {
        try Output.print(.text(SyncReport.line(run)))
      }
      return
    }
    let noun = try configuration.find(run.feed)?.presentation.noun ?? .offer
    if !isSilent, run.outcome != .failed,
      !isMany || isTrial || explains || SyncReport.isNotable(run)
    {
      try Output.print(.text(SyncReport.line(run, noun, isTrial: isTrial, isShort: isMany)))
    }
    if let error = run.error, !isPutOff(error), !isMany || error.code != .noNetwork {
      Output.error(error, feed: run.feed)
    }
    if !isSilent, explains { try Output.print("  \(SyncReport.explanation(run))") }
    if isQuiet || run.outcome == .failed { return }
    if let text = SyncReport.keptText(run.keptCount, of: run.feed, noun) {
      Output.note(.line("  " + text))
    }
    if let line = SyncReport.heldLine(run, noun) { Output.note(.line(line)) }
    for line in SyncReport.problemLines(run) + SyncReport.returnedLines(run) {
      Output.note(.text(line))
    }
    if run.source == SyncSource.sample.text && run.error == nil && !isJSON {
      let isElsewhere = (try? configuration.fetch(run.feed))?.source != nil
      Output.note(
        """
        These are the built-in sample offers. To read \(isElsewhere ? "the feed itself" : "your own feed"):
          offers sync \(run.feed)\(isElsewhere ? "" : " --from URL-OR-FILE")
        """)
    }
  }
}

extension FetchedImages {
  /// The most reasons of failures in the line.
  private static let reasonLimit = 3

  /// A line such as `images: 12 fetched, 38 already cached, 3 failed: albums:1 and 2 more: The server
  /// answered 404`: each distinct reason with the first offer and the number of the others, the most
  /// frequent reason first.
  var line: String {
    let counts =
      "images: \(Units.count(fetched)) fetched, \(Units.count(held)) already cached, "
      + "\(Units.count(failures.count)) failed"
    let reasons = Dictionary(grouping: failures) { $0.error.message }.sorted {
      ($1.value.count, $0.value[0].ref, $0.key) < ($0.value.count, $1.value[0].ref, $1.key)
    }
    if reasons.isEmpty { return counts }
    var parts = reasons.prefix(Self.reasonLimit).map { message, failures in
      let others = failures.count > 1 ? " and \(Units.count(failures.count - 1)) more" : ""
      return
        "\(failures[0].ref)\(others): \(message.hasSuffix(".") ? String(message.dropLast()) : message)"
    }
    let rest = reasons.count - Self.reasonLimit
    if rest > 0 { parts.append("\(Units.count(rest, "other reason")), see offers cache") }
    return DisplayText.oneLine("\(counts): \(parts.joined(separator: "; "))")
  }

  /// A line for each distinct hint of the failures: what to do about them.
  var hintLines: [String] {
    Set(failures.compactMap(\.error.hint?.printed)).sorted().map {
      DisplayText.oneLine("  " + $0)
    }
  }

  var document: JSONObject {
    let failed = failures.map { failure -> JSONObject in
      ["ref": failure.ref.description, "reason": failure.error.message]
    }
    return ["fetched": fetched, "held": held, "failed": failed]
  }
}
