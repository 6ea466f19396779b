import GRDB
import OffersCore

/// The SQL that reads favorites.
enum FavoriteQuery {
  /// The favorites of a user, as a table expression named `favorite`; for nil those of all users,
  /// each once and without its times.
  static func rows(of user: User.ID?) -> String {
    let selection = user.map { "SELECT feed, id, created_at FROM favorite WHERE user_key = \($0)" }
    return "(\(selection ?? "SELECT DISTINCT feed, id FROM favorite")) AS favorite"
  }

  /// Selects the keys of the favorites of a user, or of all users for nil, whose offers are stored.
  static func offerKeys(of user: User.ID?) -> String {
    """
    SELECT offer.offer_key FROM \(rows(of: user))
    CROSS JOIN feed ON feed.name = favorite.feed
    CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    """
  }

  /// The keys of the same favorites, to find favorites among the offers of changes.
  static func sortedKeys(of user: User.ID?, in database: Database) throws -> SortedKeys {
    SortedKeys(try Int64.fetchAll(database, sql: offerKeys(of: user)))
  }
}
