import ArgumentParser
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersSync

/// `offers feeds guess`
struct FeedsGuessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Propose a definition for a document.",
    usage: "offers feeds guess <source> [<options>]",
    discussion: """
      Prints YAML to keep in your file of definitions, and what it was guessed from. Nothing is \
      stored.

      EXAMPLES
        offers feeds guess https://example.com/products.json
      """)

  @Argument(help: "A URL, a file, or - for standard input.")
  var source: String

  @Option(name: .long, help: "What to call the feed.")
  var name: String = "feed"

  @OptionGroup var network: NetworkOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let proposal = try await FeedGuess.propose(
      name: name, source: source, options: network.syncOptions(configuration.path.load()))
    try Output.printRaw(DefinitionText.yaml(for: proposal.definition))
    for note in proposal.notes { Output.note(DisplayText.oneLine(note)) }
  }
}

/// Guesses a definition from a source's document.
enum FeedGuess {
  /// - Parameters:
  ///   - items: where the items stand, when that is known.
  ///   - missing: which of the id and the name nobody has said yet.
  static func propose(
    name: String, source: String, items: FieldPath? = nil, missing: [String] = ["id", "name"],
    options: SyncOptions = SyncOptions()
  ) async throws -> DefinitionGuess.Proposal {
    try checkName(name)
    let guess = DefinitionGuess(name: name, items: items, missing: missing)
    _ = try await SyncEngine(store: NoStore()).readStart(
      of: address(of: source), options: options
    ) { bytes in
      try guess.consume(bytes)
      return !guess.hasEnough
    }
    var proposal = try guess.finish()
    if source != "-" { proposal.definition.source = try address(of: source) }
    return proposal
  }

  /// A source as a definition keeps it: files by their absolute path.
  static func address(of source: String) throws -> Template {
    let text = try DocumentSource(source).text
    return (try? Template(parsing: text, for: .source)) ?? Template([.literal(text)])
  }

  static func checkName(_ name: String) throws {
    let isFine =
      !name.isEmpty && name.utf8.count <= 63
      && name.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D }
    guard isFine else {
      throw OffersError(
        .invalidRequest, "“\(name)” is no name for a feed.",
        hint: "Use lower-case letters, digits and hyphens, at most 63.")
    }
  }
}
