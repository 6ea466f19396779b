import ArgumentParser
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSync

struct FeedsGuessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Propose a definition for a document.",
    usage: "offers feeds guess <source> [<options>]",
    discussion: """
      Takes the address of a site, too, as offers feeds add does. Prints YAML for your file of \
      definitions, or for offers feeds edit NAME --from FILE, and on standard error the reasons for \
      the guess. Nothing is stored.

      EXAMPLES
        offers feeds guess https://example.com/products.json
      """)

  @Argument(help: "A URL, a file, or - for standard input.") var source: String
  @Option(help: "The name of the feed.") var name: String = "feed"
  @Flag(.json) var json = false
  @OptionGroup var headers: HeaderOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let options = network.syncOptions(try configuration.path.load())
    let request = FeedGuess.Request(
      name: name, source: source, headers: try headers.headers(of: name), options: options)
    let proposal = try await FeedGuess.use { guess in
      var proposal = try await guess.propose(request, choose: FeedGuess.question)
      try await guess.addPages(to: &proposal, options)
      return proposal
    }
    let yaml = DefinitionText.yaml(for: proposal.definition)
    if json {
      return try Output.print(
        .json([
          "name": name, "definition": yaml, "records": proposal.itemCount, "notes": proposal.notes,
        ]))
    }
    try Output.printData(yaml, terminator: "")
    for note in proposal.notes { Output.note(.line(note)) }
  }
}
