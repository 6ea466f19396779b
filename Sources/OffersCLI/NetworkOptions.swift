import ArgumentParser
import OffersSync

/// Where a command that fetches may go.
struct NetworkOptions: ParsableArguments {
  @Flag(
    name: .long,
    help: "Let redirects and next pages lead into private networks, too.")
  var allowPrivateNetwork = false

  /// What a fetch without a database is to keep to.
  var syncOptions: SyncOptions { SyncOptions(allowsPrivateNetwork: allowPrivateNetwork) }
}
