import ArgumentParser
import OffersCore
import OffersFeeds
import OffersSync

/// The option that lets a command fetch from addresses in private networks that the user of this
/// machine did not name, such as the target of a redirect.
struct NetworkOptions: ParsableArguments {
  @Flag(
    name: .long,
    help: """
      Let redirects, next pages, images and sources that were not named at this machine lead into \
      private networks, too.
      """)
  var allowPrivateNetwork = false

  /// Whether `--allow-private-network` or `allow-private-network: true` in the file of definitions
  /// is given.
  func allowsPrivateNetwork(_ configuration: FeedConfiguration) -> Bool {
    allowPrivateNetwork || configuration.allowsPrivateNetwork
  }

  /// The options for reading a feed without storing it.
  func syncOptions(_ configuration: FeedConfiguration) -> SyncOptions {
    var options = SyncOptions(allowsPrivateNetwork: allowsPrivateNetwork(configuration))
    options.fallbackSource = FeedSummary.fallbackSource
    return options
  }
}
