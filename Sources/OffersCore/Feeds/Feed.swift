import Foundation

/// A feed that was given up, or that never worked. Its offers and favorites are kept.
public struct FormerFeed: Hashable, Sendable {
  /// The name, such as `ibotta`.
  public let name: String
  /// The name for people; nil when no sync has found it.
  public let title: String?
  /// Where somebody said that it is read from; nil for what its definition says.
  public let source: String?

  public init(name: String, title: String?, source: String?) {
    self.name = name
    self.title = title
    self.source = source
  }
}

/// A place that offers come from, as it stands in the database.
public struct Feed: Hashable, Sendable {
  /// The name, such as `ibotta`: lower-case letters, digits and hyphens.
  public let name: String
  /// The name for people; nil as long as no sync has found it.
  public let title: String?
  /// Where it is read from: an http(s) URL, an absolute file path, or `sample`.
  public let source: String
  /// Offers that the feed had when it was last synced.
  public let currentCount: Int
  /// Offers that are kept although the feed no longer has them.
  public let goneCount: Int
  /// Favorites in this feed, gone ones and ones never synced included.
  public let favoriteCount: Int
  /// The last attempt; nil when the feed was never synced.
  public let lastRun: SyncRun?
  /// When a sync last succeeded.
  public let lastSuccessAt: Date?
  /// What is remembered of its server.
  public let fetch: FetchState

  public init(
    name: String, title: String? = nil, source: String, currentCount: Int, goneCount: Int,
    favoriteCount: Int,
    lastRun: SyncRun?, lastSuccessAt: Date?, fetch: FetchState = FetchState()
  ) {
    self.fetch = fetch
    self.name = name
    self.title = title
    self.source = source
    self.currentCount = currentCount
    self.goneCount = goneCount
    self.favoriteCount = favoriteCount
    self.lastRun = lastRun
    self.lastSuccessAt = lastSuccessAt
  }
}
