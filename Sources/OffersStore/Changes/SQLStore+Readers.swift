import Foundation
import OffersCore

extension OffersDatabase {
  /// The mark of a reader; nil for one that has never read.
  public func findMark(of reader: String) async throws -> ReaderMark? {
    try await transaction(.query) { [user] in try ReaderTable.find(reader, of: user, in: $0) }
  }

  /// Advances a reader's mark. A mark never moves back.
  public func setMark(_ mark: ReaderMark, of reader: String) async throws {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      try ReaderTable.advance(reader, of: user, to: mark, in: transaction)
    }
  }

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
  package func setNewsTold(
    _ news: News, lastID: Int64, reader: String, now: Date
  ) async throws {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      try ReaderTable.advance(
        reader, of: user, to: ReaderMark(changeID: lastID, readAt: now), in: transaction)
      try NoticeTable.insert(
        NoticeTable.notices(of: news.changes, news.failing), of: user, at: now, in: transaction)
      try NoticeTable.delete(failing: news.recovered, of: user, in: transaction)
    }
  }
}

extension News {
  /// The news of changes and failing feeds without those that were told to a user, and the feeds that work
  /// again.
  package init(
    untold changes: [OfferChange], _ failing: [FailingFeed], to user: User.ID,
    in transaction: any Transaction
  ) throws {
    let told = try NoticeTable.told(
      NoticeTable.notices(of: changes, failing), of: user, in: transaction)
    self.init(
      changes: changes.filter { !(NoticeTable.Notice($0).map(told.contains) ?? false) },
      failing: failing.filter { !told.contains(NoticeTable.Notice($0)) },
      recovered: try RecoveredFeed.fetch(toldTo: user, in: transaction))
  }
}
