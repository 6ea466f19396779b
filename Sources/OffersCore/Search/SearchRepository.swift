import Foundation

/// What to look for, and where.
public struct SearchQuery: Hashable, Sendable {
  /// Words as a person types them. All of them have to be there, in any field; case, accents and
  /// punctuation do not matter, and the last word may be the beginning of one. No text is an error.
  public var words: String
  /// Only this feed; nil for all.
  public var feed: String?
  /// Only favorites. They are found when gone, too.
  public var favoritesOnly: Bool
  /// How many offers a page has.
  public var limit: Int
  /// Which page, from 1.
  public var page: Int
  /// Once the offers found and the places in them have so many bytes, further ones are abridged: their texts are cut
  /// to 2 KiB, and lists to their first elements. Nil for whole offers.
  public var maximumBytes: Int?

  public init(
    _ words: String, feed: String? = nil, favoritesOnly: Bool = false, limit: Int = 20,
    page: Int = 1
  ) {
    self.words = words
    self.feed = feed
    self.favoritesOnly = favoritesOnly
    self.limit = limit
    self.page = page
  }

  /// The feed whose server may be asked instead; nil where all there is to find is here: favorites,
  /// or several feeds.
  package var serverFeed: String? { favoritesOnly ? nil : feed }
}

/// Where the words stand in one field of an offer.
public struct SearchMatch: Hashable, Sendable {
  /// A field that is searched.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case name, description, terms, retailer, categories, attributes
  }

  public let field: Field
  /// Which of the categories, or of the attributes, whose values are searched; nil for other fields.
  public let index: Int?
  /// The words, as offsets into the text's Unicode scalars, in order.
  public let ranges: [Range<Int>]

  public init(field: Field, index: Int? = nil, ranges: [Range<Int>]) {
    self.field = field
    self.index = index
    self.ranges = ranges
  }
}

/// An offer that was found.
public struct SearchHit: Hashable, Sendable {
  public let offer: Offer
  /// Where the words stand, in the order of the fields.
  public let matches: [SearchMatch]
  /// Whether the offer's texts are cut because the offers before it filled the answer. Only matches in
  /// its name are told then.
  public let isAbridged: Bool

  public init(offer: Offer, matches: [SearchMatch], isAbridged: Bool = false) {
    self.offer = offer
    self.matches = matches
    self.isAbridged = isAbridged
  }
}

/// A page of what was found.
public struct SearchResults: Hashable, Sendable {
  /// Best first.
  public let hits: [SearchHit]
  /// Whether there is a next page.
  public let hasMore: Bool
  /// The words that were looked for instead, when nothing has those that were asked for and others
  /// differ from them by a letter or two; nil when nothing had to be guessed.
  public let correctedWords: String?

  public init(hits: [SearchHit] = [], hasMore: Bool = false, correctedWords: String? = nil) {
    self.hits = hits
    self.hasMore = hasMore
    self.correctedWords = correctedWords
  }
}

/// A search that found something.
public struct RecentSearch: Hashable, Sendable {
  /// How many are kept.
  public static let limit = 10

  /// The words as they were typed, or corrected.
  public let words: String
  /// The feed that was searched; nil for all.
  public let feed: String?
  public let searchedAt: Date

  public init(words: String, feed: String? = nil, searchedAt: Date) {
    self.words = words
    self.feed = feed
    self.searchedAt = searchedAt
  }
}

/// Finds offers by their words, and remembers what was looked for.
///
/// No call waits for the network. The first search after a sync that left the index out waits for
/// the index to be made.
public protocol SearchRepository: Sendable {
  /// Finds the offers that have all of the words: current ones, and gone ones only among favorites.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for a page or a
  ///   limit below 1.
  func search(_ query: SearchQuery) async throws -> SearchResults

  /// The last 10 searches that were noted, the latest first.
  func fetchRecentSearches() async throws -> [RecentSearch]

  /// Notes a search that found something: the same one again moves up, and the 11th goes. The latest
  /// one again changes nothing.
  func noteSearch(_ search: RecentSearch) async throws
}
