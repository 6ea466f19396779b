import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersStore
import OffersSync

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find offers by their words.",
    discussion: """
      Finds the offers that contain all of the words in their name, description, terms, retailer, \
      categories or attributes, best matches first. Case, accents and punctuation do not matter, \
      and the last word may be a prefix. "cold brew" finds words that follow each other, -pod offers \
      without the word, tea OR coffee either; filters are those of offers list. If nothing is found, a similar spelling that is found is proposed. Matching favorites that are gone \
      or expired are only counted; --favorites finds them.

      With --feed, a feed whose server can search, such as movies, is searched on its server, and \
      the offers found are stored. Without a network the stored offers are searched.

      Without words, the last 10 searches that found something are listed; 3! repeats the third, \
      and --forget removes it from the list.

      EXAMPLES
        offers search pasta sauce
        offers search 'coffee reward:>=2 feed:ibotta -pod'
        offers search coffee --favorites --json
        offers search --feed movies superman --page 2
        offers search 3!
        offers search 3! --forget
      """)

  @OptionGroup var filters: SelectionOptions

  @Option(
    parsing: .unconditional,
    help: .value(
      "n",
      "The number of offers on a page: 20 by default, 1000 at most; on a server its own number."))
  var limit: Int?

  @Option(parsing: .unconditional, help: .value("n", "The number of the page, from 1."))
  var page: Int?

  @Flag(help: "Fetch all pages from the server, up to the limit of the definition.") var all = false

  @Flag(help: "Remove a search from the last 10 instead: one like 3!, or its words as typed.")
  var forget = false

  @Flag(.json) var json = false
  @OptionGroup var emptiness: EmptyResultOptions
  @OptionGroup var paged: PagerOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  private static let limitRange = 1...1000
  private static let usualPageSize = 20

  func validate() throws {
    if let limit, !Self.limitRange.contains(limit) {
      throw ValidationError("--limit must be 1 to \(Self.limitRange.upperBound).")
    }
    if let page, !(1...1_000_000).contains(page) {
      throw ValidationError("--page must be 1 to 1000000.")
    }
    if all && page != nil { throw ValidationError("--all and --page exclude each other.") }
    if all && limit != nil { throw ValidationError("--all and --limit exclude each other.") }
    if forget && text.isEmpty {
      throw ValidationError("--forget needs a search, such as 3! or its words.")
    }
  }

  func run() async throws {
    if forget { return try await forgetRecent() }
    if text.isEmpty { return try await listRecent() }
    if let number = Self.number(in: text) { return try await repeating(number).search() }
    try await search()
  }

  /// The words and filters as they were typed.
  private var text: String { filters.typed }

  private func query() throws -> SearchQuery {
    let (now, text) = (Date(), try filters.text)
    if text.sort != nil {
      throw OffersError(
        .invalidRequest, "A search has the best matches first.",
        hint: "For another order: offers list")
    }
    return SearchQuery(
      try text.selection(at: now, FilterTextParser()), now: now,
      limit: limit ?? Self.usualPageSize, page: page ?? 1)
  }

  /// The words and filters to remember, without the feed, which is remembered beside them.
  private func remembered(feed: String?) throws -> String {
    let text = try filters.text
    return (feed == nil ? text : text.without(.feed)).description
  }

  /// Searches and prints the results: on the server of the feed that `--feed` names, if it can
  /// search, otherwise in the database. Favorites are always searched in the database.
  private func search() async throws {
    var query = try query()
    if let (feed, configuration) = try await findServer(query) {
      return try await search(query, serverOf: feed, configuration)
    }
    if all {
      throw OffersError(
        .invalidRequest, "--all is for feeds whose server can search; name one with --feed.",
        hint: "For more of the stored offers use --limit or --page.")
    }
    let database = try await location.open(.readOnly)
    let feeds = try await configuration.path.presentations(in: database)
    query.pricedFeeds = feeds.pricedFeeds
    let stored = query
    let results = try await UnsyncedFeed.explaining(
      query.feed, configuration.path, in: database
    ) { try await search(stored, database) }
    try await finish(
      SearchReport(
        answer: SearchAnswer(
          words: try remembered(feed: query.feed), feed: query.feed, page: page ?? 1,
          source: .store, results: results),
        feeds: feeds), query, database)
  }

  private func search(
    _ query: SearchQuery, _ database: OffersDatabase
  ) async throws -> SearchResults {
    try await database.search(query) {
      if Terminal.isError { Output.note("Building the search index …") }
    }
  }

  /// The feed that `--feed` names, and the configuration with its definition; nil if its server
  /// cannot search, or the search is not for the server.
  private func findServer(
    _ query: SearchQuery
  ) async throws -> (feed: String, FeedConfiguration)? {
    guard let feed = query.serverFeed else { return nil }
    let configuration = try await configuration.path.load(
      from: location.place.openExisting(.readOnly))
    // A feed without a definition is searched in the database, which may still have its offers.
    guard let definition = try? configuration.fetch(feed), definition.search != nil else {
      return nil
    }
    return (feed, configuration)
  }

  /// Searches on the feed's server and prints the results. If the search fails or finds nothing,
  /// the stored offers are searched instead.
  private func search(
    _ query: SearchQuery, serverOf feed: String, _ configuration: FeedConfiguration
  ) async throws {
    let database = try await location.open(.readWrite)
    let bar = ProgressBar(isEnabled: !json)
    let answer = try await SearchAnswer.ask(serverFor: query, in: database) {
      try await askServer(of: feed, for: query.words, configuration, database, bar)
    } _: {
      bar.clear()
      return try await search($0, database)
    }
    bar.clear()
    try await finish(
      SearchReport(
        answer: answer, feeds: database.fetchPresentations(configuration.knownFeeds())),
      query, database)
  }

  private func askServer(
    of feed: String, for words: String, _ configuration: FeedConfiguration,
    _ database: OffersDatabase, _ bar: ProgressBar
  ) async throws -> ServerSearchResults {
    var options = SyncOptions(allowsPrivateNetwork: network.allowPrivateNetwork)
    options.lockWaitSeconds = 2
    return try await SyncEngine(
      store: database, configuration: configuration, environment: ProcessContext.findVariable
    ).search(
      feed, for: words, page: all ? nil : page ?? 1, limit: limit, options: options,
      progress: { bar.show($0) })
  }

  /// A note on matching offers that the search leaves out: favorites that are gone or expired or, if
  /// nothing was found, expired offers. Nil for none.
  private func leftOutNote(
    _ report: SearchReport, _ query: SearchQuery, _ database: OffersDatabase
  ) async throws -> String? {
    guard report.answer.error == nil, !query.favoritesOnly, !query.goneOnly, page ?? 1 == 1
    else { return nil }
    var query = query
    let expired = !query.selection.excludesExpired
    query.favoritesOnly = true
    query.limit = Self.limitRange.upperBound
    do {
      let found = try await database.search(query).hits.map(\.offer)
      let gone = found.count { $0.isGone }
      let past = expired ? 0 : found.count { !$0.isGone && $0.isExpired(at: report.now) }
      if gone + past > 0 {
        let isOne = gone + past == 1
        let states = [gone > 0 ? "gone" : nil, past > 0 ? "expired" : nil].compactMap(\.self)
        return "\(Units.count(gone + past, "favorite")) that \(isOne ? "is" : "are") "
          + "\(states.joined(separator: " or ")) \(isOne ? "matches" : "match"). "
          + "To see \(isOne ? "it" : "them"), add --favorites."
      }
      if !report.hits.isEmpty || expired { return nil }
      query.favoritesOnly = false
      query.includesExpired = true
      query.limit = 1
      if try await database.search(query).hits.isEmpty { return nil }
      return "Expired offers match. To see them, add --expired."
    } catch {
      guard error.code == .notFound else { throw error }
      // Nothing is stored of a feed that was searched on its server.
      return nil
    }
  }

  private func finish(
    _ report: SearchReport, _ query: SearchQuery, _ database: OffersDatabase
  ) async throws {
    let feed = query.feed
    if let error = report.answer.error { Output.error(error, feed: feed) }
    for note in report.notes { Output.note(.text(note)) }
    let note = try await leftOutNote(report, query, database)
    if report.hits.isEmpty, let note { Output.note(.text(note)) }
    if report.answer.isRecent {
      // The words are stored before the output, whose reader may close the pipe. If the database
      // cannot be written, only the list of recent searches lacks them.
      try? await database.noteSearch(
        RecentSearch(words: report.answer.words, feed: feed, searchedAt: report.now))
    }
    if json {
      try Output.print(report.document)
    } else if !report.hits.isEmpty {
      let printer = ListFormat.table.printer(
        nil, usual: [.favorite, .ref, .reward, .name], report.feeds, paged.terminal.style,
        now: report.now)
      let listed = report.hits.map { ListedOffer(offer: $0.offer, match: $0.matches.first) }
      _ = try await paged.show(printer, listed, next: { [] }, rest: { _ in [:] })
      if report.answer.results.hasMore {
        Output.note(.text("More: --page \(report.answer.page + 1)"))
      }
    }
    if !report.hits.isEmpty {
      if let note { Output.note(.text(note)) }
    } else if let error = report.answer.error {
      throw ExitStatus.code(for: error)
    } else {
      try emptiness.check(isEmpty: true)
    }
  }
}

/// The list of recent searches, and the repetition of one.
extension SearchCommand {
  /// The number in a text such as `3!`; nil for another text.
  static func number(in words: String) -> Int? {
    guard words.hasSuffix("!"), words.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(words.dropLast())
  }

  /// The command with the words of the recent search with the given number and, unless `--feed` is
  /// given, with its feed. All other options stay.
  private func repeating(_ number: Int) async throws -> SearchCommand {
    let search = try await fetchRecent(number)
    var repeated = self
    repeated.filters.words = ["--", search.words]
    if filters.feed.isEmpty { repeated.filters.feed = search.feed.map { [$0] } ?? [] }
    return repeated
  }

  /// Removes a recent search: the one with a number, or with the words and the feed. With `--json`, prints
  /// the list without it.
  private func forgetRecent() async throws {
    let named = try filters.text.selection(at: Date(), FilterTextParser()).feed
    var search = (words: try remembered(feed: named), feed: named)
    if let number = Self.number(in: text) {
      let recent = try await fetchRecent(number)
      search = (recent.words, recent.feed)
    }
    let database = try await location.open(.readWrite)
    guard try await database.removeSearch(search.words, of: search.feed) else {
      throw OffersError(
        .notFound, "There is no such search among the last 10.",
        hint: "See them, and use a number: offers search")
    }
    if json { return try await listRecent() }
    Output.note("Forgot the search “\(DisplayText.oneLine(search.words))”.")
  }

  /// The recent search with a number, which counts from 1.
  private func fetchRecent(_ number: Int) async throws -> RecentSearch {
    let searches = try await fetchRecent()
    guard searches.indices.contains(number - 1) else {
      throw OffersError(
        .notFound, "There is no search number \(number).",
        hint: searches.isEmpty
          ? "No search is stored yet." : "See the \(searches.count) stored searches: offers search")
    }
    return searches[number - 1]
  }

  private func fetchRecent() async throws -> [RecentSearch] {
    try await location.open(.readOnly).fetchRecentSearches()
  }

  private func listRecent() async throws {
    let searches = try await fetchRecent()
    if json { return try Output.print(.json { $0.value(searches) }) }
    guard !searches.isEmpty else {
      Output.note("No searches yet. Find offers by their words: offers search WORDS")
      return
    }
    let columns: [Table.Column] = [.whole("NO"), .whole("FEED"), .text("WORDS")]
    let table = Table.text(columns, Array(searches.enumerated())) { index, search in
      ["\(index + 1)!", search.feed ?? "–", DisplayText.oneLine(search.words)]
    }
    try Output.print(.text(table))
  }
}

/// The result of a search, and how it is shown.
struct SearchReport {
  let answer: SearchAnswer
  let feeds: FeedPresentations
  /// The time of the search, at which offers count as expired.
  let now = Date()

  var hits: [SearchHit] { answer.results.hits }

  /// The lines for standard error: why stored offers are shown instead of results of the server, or
  /// that nothing was found, with the words that were probably meant.
  var notes: [String] {
    let quoted = "“\(DisplayText.oneLine(answer.words))”"
    let place = answer.feed.map { " in \($0)" } ?? ""
    if !hits.isEmpty {
      guard answer.isStandIn, let feed = answer.feed else { return [] }
      return [
        answer.error == nil
          ? "The server of \(feed) found nothing for \(quoted). These are stored offers:"
          : "These are stored offers of \(feed), not results of its server."
      ]
    }
    if let corrected = answer.results.correctedWords {
      let meant = DisplayText.oneLine(corrected)
      return ["Nothing found for \(quoted)\(place); did you mean “\(meant)”?"]
    }
    if answer.page > 1 { return ["Nothing found on page \(answer.page) for \(quoted)\(place)."] }
    if !answer.words.isEmpty, (try? SearchWords(answer.words))?.isEmpty == true {
      return ["\(quoted) contains no letter or digit to search for."]
    }
    return ["Nothing found for \(quoted)\(place)."]
  }

  var document: PrintedText {
    var answer = answer
    answer.error = answer.error?.withCommands
    return .json(pricedFeeds: feeds.pricedFeeds) { $0.value(answer, at: now) }
  }
}
