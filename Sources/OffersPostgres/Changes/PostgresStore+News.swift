import Foundation
import OffersCore
import OffersStore

extension PostgresStore: NewsRepository {
  package func fetchNews(
    after mark: ReaderMark?, now: Date
  ) async throws -> (news: News, lastID: Int64) {
    let seconds = now.storedSeconds
    return try await database.read { [user] connection in
      let lastID = try ChangeTable.fetchLastID(in: connection)
      var query = ChangeQuery(now: now)
      query.favoritesOnly = true
      query.afterID = mark?.changeID
      let candidates = try SelectedChanges.news(
        query, since: now - News.firstReadSeconds, of: user, in: connection
      ).filter { News.tells($0, at: now) }
      let since = seconds - Int64(News.failingSeconds)
      let failing = try FailingFeed.fetch(
        since: since, now: seconds, in: PostgresTransaction(connection))
      return (
        try News(
          untold: candidates, failing, to: user, now: now, in: PostgresTransaction(connection)),
        lastID
      )
    }
  }
}
