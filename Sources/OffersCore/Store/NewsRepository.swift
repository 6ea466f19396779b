import Foundation

/// The news for users with favorites.
package protocol NewsRepository: Sendable {
  /// The news after a mark, and the newest change number.
  ///
  /// News are changes of favorites, new offers that are probably a gone favorite under another id,
  /// favorites that expire soon, feeds that keep failing, and feeds that work again. No expired offer is
  /// among them. After `setNewsTold`, an expiring favorite is not reported again, and a failing feed again
  /// after an attempt on another day, or when it works again.
  ///
  /// - Parameters:
  ///   - mark: the reader's mark; nil for the last seven days.
  ///   - now: the current time, to be passed to `setNewsTold` as well.
  func fetchNews(after mark: ReaderMark?, now: Date) async throws -> (news: News, lastID: Int64)

  /// Records, in one transaction, that the news were delivered to a reader: advances its mark, and
  /// records the notices about expiring favorites and failing feeds, which count as delivered to
  /// all readers.
  ///
  /// - Parameters:
  ///   - news: the news that were delivered.
  ///   - lastID: the change number that `fetchNews` returned.
  ///   - reader: the name of the reader.
  ///   - now: the time that was passed to `fetchNews`.
  /// - Throws: `OffersError` with `notFound` if the user was removed.
  func setNewsTold(_ news: News, lastID: Int64, reader: String, now: Date) async throws
}
