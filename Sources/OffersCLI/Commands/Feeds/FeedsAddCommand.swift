import ArgumentParser
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSQLite
import OffersSync

/// `offers feeds add`
struct FeedsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a feed of your own and sync it.",
    usage: "offers feeds add <name> <source> [<options>]",
    discussion: """
      The definition is detected or guessed from the document and stored in your YAML file; \
      --items, --map, --format and --every override the guess. See it with: offers feeds show NAME. \
      A document without any offer is refused.

      EXAMPLES
        offers feeds add deals https://example.com/deals.rss
        offers feeds add shop products.json --items data.products \\
          --map reward=price.amount
      """)

  @Argument(help: "Its name: lower-case letters, digits and hyphens.")
  var name: String

  @Argument(help: "Its source: an http(s) URL or a file.")
  var source: String

  @Option(name: .long, help: "json, ndjson or xml (default: detected).")
  var format: String?

  @Option(name: .long, help: ArgumentHelp("The path of the offers.", valueName: "path"))
  var items: String?

  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp(
      "The path of a field's value, such as name=title or id=sku.", valueName: "field=path"))
  var map: [String] = []

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("How often to sync, such as 6h.", valueName: "time"))
  var every: String?

  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    try FeedGuess.checkName(name)
    let file = try configuration.path
    // The file is not loaded by `load`, because a file that the user names need not exist yet.
    let options = network.syncOptions(try checkIsNew(in: try TextFile.read(file.text), file))
    let definition = try await made(options)
    let check = try await SyncEngine(store: NoStore()).check(
      definition, from: nil, firstCount: 1, options: options)
    guard check.offerCount > 0 else {
      let reason = check.problems.first.map { " Record \($0.position): \($0.reason)." } ?? ""
      throw OffersError(
        .unexpectedShape,
        "No record at \(Self.places(definition)) is an offer; \(check.recordCount) seen.\(reason)",
        hint: "Give the paths with --items and --map id=… name=…")
    }
    try TextFile.update(file.text) { yaml in
      // Another process may have added the feed in the meantime.
      _ = try checkIsNew(in: yaml, file)
      return try DefinitionEdit.adding(
        DefinitionText.yaml(for: definition), to: yaml, name: file.text)
    }
    Output.note("Added \(name) to \(DisplayText.oneLine(file.text)).")
    let path = try location.path
    // A removed feed with the same name may have left its source in the database.
    if OffersDatabase.exists(at: path) {
      try await OffersDatabase.open(path: path).forgetSource(of: name)
    }
    var job = SyncJob(
      feeds: [name], source: nil, databasePath: path,
      configurationPath: SettingPath(text: file.text, origin: .option))
    job.allowsPrivateNetwork = network.allowPrivateNetwork
    try await job.run()
  }

  /// The shipped feeds and those in the given content of the file.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a feed with the name of the new one exists.
  private func checkIsNew(in yaml: String?, _ file: SettingPath) throws -> FeedConfiguration {
    let configuration = try file.configuration(yaml)
    if configuration.names.contains(name) {
      throw OffersError(
        .invalidRequest, "There is already a feed \(name).",
        hint: "Choose another name, or see it with: offers feeds show \(name)")
    }
    return configuration
  }

  /// The definition from the options. If they lack a required part, the rest is guessed from the
  /// document.
  private func made(_ options: SyncOptions) async throws -> FeedDefinition {
    var said = DefinitionOverride(name: name)
    try said.set(format: format, items: items, map: map, every: every)
    if said.isComplete {
      return try said.definition(source: FeedGuess.address(of: source))
    }
    let proposal = try await FeedGuess.propose(
      name: name, source: source, items: said.items, missing: said.missing,
      options: options)
    for note in proposal.notes { Output.note(DisplayText.oneLine(note)) }
    return try said.definition(source: FeedGuess.address(of: source), over: proposal)
  }

  private static func places(_ definition: FeedDefinition) -> String {
    definition.items.map { $0.steps.isEmpty ? "the top level" : $0.descriptionFromRoot }
      .joined(separator: " or ")
  }
}
