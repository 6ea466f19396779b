import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersSync

/// `offers search`
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find offers by their words.",
    discussion: """
      Finds what has all of the words in its name, description, terms, retailer, categories or \
      attributes, best first. Case, accents and punctuation do not matter, and the last word may be \
      the beginning of one. When nothing has them, near spellings are tried.

      A feed whose server searches, such as movies, is asked with --feed; what it finds is kept, and \
      what is stored stands in for it without a network.

      Without words it shows the last 10 searches that found something; 3! is the third of them.

      EXAMPLES
        offers search pasta sauce
        offers search coffee --favorites --json
        offers search --feed movies superman --page 2
        offers search 3!
      """)

  /// The `--` that ends the options is one of them.
  @Argument(
    parsing: .allUnrecognized,
    help: "What to look for: any text. Words that begin with -- go behind a --.",
    completion: Completions.searches)
  var words: [String] = []

  @Option(name: .long, help: "Only this feed.", completion: Completions.feeds)
  var feed: String?

  @Flag(name: .long, help: "Only favorites, gone ones too.")
  var favorites = false

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "At most this many on a page, 20 unless given, 1000 at most.", valueName: "n"))
  var limit: Int?

  @Option(
    name: .long, parsing: .unconditional, help: ArgumentHelp("Which page, from 1.", valueName: "n"))
  var page: Int?

  @Flag(name: .long, help: "All pages of a server, as many as the feed's definition allows.")
  var all = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @Flag(name: .long, help: "Exit with 66 when nothing is found.")
  var exitStatus = false

  @OptionGroup var paged: PagedOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  /// How many offers a page may have.
  private static let limitRange = 1...1000
  /// How many offers a page of stored ones has where nobody says.
  private static let usualPageSize = 20

  func validate() throws {
    if let limit, !Self.limitRange.contains(limit) {
      throw ValidationError("--limit must be 1 to \(Self.limitRange.upperBound).")
    }
    if let page, !(1...1_000_000).contains(page) {
      throw ValidationError("--page must be 1 to 1000000.")
    }
    // A word may begin with a hyphen, but a misspelt option is no word.
    if let option = words.prefix(while: { $0 != "--" }).first(where: { $0.hasPrefix("--") }) {
      throw ValidationError(
        "Unknown option '\(option)'. Words that begin with -- go behind a --.")
    }
    if all && page != nil { throw ValidationError("--all and --page exclude each other.") }
  }

  func run() async throws {
    if text.isEmpty { return try await listRecent() }
    if let number = Self.number(in: text) { return try await repeating(number).search() }
    try await search()
  }

  /// The words as one text.
  private var text: String {
    var words = words
    if let terminator = words.firstIndex(of: "--") { words.remove(at: terminator) }
    return words.joined(separator: " ").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  private var query: SearchQuery {
    SearchQuery(
      text, feed: feed, favoritesOnly: favorites, limit: limit ?? Self.usualPageSize,
      page: page ?? 1)
  }

  /// Searches what is stored, or lets the server of the feed search.
  private func search() async throws {
    if let (feed, configuration) = try findServer() {
      return try await search(serverOf: feed, configuration)
    }
    if all {
      throw OffersError(
        .invalidRequest, "--all is for feeds whose server searches; name one with --feed.",
        hint: "For more of what is stored use --limit or --page.")
    }
    let database = try location.open(.readOnly)
    let results = try await UnsyncedFeed.explaining(feed, configuration.path) {
      try await search(query, database)
    }
    try await finish(
      SearchReport(
        answer: SearchAnswer(
          words: text, feed: feed, page: page ?? 1, source: .store, results: results)),
      database)
  }

  private func search(
    _ query: SearchQuery, _ database: OffersDatabase
  ) async throws -> SearchResults {
    try await database.search(query) {
      if Terminal.isError { Output.note("Building the search index …") }
    }
  }

  /// The feed that is named, with the definitions, where its server searches.
  private func findServer() throws -> (feed: String, FeedConfiguration)? {
    guard let feed = query.serverFeed else { return nil }
    let configuration = try configuration.path.load()
    // A feed that has no definition any more may have left offers behind.
    guard let definition = try? configuration.fetch(feed), definition.search != nil else {
      return nil
    }
    return (feed, configuration)
  }

  /// Lets the feed's server search; what is stored stands in for one that cannot be asked.
  private func search(serverOf feed: String, _ configuration: FeedConfiguration) async throws {
    let database = try location.open(.readWrite)
    let bar = ProgressBar(isEnabled: !json)
    var foundCount = 0
    let answer = try await SearchAnswer.ask(serverFor: query, limit: limit, in: database) {
      let found = try await askServer(of: feed, configuration, database, bar)
      foundCount = found.offers.count
      return found
    } _: {
      bar.clear()
      return try await search($0, database)
    }
    bar.clear()
    let isCut = answer.source == .server && limit.map { $0 < foundCount } ?? false
    try await finish(SearchReport(answer: answer, isCut: isCut), database)
  }

  private func askServer(
    of feed: String, _ configuration: FeedConfiguration, _ database: OffersDatabase,
    _ bar: ProgressBar
  ) async throws -> ServerSearch {
    var options = SyncOptions(allowsPrivateNetwork: network.allowPrivateNetwork)
    options.lockWaitSeconds = 2
    return try await SyncEngine(store: database, configuration: configuration).search(
      feed, for: text, page: all ? nil : page ?? 1, options: options,
      progress: { bar.show($0) })
  }

  private func finish(_ report: SearchReport, _ database: OffersDatabase) async throws {
    for note in report.notes { Output.note(note) }
    if !report.results.hits.isEmpty {
      // Whoever reads the output may stop at the first line. A database that cannot be written to
      // only forgets the words.
      try? await database.noteSearch(
        RecentSearch(words: report.answer.foundWords, feed: feed, searchedAt: Date()))
    }
    if json {
      try Output.print(report.json)
    } else if !report.results.hits.isEmpty {
      let table = report.table(width: Terminal.width, paged.terminal.style)
      try await paged.show { try Output.printRaw(table) }
      if let more = report.more { Output.note(more) }
    }
    if !report.results.hits.isEmpty { return }
    if let error = report.answer.error { throw ExitStatus.code(for: error) }
    if exitStatus { throw ExitStatus.notFound }
  }
}

/// What was searched for before.
extension SearchCommand {
  /// 3 for `3!`.
  static func number(in words: String) -> Int? {
    guard words.hasSuffix("!"), words.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(words.dropLast())
  }

  /// The search of that number, with the options of this one.
  private func repeating(_ number: Int) async throws -> SearchCommand {
    let searches = try await fetchRecent()
    guard searches.indices.contains(number - 1) else {
      throw OffersError(
        .notFound, "There is no search number \(number).",
        hint: searches.isEmpty
          ? "None is kept yet." : "See the \(searches.count) that are kept: offers search")
    }
    var repeated = self
    repeated.words = ["--", searches[number - 1].words]
    repeated.feed = feed ?? searches[number - 1].feed
    return repeated
  }

  private func fetchRecent() async throws -> [RecentSearch] {
    try await location.open(.readOnly).fetchRecentSearches()
  }

  private func listRecent() async throws {
    let searches = try await fetchRecent()
    if json { return try Output.print(Self.json(searches)) }
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
    try Output.printRaw(table.header + "\n" + rows.map { table.line($0) + "\n" }.joined())
  }

  /// `{"searches":[{"number","words","feed","searched_at"}]}`
  private static func json(_ searches: [RecentSearch]) -> String {
    var json = JSONWriter()
    json.value(searches)
    return json.text
  }
}
