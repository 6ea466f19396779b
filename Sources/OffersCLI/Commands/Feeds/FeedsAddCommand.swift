import ArgumentParser
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSync

struct FeedsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a feed of your own and sync it.",
    usage: "offers feeds add <name> <source> [<options>]",
    discussion: """
      The source may be the address of a site, with or without https://: the feed that its page links to \
      is found, or one at a usual place, and the address of the feed is stored. \
      The definition is detected or guessed from the document and kept in the database; \
      --items, --map, --format and --every override the guess. See it with: offers feeds show NAME. \
      The first three offers are shown, and on a terminal you are asked whether to add the feed. A \
      document without any offer is refused, unless its format says what its offers are: RSS, \
      Atom or JSON Feed.

      EXAMPLES
        offers feeds add deals https://example.com/deals.rss
        offers feeds add blog example.com
        offers feeds add api https://example.com/api --header 'X-Api-Key: {env:KEY}'
        offers feeds add shop products.json --items data.products \\
          --map reward=price.amount
      """)

  @Argument(help: "Its name: lower-case letters, digits and hyphens.") var name: String
  @Argument(help: "Its source: the URL of a feed or a site, or a file.") var source: String
  @Option(help: "json, ndjson, xml, csv or json-ld (default: detected).") var format: String?
  @Option(help: .value("path", "The path of the offers.")) var items: String?

  @Option(
    parsing: .upToNextOption,
    help: .value("field=path", "The path of a field's value, such as name=title or id=sku."))
  var map: [String] = []

  @Option(parsing: .unconditional, help: .value("time", "How often to sync, such as 6h."))
  var every: String?

  @Flag(help: "Add the feed without showing offers or asking.") var yes = false
  @OptionGroup var headers: HeaderOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    try await FeedGuess.use { try await add($0) }
  }

  private func add(_ guess: FeedGuess) async throws {
    try FeedName.check(name)
    let file = try configuration.path
    let user = try UserChoice()
    let place = try location.place
    let known = try await file.load(from: place.openExisting(.readOnly))
    try OwnFeeds.check(name, isNewIn: known)
    let options = network.syncOptions(known)
    let (definition, kind) = try await made(guess, options)
    let check = try await guess.check(
      definition, of: kind, firstCount: yes ? 0 : Self.shownCount, options: options)
    if let note = check.valueNote(definition) { Output.note(.line(note)) }
    if !yes { try confirm(check, definition) }
    try await OwnFeeds(file: file, database: place.open(.readWrite)).add(definition)
    LogEntry("feed added", ["feed": name]).send()
    Output.note("Added \(name). To see or change its definition: offers feeds show or edit \(name)")
    var job = PrintedSync(feeds: [name], place: place, configurationPath: file, user: user)
    job.transport = guess.transport
    job.options.allowsPrivateNetwork = network.allowPrivateNetwork
    try await job.run()
  }

  /// The definition from the options. If they lack a required part, the rest is guessed from the
  /// document.
  private func made(
    _ guess: FeedGuess, _ options: SyncOptions
  ) async throws -> (FeedDefinition, kind: WellKnownKind?) {
    var said = DefinitionOverride(name: name)
    try said.set(format: format, items: items, map: map, every: every)
    let request = FeedGuess.Request(
      name: name, source: source, items: said.items, missing: said.missing, format: said.format,
      headers: try headers.headers(of: name), options: options)
    let typed = try request.sources
    if said.isComplete, let address = typed.first {
      var definition = try said.definition(source: address)
      definition.headers = request.headers
      do {
        // Only the way to further pages is guessed.
        guard address.description.contains("://") else { return (definition, nil) }
        var proposal = try await guess.propose(request)
        guard proposal.definition.source == address else { return (definition, nil) }
        try await guess.addPages(to: &proposal, options)
        definition.pages = proposal.definition.pages
        definition.source = proposal.definition.source
      } catch let error as OffersError {
        try error.throwIfCancelled()
      }
      return (definition, nil)
    }
    var proposal = try await guess.propose(request, choose: FeedGuess.question)
    let found = proposal.definition.source ?? Template([.literal(source)])
    if !typed.contains(found) { Output.note(.line("Found the feed \(found)")) }
    try await guess.addPages(to: &proposal, options)
    // The sync asks for a currency that is missing.
    for note in proposal.points { Output.note(.line(note)) }
    // A guess of further pages may have added a parameter to the address.
    let paged = proposal.definition.source ?? found
    var definition = try said.definition(source: paged, over: proposal)
    definition.headers = proposal.definition.headers
    definition.isPublicOnly = proposal.definition.isPublicOnly
    return (definition, proposal.kind)
  }

  private static let shownCount = 3

  /// Shows the first offers as they would be stored. On a terminal, asks whether to add the feed.
  private func confirm(_ check: FeedCheckResult, _ definition: FeedDefinition) throws {
    for offer in check.first {
      let details = [offer.reward?.text, offer.urlText].compactMap { $0 }.map {
        DisplayText.oneLine($0)
      }
      Output.note(
        .line("  " + ([DisplayText.oneLine(offer.name)] + details).joined(separator: "  ")))
    }
    guard Confirmation.isPossible else { return }
    let count = Units.count(check.offerCount, "offer")
    guard Confirmation.ask("Add \(name) with \(count)?") else {
      Output.note("Nothing was added.")
      throw ExitStatus.failed
    }
  }
}
