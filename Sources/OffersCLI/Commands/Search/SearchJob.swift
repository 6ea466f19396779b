import ArgumentParser
import Foundation
import Glibc
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersSync

/// A search as a person asked for it, with what is printed of it.
struct SearchJob: Sendable {
  /// As typed; empty to see what was searched for last.
  let words: String
  let databasePath: String
  let configurationPath: SettingPath
  var feed: String?
  var favoritesOnly = false
  var limit: Int?
  var page: Int?
  /// Whether to ask a server for all pages.
  var isAll = false
  var isJSON = false
  /// Whether finding nothing is a failure.
  var tellsNothing = false
  var allowsPrivateNetwork = false
  var style = TerminalOptions.style(.auto)
  /// Whether long output goes through a pager on a terminal.
  var isPaged = true

  /// How many offers a page of stored ones has.
  private static let pageSize = 20

  init(words: [String], databasePath: String, configurationPath: SettingPath) {
    self.words = words.joined(separator: " ").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    self.databasePath = databasePath
    self.configurationPath = configurationPath
  }

  /// Runs a search that needs no server, on the calling thread.
  ///
  /// - Returns: false when a server is to be asked; then `run` does it.
  func runStored() throws -> Bool {
    if words.isEmpty {
      try listRecent()
      return true
    }
    if let number = Self.number(in: words) {
      return try repeating(number).runStored()
    }
    if try findServer() != nil { return false }
    if isAll {
      throw OffersError(
        .invalidRequest, "--all is for feeds whose server searches; name one with --feed.",
        hint: "For more of what is stored use --limit or --page.")
    }
    let database = try OffersDatabase(path: databasePath, access: .readOnly)
    let results = try UnsyncedFeed.explaining(feed, configurationPath) {
      try search(query, database)
    }
    try finish(
      SearchReport(
        answer: SearchAnswer(
          words: words, feed: feed, page: page ?? 1, source: .store, results: results)),
      database)
    // Closing what the end of the process closes anyway takes longer than a search does.
    withExtendedLifetime(database) { Glibc.exit(0) }
  }

  /// Lets the feed's server search; what is stored stands in for one that cannot be asked.
  func run() async throws {
    if let number = Self.number(in: words) { return try await repeating(number).run() }
    guard let feed, let configuration = try findServer() else { return }
    let database = try OffersDatabase(path: databasePath, access: .readWrite)
    let bar = ProgressBar(isEnabled: !isJSON)
    var foundCount = 0
    let answer = try await SearchAnswer.ask(serverFor: query, limit: limit, in: database) {
      let found = try await askServer(of: feed, configuration, database, bar)
      foundCount = found.offers.count
      return found
    } _: {
      bar.clear()
      return try search($0, database)
    }
    bar.clear()
    let isCut = answer.source == .server && limit.map { $0 < foundCount } ?? false
    try finish(SearchReport(answer: answer, isCut: isCut), database)
  }

  private func askServer(
    of feed: String, _ configuration: FeedConfiguration, _ database: OffersDatabase,
    _ bar: ProgressBar
  ) async throws -> ServerSearch {
    var options = SyncOptions(allowsPrivateNetwork: allowsPrivateNetwork)
    options.lockWaitSeconds = 2
    return try await SyncEngine(store: database, configuration: configuration).search(
      feed, for: words, page: isAll ? nil : page ?? 1, options: options,
      progress: { bar.show($0) })
  }

  private var query: SearchQuery {
    SearchQuery(
      words, feed: feed, favoritesOnly: favoritesOnly, limit: limit ?? Self.pageSize,
      page: page ?? 1)
  }

  private func search(_ query: SearchQuery, _ database: OffersDatabase) throws -> SearchResults {
    try database.searchBlocking(query) {
      if Terminal.isError { Output.note("Building the search index …") }
    }
  }

  private func finish(_ report: SearchReport, _ database: OffersDatabase) throws {
    for note in report.notes { Output.note(note) }
    if !report.results.hits.isEmpty {
      // Whoever reads the output may stop at the first line. A database that cannot be written to
      // only forgets the words.
      try? database.noteSearchBlocking(
        RecentSearch(words: report.answer.foundWords, feed: feed, searchedAt: Date()))
    }
    if isJSON {
      Output.print(report.json)
    } else if !report.results.hits.isEmpty {
      let table = report.table(width: Terminal.width, style)
      try PagedOptions.show(isPaged: isPaged) { Output.printRaw(table) }
      if let more = report.more { Output.note(more) }
    }
    if !report.results.hits.isEmpty { return }
    if let error = report.answer.error { throw ExitStatus.code(for: error) }
    if tellsNothing { throw ExitStatus.notFound }
  }

  /// The shipped feeds and a person's own, where the server of the one that is named searches.
  private func findServer() throws -> FeedConfiguration? {
    guard let feed = query.serverFeed else { return nil }
    let configuration = try configurationPath.load()
    // A feed that has no definition any more may have left offers behind.
    guard let definition = try? configuration.fetch(feed), definition.search != nil else {
      return nil
    }
    return configuration
  }
}

/// What was searched for before.
extension SearchJob {
  /// 3 for `3!`.
  static func number(in words: String) -> Int? {
    guard words.hasSuffix("!"), words.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(words.dropLast())
  }

  /// The search of that number, with the options of this one.
  private func repeating(_ number: Int) throws -> SearchJob {
    let searches = try fetchRecent()
    guard searches.indices.contains(number - 1) else {
      throw OffersError(
        .notFound, "There is no search number \(number).",
        hint: searches.isEmpty
          ? "None is kept yet." : "See the \(searches.count) that are kept: offers search")
    }
    let search = searches[number - 1]
    var job = SearchJob(
      words: [search.words], databasePath: databasePath, configurationPath: configurationPath)
    job.feed = feed ?? search.feed
    job.favoritesOnly = favoritesOnly
    job.limit = limit
    job.page = page
    job.isAll = isAll
    job.isJSON = isJSON
    job.tellsNothing = tellsNothing
    job.allowsPrivateNetwork = allowsPrivateNetwork
    job.style = style
    job.isPaged = isPaged
    return job
  }

  private func fetchRecent() throws -> [RecentSearch] {
    try OffersDatabase(path: databasePath, access: .readOnly).fetchRecentSearchesBlocking()
  }

  private func listRecent() throws {
    let searches = try fetchRecent()
    if isJSON {
      Output.print(Self.json(searches))
      return
    }
    guard !searches.isEmpty else {
      Output.note("No searches yet. Find offers by their words: offers search WORDS")
      return
    }
    let rows = searches.enumerated().map { index, search in
      [
        "\(index + 1)!", search.feed ?? "–", DisplayText.oneLine(search.words),
      ]
    }
    let table = Table(
      columns: [
        Table.Column(title: "NO", isWhole: true), Table.Column(title: "FEED", isWhole: true),
        Table.Column(title: "WORDS"),
      ], sample: rows, totalWidth: Terminal.width)
    Output.printRaw(table.header + "\n" + rows.map { table.line($0) + "\n" }.joined())
  }

  /// `{"searches":[{"number","words","feed","searched_at"}]}`
  private static func json(_ searches: [RecentSearch]) -> String {
    var json = JSONWriter()
    json.value(searches)
    return json.text
  }
}
