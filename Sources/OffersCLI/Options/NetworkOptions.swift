import ArgumentParser
import OffersCore
import OffersFeeds
import OffersSync

/// The option that opens private networks to a command that fetches.
struct NetworkOptions: ParsableArguments {
  @Flag(
    name: .long,
    help: """
      Let redirects, next pages, images and sources that were not named at this machine lead into \
      private networks, too.
      """)
  var allowPrivateNetwork = false

  /// Whether the option or the setting in the file of definitions opens private networks.
  func allowsPrivateNetwork(_ configuration: FeedConfiguration) -> Bool {
    allowPrivateNetwork || configuration.allowsPrivateNetwork
  }

  /// The options of a sync that has no database.
  func syncOptions(_ configuration: FeedConfiguration) -> SyncOptions {
    var options = SyncOptions(allowsPrivateNetwork: allowsPrivateNetwork(configuration))
    options.fallbackSource = FeedSummary.fallbackSource
    return options
  }
}
