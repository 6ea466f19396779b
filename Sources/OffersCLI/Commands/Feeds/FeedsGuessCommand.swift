import ArgumentParser
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSQLite
import OffersSync

/// `offers feeds guess`
struct FeedsGuessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Propose a definition for a document.",
    usage: "offers feeds guess <source> [<options>]",
    discussion: """
      Prints YAML for your file of definitions, and on standard error the reasons for the guess. \
      Nothing is stored.

      EXAMPLES
        offers feeds guess https://example.com/products.json
      """)

  @Argument(help: "A URL, a file, or - for standard input.")
  var source: String

  @Option(name: .long, help: "The name of the feed.")
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

/// Guesses of a feed's definition from a document.
enum FeedGuess {
  /// Reads the start of a source, and guesses a definition from it.
  ///
  /// - Parameters:
  ///   - name: the name of the feed in the definition.
  ///   - source: the source as the user typed it; `-` for standard input.
  ///   - items: the path of the offers in the document; nil to guess it.
  ///   - missing: the fields among `id` and `name` that the user has not mapped to a path.
  ///   - options: the limits and the access to networks for reading the source.
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

  /// A source in the form in which a definition contains it: the path of a file is absolute.
  static func address(of source: String) throws -> Template {
    let text = try SyncSource(parsing: source).text
    return (try? Template(parsing: text, for: .source)) ?? Template([.literal(text)])
  }

  /// Refuses a name that is not 1 to 63 lower-case ASCII letters, digits and hyphens.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  static func checkName(_ name: String) throws {
    let isFine =
      !name.isEmpty && name.utf8.count <= 63
      && name.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D }
    guard isFine else {
      throw OffersError(
        .invalidRequest, "“\(name)” is not a valid name for a feed.",
        hint: "Use lower-case letters, digits and hyphens, at most 63.")
    }
  }
}
