import Foundation
import OffersCore

/// The marks of readers of `ChangeRepository`, and the delivered news of `NewsRepository`.
extension SQLStore {
  public func findMark(of reader: String) async throws -> ReaderMark? {
    try await transaction(.query) { [user] in try ReaderTable.find(reader, of: user, in: $0) }
  }

  public func setMark(_ mark: ReaderMark, of reader: String) async throws {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      try ReaderTable.advance(reader, of: user, to: mark, in: transaction)
    }
  }

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
