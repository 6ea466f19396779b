import ArgumentParser
import OffersCore

/// `offers search`
struct SearchCommand: WaitingCommand {
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

  @Argument(
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
  static let limitRange = 1...1000

  func validate() throws {
    if let limit, !Self.limitRange.contains(limit) {
      throw ValidationError("--limit must be 1 to \(Self.limitRange.upperBound).")
    }
    if let page, !(1...1_000_000).contains(page) {
      throw ValidationError("--page must be 1 to 1000000.")
    }
    if all && page != nil { throw ValidationError("--all and --page contradict each other.") }
  }

  func run() async throws {
    let job = try job
    if try job.runStored() { return }
    try await job.run()
  }

  private var job: SearchJob {
    get throws {
      var job = SearchJob(
        words: words, databasePath: try location.path, configurationPath: try configuration.path)
      job.feed = feed
      job.favoritesOnly = favorites
      job.limit = limit
      job.page = page
      job.isAll = all
      job.isJSON = json
      job.tellsNothing = exitStatus
      job.allowsPrivateNetwork = network.allowPrivateNetwork
      job.style = paged.terminal.style
      job.isPaged = !paged.noPager
      return job
    }
  }

  /// Runs a search in its plain form without the parser, and where the words begin with a hyphen.
  ///
  /// - Returns: false for whatever else there is to say; the parser then says it.
  static func run(plainWords words: ArraySlice<String>) throws -> Bool {
    guard
      let plain = PlainWords(
        words, command: "search", flags: ["--favorites", "--json", "--exit-status", "--no-pager"],
        options: ["--limit", "--page", "--database"], takesHyphens: true)
    else { return false }
    var job = SearchJob(
      words: plain.names, databasePath: try DatabaseOptions.path(named: plain["--database"]),
      configurationPath: try ConfigurationOptions.path(named: nil))
    for (option, range) in [("--limit", limitRange), ("--page", 1...1_000_000)] {
      guard let text = plain[option] else { continue }
      guard let number = Int(text), range.contains(number) else { return false }
      if option == "--limit" { job.limit = number } else { job.page = number }
    }
    job.favoritesOnly = plain.flags.contains("--favorites")
    job.isJSON = plain.flags.contains("--json")
    job.tellsNothing = plain.flags.contains("--exit-status")
    job.isPaged = !plain.flags.contains("--no-pager")
    return try job.runStored()
  }
}
