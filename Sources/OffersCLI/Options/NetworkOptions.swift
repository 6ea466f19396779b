import ArgumentParser
import OffersFeeds
import OffersSync

/// Where a command that fetches may go.
struct NetworkOptions: ParsableArguments {
  @Flag(
    name: .long,
    help: """
      Let redirects, next pages, images and sources that were not named at this machine lead into \
      private networks, too.
      """)
  var allowPrivateNetwork = false

  /// Whether the option or the setting opens private networks.
  func allowsPrivateNetwork(_ configuration: FeedConfiguration) -> Bool {
    allowPrivateNetwork || configuration.allowsPrivateNetwork
  }

  /// What a fetch without a database is to keep to.
  func syncOptions(_ configuration: FeedConfiguration) -> SyncOptions {
    SyncOptions(allowsPrivateNetwork: allowsPrivateNetwork(configuration))
  }
}
