/// A feed that has a definition, subscribed or not.
package struct KnownFeed: Hashable, Sendable, Identifiable {
  /// The name, such as `ibotta`.
  package let name: String
  /// The display name, if the definition has one.
  package let title: String?
  /// The definition's source; nil when a user has to name one.
  package let source: String?
  /// The sync interval in seconds.
  package let everySeconds: Int
  /// Whether a user set the interval, overriding the definition.
  package let hasOwnInterval: Bool
  /// Whether the definition has request headers, which may be credentials and are sent only to the
  /// feed's own server.
  package let hasHeaders: Bool
  /// How the feed's offers are shown.
  package let presentation: FeedPresentation
  /// The address of the site to which the feed belongs; nil if the definition has none.
  package let home: String?
  /// Whether the feed's server can be searched.
  package let isSearchable: Bool
  /// The place of the definition among those of the user's own file, which come first, and of the database,
  /// from 0, by which a screen can order feeds; nil for a shipped feed.
  package var position: Int?

  /// The name.
  package var id: String { name }

  /// How the feed's offers are laid out on a screen.
  package var layout: FeedLayout { presentation.layout }

  /// Creates a known feed of its parts; the properties describe them.
  package init(
    name: String, title: String? = nil, source: String?, everySeconds: Int,
    hasOwnInterval: Bool = false, hasHeaders: Bool = false,
    presentation: FeedPresentation = FeedPresentation(), home: String? = nil, isSearchable: Bool
  ) {
    self.name = name
    self.title = title
    self.presentation = presentation
    self.home = home
    self.source = source
    self.everySeconds = everySeconds
    self.hasOwnInterval = hasOwnInterval
    self.hasHeaders = hasHeaders
    self.isSearchable = isSearchable
  }
}

/// Syncs feeds. User interfaces depend on this protocol instead of on the sync engine. A call that
/// is cancelled throws `OffersError` with `cancelled`; a feed whose sync had not ended is unchanged.
package protocol FeedSyncer: Sendable {
  /// All feeds with a definition, sorted by name: the shipped ones and the user's own.
  func fetchKnownFeeds() async throws -> [KnownFeed]

  /// Sets the sync interval of a feed; nil returns to the interval of the definition.
  ///
  /// - Returns: whether the interval changed.
  func setInterval(_ everySeconds: Int?, of feed: String) async throws -> Bool

  /// Syncs feeds, those on different hosts concurrently.
  ///
  /// - Parameters:
  ///   - parameters: the feeds to sync, and how.
  ///   - progress: called from time to time while reading, from any task.
  ///   - finished: called once per feed, never concurrently; with an error when no run could be
  ///     made. A run that failed or is `heldBack` is a success that carries its error.
  /// - Throws: `OffersError` with `cancelled` if the task is cancelled; feeds that are not finished are
  ///   unchanged.
  func sync(
    _ parameters: SyncParameters,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (_ feed: String, Result<SyncRun, OffersError>) -> Void
  ) async throws

  /// Searches on a feed's server, and stores the offers that it returns. Pages are numbered from 1, and
  /// have `limit` offers; as many as the server's own for nil.
  ///
  /// - Throws: `OffersError` if the server cannot be searched.
  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults
}

/// The parameters of a requested sync.
package struct SyncParameters: Hashable, Sendable {
  /// The feeds' names; empty for every subscribed one.
  package var feeds: [String]
  package var reason: SyncReason
  /// The source to read, if a single feed is named; nil for the remembered source.
  package var source: SyncSource?
  /// Whether to apply removals that would be held back.
  package var acceptsRemovals: Bool
  /// Whether to keep the offers whose removal would be held back.
  package var keepsMissing: Bool

  package init(
    _ feeds: [String], reason: SyncReason = .asked, source: SyncSource? = nil,
    acceptsRemovals: Bool = false, keepsMissing: Bool = false
  ) {
    self.keepsMissing = keepsMissing
    self.feeds = feeds
    self.reason = reason
    self.source = source
    self.acceptsRemovals = acceptsRemovals
  }
}

/// The progress of a sync.
public struct SyncProgress: Hashable, Sendable {
  /// The name of the feed.
  public let feed: String
  /// Bytes read so far.
  public let bytes: Int
  /// The document's size in bytes, when it is known.
  public let totalBytes: Int?
  /// Records read so far.
  public let records: Int
  /// True once the document is read and the difference is being written.
  public let isWriting: Bool

  /// Creates a sync progress of its parts; the properties describe them.
  public init(feed: String, bytes: Int, totalBytes: Int?, records: Int, isWriting: Bool) {
    self.feed = feed
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.records = records
    self.isWriting = isWriting
  }
}

/// The result of a search on a feed's server.
public struct ServerSearchResults: Hashable, Sendable {
  /// The sync run that fetched the offers.
  public let run: SyncRun
  /// The offers in the server's order. All of them are stored.
  public let offers: [OfferRef]
  /// The last page that was read, from 1.
  public let lastPage: Int
  /// The number of the server's own pages, if the server tells it.
  public let pageCount: Int?
  /// Whether there is a next page; false if the server does not tell the number of pages.
  public let hasMore: Bool

  /// Creates a server search of its parts; the properties describe them.
  ///
  /// - Parameter hasMore: nil if `lastPage` is one of the server's own pages.
  public init(
    run: SyncRun, offers: [OfferRef], lastPage: Int, pageCount: Int?, hasMore: Bool? = nil
  ) {
    self.hasMore = hasMore ?? pageCount.map { $0 > lastPage } ?? false
    self.run = run
    self.offers = offers
    self.lastPage = lastPage
    self.pageCount = pageCount
  }
}

/// Proposes and adds feeds of the user's own. User interfaces depend on this protocol instead of on
/// the guess of definitions.
package protocol FeedAdder: Sendable {
  /// Reads a source, guesses how to read it as a feed, and reads it so. Nothing is stored.
  ///
  /// Only the public internet is read, unless the program was started with
  /// `--allow-private-network`; the limits of size and time are those of a sync.
  ///
  /// - Parameters:
  ///   - source: an http(s) URL. A file, standard input and environment variables are refused.
  ///   - name: the wanted name of the feed; nil to propose one that no feed has.
  /// - Throws: `OffersError` with `invalidRequest` for another source or an invalid name,
  ///   `sourceFailed` for a server that cannot be reached, `malformedFeed` for a web page or an
  ///   unreadable document, `unexpectedShape` for a document without offers; `cancelled`.
  func propose(source: String, name: String?) async throws -> FeedProposal

  /// Stores the definition of a proposal in the database. The source stays limited to the public internet.
  ///
  /// - Parameter title: the title of the feed; nil for the one that the document has.
  /// - Throws: `OffersError` with `invalidRequest` for an invalid name or title, and for the name of a
  ///   feed that exists; the errors of the store.
  func add(_ proposal: FeedProposal, name: String, title: String?) async throws
}

/// A feed that could be added: how its document would be read, and what that finds.
package struct FeedProposal: Hashable, Sendable {
  /// The place of a field's values in the document.
  package struct Field: Hashable, Sendable {
    /// The name of the field in a definition, such as `reward`, or the label of an attribute.
    package let name: String
    /// The path of its values.
    package let from: String
    /// The number of offers that have the field.
    package let offerCount: Int

    package init(name: String, from: String, offerCount: Int) {
      self.name = name
      self.from = from
      self.offerCount = offerCount
    }
  }

  /// The source, as the definition has it.
  package let source: String
  /// The name that the feed would have.
  package let name: String
  /// The title that the document has; nil if it has none.
  package let title: String?
  /// The format of the document: `json`, `ndjson`, `xml` or `csv`; nil if it is detected at each sync.
  package let format: String?
  /// How pages would show the offers.
  package let presentation: FeedPresentation
  /// The fields that were found, in the order of a definition.
  package let fields: [Field]
  /// The number of records in the document, and the number of those that are offers.
  package let recordCount: Int
  package let offerCount: Int
  /// The first offers, as a sync would store them.
  package let offers: [Offer]
  /// The points that the user should check, in whole sentences.
  package let notes: [String]
  /// The definition, as YAML.
  package let definition: String

  package init(
    source: String, name: String, title: String?, format: String?,
    presentation: FeedPresentation, fields: [Field], recordCount: Int, offerCount: Int,
    offers: [Offer], notes: [String],
    definition: String
  ) {
    self.source = source
    self.name = name
    self.title = title
    self.format = format
    self.presentation = presentation
    self.fields = fields
    self.recordCount = recordCount
    self.offerCount = offerCount
    self.offers = offers
    self.notes = notes
    self.definition = definition
  }
}
