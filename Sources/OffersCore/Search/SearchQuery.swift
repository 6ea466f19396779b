import Foundation

/// A full-text search for offers.
public struct SearchQuery: Hashable, Sendable {
  /// The words as typed. An offer must contain all of them, in any fields. Case, accents and
  /// punctuation are ignored (`cocacola` finds Coca-Cola, `250 g` finds 250g), and the last word also
  /// matches as a prefix. Every text of at most 50 words and 1,000 characters is valid.
  public var words: String
  /// Only offers of this feed; nil for all.
  public var feed: String?
  /// Only favorites, including gone ones.
  public var favoritesOnly: Bool
  /// Whether expired offers are found as well, behind all others. A search for favorites finds them
  /// in any case.
  public var includesExpired: Bool
  /// The time at which offers count as expired; nil for the time of the call.
  public var now: Date?
  /// The number of offers on a page.
  public var limit: Int
  /// The number of the page, from 1.
  public var page: Int
  /// The room for whole offers in an answer, in bytes of their texts and of the ranges of matching words.
  /// An offer of more than 2 KiB that does not fit into the rest of it is abridged: its texts are truncated
  /// to 2 KiB, and its lists keep their first elements. Nil for whole offers.
  public var maximumBytes: Int?

  /// Creates a search for words, in one feed or in all.
  public init(
    _ words: String, feed: String? = nil, favoritesOnly: Bool = false,
    includesExpired: Bool = false, now: Date? = nil, limit: Int = 20, page: Int = 1
  ) {
    self.words = words
    self.feed = feed
    self.favoritesOnly = favoritesOnly
    self.includesExpired = includesExpired
    self.now = now
    self.limit = limit
    self.page = page
  }

  /// The feed whose server may be searched instead; nil for a search among favorites or in all
  /// feeds, which only the database can answer.
  package var serverFeed: String? { favoritesOnly ? nil : feed }
}

/// A page of search results.
public struct SearchResults: Hashable, Sendable {
  /// The hits, best match first.
  public let hits: [SearchHit]
  /// Whether there is a next page.
  public let hasMore: Bool
  /// The words that were probably meant, when no offer matched the words as typed: a search for them
  /// has results, and they differ by an edit or, in long words, two. Nil without a proposal. They were
  /// not searched for.
  public let correctedWords: String?

  /// Creates a search results of its parts; the properties describe them.
  public init(hits: [SearchHit] = [], hasMore: Bool = false, correctedWords: String? = nil) {
    self.hits = hits
    self.hasMore = hasMore
    self.correctedWords = correctedWords
  }
}

/// A past search that found something.
public struct RecentSearch: Hashable, Sendable, Identifiable {
  /// The number of searches kept.
  public static let limit = 10

  /// The words as typed.
  public let words: String
  /// The feed that was searched; nil for all.
  public let feed: String?
  /// When the words were last searched for.
  public let searchedAt: Date

  /// The feed and the words: an equal earlier search gives way to a later one.
  public var id: String { "\(feed ?? ""):\(words)" }

  /// Creates a recent search of its parts; the properties describe them.
  public init(words: String, feed: String? = nil, searchedAt: Date) {
    self.words = words
    self.feed = feed
    self.searchedAt = searchedAt
  }
}
