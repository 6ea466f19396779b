import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersStore
import OffersSync

/// The import of a list of feeds: those on different hosts at once, those on one host one after another.
///
/// A feed is stored with its subscription and synced before the next one of its host, so that an interruption costs
/// no more than what is under way.
struct FeedListImport: Sendable {
  let own: OwnFeeds
  /// The definitions before the import.
  let known: FeedConfiguration
  let connections: HTTPConnections
  let tally: ImportTally
  /// The options of reading and syncing a feed. They are the same, so that its documents are loaded once.
  private let options: SyncOptions

  /// The most hosts that are read at once.
  private static let hostLimit = 8
  /// The limits of each of the looks at a feed, in seconds.
  private static let lookSeconds = (idle: Int64(20), total: 60.0)

  init(
    own: OwnFeeds, known: FeedConfiguration, connections: HTTPConnections, options: SyncOptions,
    tally: ImportTally
  ) {
    (self.own, self.known, self.connections, self.tally) = (own, known, connections, tally)
    var options = options
    options.limits.idleSeconds = Self.lookSeconds.idle
    options.limits.totalSeconds = Self.lookSeconds.total
    self.options = options
  }

  /// A feed of the list that is to be added.
  struct Entry: Sendable {
    /// The title on one line.
    let title: String
    let address: String
    /// The name that the feed gets.
    let name: String
  }

  /// Adds the feeds, and prints a line for each, and one for all of them.
  ///
  /// - Throws: `ExitStatus.someFailed` if a feed could not be added or synced; `CancellationError`.
  func add(_ feeds: [OPML.Feed]) async throws {
    let begun = ContinuousClock.now
    var waiting = await chains(of: feeds)[...]
    try await withThrowingTaskGroup(of: Void.self) { group in
      func start() {
        guard let chain = waiting.popFirst() else { return }
        group.addTask { for entry in chain { try await add(entry) } }
      }
      for _ in 0..<Self.hostLimit { start() }
      while try await group.next() != nil { start() }
    }
    try await own.database.prepareSearch()
    try await tally.finish(seconds: (.now - begun) / .seconds(1))
  }

  /// The feeds to add, those of one host together. A feed that is listed several times keeps its name.
  private func chains(of feeds: [OPML.Feed]) async -> [[Entry]] {
    var chains: [[Entry]] = []
    var places: [String: Int] = [:]
    var names: [String: String] = [:]
    var taken = await tally.names
    for feed in feeds {
      let title = DisplayText.oneLine(feed.title.isEmpty ? feed.address : feed.title)
      do {
        let address = try Self.address(of: feed)
        let text = feed.title.isEmpty ? address : feed.title
        let name =
          names[address] ?? FeedName.suggestion(for: text, besides: taken)
          ?? FeedName.suggestion(for: "feed", besides: taken) ?? "feed"
        let isKnown = await tally.isKnown(title, at: address)
        if isKnown { continue }
        taken.insert(name)
        names[address] = name
        let host = HTTPOrigin(address)?.hostAndPort ?? address
        let place = places[host] ?? chains.count
        if place == chains.count { chains.append([]) }
        places[host] = place
        chains[place].append(Entry(title: title, address: address, name: name))
      } catch {
        await tally.noteFailure(of: title, OffersError(error))
      }
    }
    return chains
  }

  /// The address of a feed, which a list may not lead to a file or give a variable.
  private static func address(of feed: OPML.Feed) throws -> String {
    let sources = try PastedAddress(feed.address, isFile: nil).sources
    guard let address = sources.first, address.contains("://"), !address.contains("{") else {
      throw OffersError(
        .invalidRequest, "“\(feed.address.prefix(200))” is not an http:// or https:// address.")
    }
    return address
  }

  private func add(_ entry: Entry) async throws {
    try Task.checkCancellation()
    if await tally.isKnown(entry.title, at: entry.address) { return }
    // Its documents are kept in memory until the feed is synced.
    let guess = FeedGuess(over: connections)
    let added: FeedDefinition
    do {
      let definition = try await definition(of: entry, guess)
      let found = definition.source?.description ?? entry.address
      if await tally.isKnown(entry.title, at: found) { return }
      try await own.store(definition, subscribing: true)
      LogEntry("feed added", ["feed": entry.name]).send()
      await tally.noteAddition(of: entry, source: found)
      added = definition
    } catch let error as OffersError where error.code != .cancelled {
      return await tally.noteFailure(of: entry.title, error)
    }
    try await sync(added, guess)
  }

  private func definition(of entry: Entry, _ guess: FeedGuess) async throws -> FeedDefinition {
    var proposal = try await guess.propose(
      FeedGuess.Request(name: entry.name, source: entry.address, options: options))
    try await guess.addPages(to: &proposal, options)
    _ = try await guess.check(
      proposal.definition, of: proposal.kind, firstCount: 0, options: options)
    return proposal.definition
  }

  private func sync(_ definition: FeedDefinition, _ guess: FeedGuess) async throws {
    let stored = StoredDefinition(
      feed: definition.name, text: DefinitionText.yaml(for: definition))
    let engine = SyncEngine(
      store: own.database, transport: .shared(guess.transport),
      configuration: known.including([stored]), environment: ProcessContext.findVariable,
      logger: Log().logger, now: { Date() })
    let run: SyncRun
    do {
      run = try await engine.run(definition.name, options: options)
    } catch {
      if error.code == .cancelled { throw error }
      return await tally.noteSyncFailure(of: definition.name, error)
    }
    try await tally.note(run, definition.presentation.noun)
    if try await CurrencyQuestion.isNew(in: run, own.database) {
      Output.note(.line(CurrencyQuestion.question(of: run.feed)))
    }
  }
}

/// The results of an import. Its tasks print through it, one at a time.
actor ImportTally {
  /// The names of all feeds, and by their addresses.
  private(set) var names: Set<String>
  private var namesByAddress: [String: String] = [:]
  private var runs: [SyncRun] = []
  private var addedCount = 0
  private var failedCount = 0
  private var hasUnsynced = false

  /// - Parameter entries: the feeds before the import.
  init(_ entries: [FeedSummary]) {
    names = Set(entries.map(\.name))
    for entry in entries where namesByAddress[entry.source] == nil {
      namesByAddress[entry.source] = entry.name
    }
  }

  /// Whether there is a feed with an address already, which is told.
  func isKnown(_ title: String, at address: String) -> Bool {
    guard let name = namesByAddress[address] else { return false }
    Output.note(.line("\(title): is there already, as \(name)"))
    return true
  }

  func noteAddition(of entry: FeedListImport.Entry, source: String) {
    namesByAddress[entry.address] = entry.name
    namesByAddress[source] = entry.name
    addedCount += 1
    Output.note(.line("\(entry.title): added as \(entry.name)"))
  }

  func noteFailure(of title: String, _ error: OffersError) {
    failedCount += 1
    Output.note(.line("\(title): not added. \(DisplayText.oneLine(error.message))"))
  }

  func note(_ run: SyncRun, _ noun: OfferNoun) throws {
    runs.append(run)
    if let error = run.error { return noteSyncFailure(of: run.feed, error) }
    try Output.print(.text(SyncReport.line(run, noun, isShort: true)))
  }

  func noteSyncFailure(of feed: String, _ error: OffersError) {
    hasUnsynced = true
    Output.error(error, feed: feed)
  }

  /// Prints the totals.
  ///
  /// - Throws: `ExitStatus.someFailed` if a feed could not be added or synced.
  func finish(seconds: Double) throws {
    let failed = failedCount > 0 ? ", not added \(Units.count(failedCount))" : ""
    Output.note(.line("Added \(Units.count(addedCount, "feed"))\(failed)"))
    if runs.count > 1, let total = SyncReport.total(runs, seconds: seconds) {
      try Output.print(.text(total))
    }
    if failedCount > 0 || hasUnsynced { throw ExitStatus.someFailed }
  }
}
