/// The feeds of a store, with the sources that users named.
package protocol FeedSourceRepository: FeedRepository {
  /// Forgets the named source of a feed, so that its definition's source applies again. Does nothing
  /// for an unknown feed.
  func forgetSource(of feed: String) async throws
}
