/// A step that resolves an error and that an app can offer, such as by a button: each has a call.
public enum Remedy: Hashable, Codable, Sendable {
  /// Sync the feed with its removals accepted, from `source`, or from the feed's usual source if it
  /// is nil.
  ///
  /// The call is `SyncEngine.sync`, with `SyncOptions.acceptsRemovals` and `SyncOptions.source`.
  case acceptRemovals(feed: String, source: String?)
  /// Sync the feed from a source that a user of this machine names. If `feed` is nil, the user
  /// chooses it, too; if `source` is not nil, the user has to confirm it only.
  ///
  /// The call is `SyncEngine.sync`, with `SyncOptions.source`.
  case nameSource(feed: String?, source: String?)
  /// Sync the feed with the reason `forced`.
  ///
  /// The call is `SyncEngine.sync`, with `SyncOptions.reason`.
  case force(feed: String)
  /// Allow requests into private networks.
  ///
  /// For a sync this is `SyncOptions.allowsPrivateNetwork`, for images an argument of `ImageLoader`,
  /// and for all syncs `allow-private-network: true` in the text of a `FeedConfiguration`.
  case allowPrivateNetwork
  /// Sync any feed, which needs the database opened for reading and writing.
  ///
  /// The calls are `OffersDatabase.open` with `readWrite`, which creates the database, and
  /// `SyncEngine.sync`.
  case sync
  /// Open another database: call `OffersDatabase.open` with another path.
  case chooseDatabase
  /// Show all offers: call `OfferRepository.fetchOffers`.
  case listOffers
  /// Add a feed: write a definition into the text of a `FeedConfiguration`.
  case addFeed

  /// The words for the remedy in the text of an advice.
  package var words: String {
    switch self {
    case .acceptRemovals: ", accept the removals."
    case .nameSource(nil, _): ", name it as the source of a sync."
    case .force: ", force a sync, or name another source."
    case .allowPrivateNetwork: ", allow private networks."
    case .sync: " a sync."
    case .nameSource, .chooseDatabase, .listOffers, .addFeed: "."
    }
  }
}
