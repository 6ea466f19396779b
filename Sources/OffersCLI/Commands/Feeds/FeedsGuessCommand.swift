import ArgumentParser
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSync

/// `offers feeds guess`
struct FeedsGuessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Propose a definition for a document.",
    usage: "offers feeds guess <source> [<options>]",
    discussion: """
      Prints YAML for your file of definitions, or for offers feeds edit NAME --from FILE, and on \
      standard error the reasons for the guess. Nothing is stored.

      EXAMPLES
        offers feeds guess https://example.com/products.json
      """)

  @Argument(help: "A URL, a file, or - for standard input.")
  var source: String

  @Option(name: .long, help: "The name of the feed.")
  var name: String = "feed"

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var network: NetworkOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let options = network.syncOptions(try configuration.path.load())
    let proposal = try await FeedGuess.use {
      try await $0.propose(name: name, source: source, options: options)
    }
    let yaml = DefinitionText.yaml(for: proposal.definition)
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("name", name)
          json.member("definition", yaml)
          json.member("records", proposal.itemCount)
          json.member("notes", each: proposal.notes) { $0.value($1) }
        })
    }
    try Output.printData(yaml, terminator: "")
    for note in proposal.notes { Output.note(.line(note)) }
  }
}
