/// The results of an import.
public struct ImportSummary: Hashable, Sendable {
  /// The sources that the import reviewed, in the document's order: those of feeds that had none
  /// named in the database, or that it had never read.
  package var sources: [ImportedFeedSource] = []
  /// The feeds whose definitions and settings were left out, because the user did not accept them.
  public package(set) var leftOutDefinitions: [String] = []
  /// The number of feeds that the database did not have.
  public package(set) var newFeeds = 0
  /// The number of sync runs that were added.
  public package(set) var newRuns = 0
  /// The number of offers that the database did not have.
  public package(set) var newOffers = 0
  /// The number of new offers whose texts were truncated to `OfferLimits`.
  public package(set) var cutOffers = 0
  /// The number of changes that were added to the history.
  public package(set) var newChanges = 0
  /// The number of favorites that were added.
  public package(set) var newFavorites = 0
  /// The number of imported favorites that the database already had.
  public package(set) var sameFavorites = 0
  /// The number of watches that were added.
  public package(set) var newWatches = 0
  /// The number of channels that were added. Their secrets are not in the document.
  public package(set) var newChannels = 0
  /// The names of the channels that were left out, because the user did not accept them.
  public package(set) var leftOutChannels: [String] = []

  /// The feeds of the document that the database had read before. They stay as they are.
  public package(set) var leftFeeds: [String] = []
  /// The number of offers of these feeds in the document.
  public package(set) var leftOffers = 0
  /// The number of changes of these feeds in the document.
  public package(set) var leftChanges = 0
  /// The number of sync runs of these feeds in the document.
  public package(set) var leftRuns = 0

  /// The users of the document with the users who got their data, in the document's order; empty
  /// for a document of version 1, which names none.
  package var users: [ImportedUser] = []

  /// Creates a summary of its parts; the properties describe them.
  package init(
    sources: [ImportedFeedSource] = [], newFeeds: Int = 0, newRuns: Int = 0, newOffers: Int = 0,
    cutOffers: Int = 0, newChanges: Int = 0, newFavorites: Int = 0, sameFavorites: Int = 0,
    leftFeeds: [String] = [], leftOffers: Int = 0, leftChanges: Int = 0, leftRuns: Int = 0,
    users: [ImportedUser] = []
  ) {
    self.sources = sources
    self.newFeeds = newFeeds
    self.newRuns = newRuns
    self.newOffers = newOffers
    self.cutOffers = cutOffers
    self.newChanges = newChanges
    self.newFavorites = newFavorites
    self.sameFavorites = sameFavorites
    self.leftFeeds = leftFeeds
    self.leftOffers = leftOffers
    self.leftChanges = leftChanges
    self.leftRuns = leftRuns
    self.users = users
  }
}

/// The source that a user named for a feed, as an import contains it. It was stored, or left out with a
/// reason.
package struct ImportedFeedSource: Hashable, Sendable {
  /// The feed's name, such as `ibotta`.
  package let feed: String
  /// An http(s) URL, an absolute path, or `sample`; of a source that was left out, any text.
  package let text: String
  /// The origin that was stored, which determines how far the source is trusted; nil if the source
  /// was left out.
  package var origin: SourceOrigin?
  /// Why the source was left out; nil if it was stored.
  package var refusal: Refusal?

  /// The reasons why an import leaves out a source. The feed is imported without it.
  package enum Refusal: String, Hashable, Sendable {
    /// The source is a file, and the user did not accept the document's sources.
    case file
    /// The source is in a private network, and the user did not accept the document's sources.
    case privateNetwork = "private network"
    /// The source has a variable, which only a definition may have.
    case variable
    /// The source is standard input, or no source that the program can read.
    case unreadable
  }

  /// The text as it is shown: with hidden values (`AddressRedaction`).
  package var shownText: String { AddressRedaction.hidden(in: text) }

  /// Creates a source of its parts; the properties describe them.
  package init(
    feed: String, text: String, origin: SourceOrigin? = .imported, refusal: Refusal? = nil
  ) {
    self.feed = feed
    self.text = text
    self.origin = origin
    self.refusal = refusal
  }
}

/// A user of a document that was imported, and the user who got their data.
package struct ImportedUser: Hashable, Sendable {
  /// The name in the document.
  package let name: String
  /// The role in the document. A user whom an import adds never becomes an admin.
  package let role: User.Role
  /// The user who got the favorites, recent searches and read marks.
  package let user: User
  /// Whether the import added the user.
  package let isNew: Bool
  /// The number of favorites that were added.
  package var newFavorites = 0
  /// The number of imported favorites that the user already had.
  package var sameFavorites = 0

  /// Creates a user of the parts; the properties describe them.
  package init(
    name: String, role: User.Role, user: User, isNew: Bool, newFavorites: Int = 0,
    sameFavorites: Int = 0
  ) {
    self.name = name
    self.role = role
    self.user = user
    self.isNew = isNew
    self.newFavorites = newFavorites
    self.sameFavorites = sameFavorites
  }
}
