import Foundation

/// A full-text search for offers, the best matches first.
@dynamicMemberLookup
public struct SearchQuery: Hashable, Sendable {
  /// Which offers are searched, with the words as typed. Its properties are also those of the query.
  ///
  /// An offer must contain all words, in any fields. Case, accents and punctuation are ignored (`cocacola` finds
  /// Coca-Cola, `250 g` finds 250g), and the last word also matches as a prefix. `"cold brew"` finds words that
  /// follow each other, `-pod` offers without the word, `tea OR coffee` either. Every text of at most 50 words and
  /// 1,000 characters is valid. Without wanted words the offers come in the order of their feeds.
  public var selection = Selection()
  /// The feeds whose values are prices (`ValueRole.price`).
  public var pricedFeeds: Set<String> = []
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

  /// Accesses the selection.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Selection, Value>) -> Value {
    get { selection[keyPath: path] }
    set { selection[keyPath: path] = newValue }
  }

  /// Creates a search for words, in one feed or in all.
  public init(
    _ words: String, feed: String? = nil, favoritesOnly: Bool = false,
    includesExpired: Bool = false, now: Date? = nil, limit: Int = 20, page: Int = 1
  ) {
    selection.words = words
    selection.feed = feed
    selection.favoritesOnly = favoritesOnly
    selection.includesExpired = includesExpired
    self.now = now
    self.limit = limit
    self.page = page
  }

  /// Creates a search for the offers of a selection.
  public init(_ selection: Selection, now: Date? = nil, limit: Int = 20, page: Int = 1) {
    self.selection = selection
    self.now = now
    self.limit = limit
    self.page = page
  }

  /// The feed whose server may be searched instead; nil for a search with other filters or in all
  /// feeds, which only the database can answer.
  package var serverFeed: String? {
    var words = Selection()
    (words.words, words.feed) = (selection.words, selection.feed)
    words.includesExpired = selection.includesExpired
    return selection == words ? selection.feed : nil
  }
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
