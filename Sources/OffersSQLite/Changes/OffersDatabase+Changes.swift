import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: ChangeRepository {
  public func fetchChanges(
    _ query: ChangeQuery
  ) async throws -> (changes: [OfferChange], lastID: Int64) {
    try await read { [definitions, user] database in
      let selection = try SelectedChanges(query, of: user, definitions, in: database)
      return (try selection.read(in: database), selection.lastID)
    }
  }

  public func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage {
    try await read { [definitions, user] database in
      let selection = try SelectedChanges(firstOf: query, of: user, definitions, in: database)
      return ChangePage(
        changes: try selection.read(in: database), lastID: selection.lastID,
        hasMore: selection.hasMore, lastExpiring: selection.lastExpiring)
    }
  }

  public func fetchHistory(
    named text: String, _ bounds: HistoryBounds
  ) async throws -> HistoryPage {
    try await read { [user] database in
      let stored = try OfferTable.fetch(
        named: text, of: user, in: SQLiteTransaction(database))
      let (offer, key) = (stored.offer, stored.key)
      let rows = try ChangeTable.history(
        offerKey: key, before: bounds.before ?? .max, in: database)
      return try RewardHistory.page(of: offer, bounds) {
        try rows.next().map {
          RewardHistory.Row(
            id: $0[0], at: Date(storedSeconds: $0[1]), kind: $0[2], fields: $0[3])
        }
      } findLater: {
        try ChangeTable.findRewardChange(of: key, from: $0, in: database).map { ($0.old, $0.id) }
      }
    }
  }
}

extension OffersDatabase: NewsRepository {
  package func fetchNews(
    after mark: ReaderMark?, now: Date
  ) async throws -> (news: News, lastID: Int64) {
    let seconds = now.storedSeconds
    return try await read { [user] database in
      let selection = try SelectedChanges(newsAfter: mark, now: now, of: user, in: database)
      let changes = try selection.read(in: database).filter { News.tells($0, at: now) }
      let since = seconds - Int64(News.failingSeconds)
      let failing = try FailingFeed.fetch(
        since: since, now: seconds, in: SQLiteTransaction(database))
      let news = try News(
        untold: changes, failing, to: user, now: now, in: SQLiteTransaction(database))
      return (news, selection.lastID)
    }
  }
}
