/// A step that resolves an error and that a program can offer, such as by a button.
public enum Remedy: Hashable, Codable, Sendable {
  /// Sync the feed with its removals accepted, from `source`, or from the feed's usual source if it
  /// is nil.
  case acceptRemovals(feed: String, source: String?)
  /// Sync the feed from a source that a user of this machine names. If `feed` is nil, the user
  /// chooses it, too; if `source` is not nil, the user has to confirm it only.
  case nameSource(feed: String?, source: String?)
  /// Sync the feed with the reason `forced`.
  case force(feed: String)
  /// Sync with private networks allowed.
  case allowPrivateNetwork
  /// Sync any feed, which creates the database.
  case sync
  /// Open another database.
  case chooseDatabase
  /// Check the database.
  case examine
  /// Rebuild the derived data of the database.
  case repair
  /// Export the readable part of the database, and import it into a new one.
  case salvage
  /// Import the document again, with its sources accepted as the user's own.
  case acceptSources
  /// Show all offers.
  case listOffers
  /// Add a feed.
  case addFeed
  /// Say where the offers stand in the document of a new feed.
  case nameItems
  /// Say where the values of these fields stand in the document of a new feed.
  case mapFields([String])
  /// Show the definition of a feed.
  case showDefinition

  /// The words for the remedy in the text of an advice. A user interface with commands puts its own
  /// words in their place.
  package var words: String {
    switch self {
    case .acceptRemovals: ", accept the removals."
    case .nameSource(nil, _): ", name it as the source of a sync."
    case .force: ", force a sync, or name another source."
    case .allowPrivateNetwork: ", allow private networks."
    case .sync: " a sync."
    case .salvage: ", then move the database's files away and import what was saved"
    case .acceptSources: ", accept them"
    case .repair, .mapFields: ""
    case .nameSource, .chooseDatabase, .examine, .listOffers, .addFeed, .nameItems,
      .showDefinition:
      "."
    }
  }
}
