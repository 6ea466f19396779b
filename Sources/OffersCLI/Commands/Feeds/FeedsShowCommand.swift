import ArgumentParser
import OffersCore
import OffersFeeds

/// `offers feeds show`
struct FeedsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a feed's definition, as YAML to edit and keep.",
    discussion: """
      EXAMPLES
        offers feeds show albums
        offers feeds show albums >> ~/.config/offers/feeds.yaml
      """)

  @Argument(help: "The feed.")
  var name: String

  @OptionGroup var configuration: ConfigurationOptions

  func run() throws {
    Output.printRaw(try configuration.path.load().fetchText(name))
  }
}
