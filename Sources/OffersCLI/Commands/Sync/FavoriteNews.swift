import Foundation
import OffersCore

/// The favorites that a sync found up, down, changed, gone or back, for `offers sync` on a terminal.
///
/// Expired offers are no news. The mark of `offers sync --news` stays where it is, so that cron reports
/// these favorites as well.
struct FavoriteNews {
  private let database: any OffersStorage
  private let feeds: FeedPresentations
  /// The number of the newest change before the sync.
  private let lastID: Int64

  /// Notes the newest change before a sync.
  init(_ database: any OffersStorage, _ feeds: FeedPresentations) async throws {
    self.database = database
    self.feeds = feeds
    lastID = try await database.fetchChanges(Self.query()).lastID
  }

  /// A line for each favorite, as in the news.
  func fetchLines() async throws -> [String] {
    var query = Self.query()
    query.limit = nil
    query.afterID = lastID
    let now = query.now
    return try await database.fetchChanges(query).changes
      .filter { News.tells($0, at: now) }.map { ChangeReport(feeds: feeds).line($0, at: now) }
  }

  private static func query() -> ChangeQuery {
    ChangeQuery(
      favoritesOnly: true, kinds: [.up, .down, .changed, .gone, .back], limit: 1, now: Date())
  }
}
