import Foundation
import OffersCore

extension PostgresStore: NewsRepository {
  package func fetchNews(
    after mark: ReaderMark?, now: Date
  ) async throws -> (news: News, lastID: Int64) {
    let seconds = now.storedSeconds
    return try await database.read { [user] session in
      let lastID = try ChangeTable.fetchLastID(in: session)
      var query = ChangeQuery(now: now)
      query.favoritesOnly = true
      query.afterID = mark?.changeID
      let candidates = try ChangeSelection.news(
        query, since: now - News.firstReadSeconds, of: user, in: session
      ).filter { News.tells($0, at: now) }
      let since = seconds - Int64(News.failingSeconds)
      let failing = try NoticeTable.failingFeeds(since: since, now: seconds, in: session)
      let told = try NoticeTable.told(
        candidates.compactMap(NoticeTable.Notice.init)
          + failing.map { NoticeTable.Notice($0, at: seconds) }, of: user, in: session)
      let news = News(
        changes: candidates.filter { !(NoticeTable.Notice($0).map(told.contains) ?? false) },
        failing: failing.filter { !told.contains(NoticeTable.Notice($0, at: seconds)) })
      return (news, lastID)
    }
  }

  package func setNewsTold(
    _ news: News, lastID: Int64, reader: String, now: Date
  ) async throws {
    let seconds = now.storedSeconds
    try await database.write { [user] session in
      try UserTable.check(user, in: session)
      try ReaderTable.advance(
        reader, of: user, to: ReaderMark(changeID: lastID, readAt: now), in: session)
      try NoticeTable.insert(
        news.changes.compactMap(NoticeTable.Notice.init)
          + news.failing.map { NoticeTable.Notice($0, at: seconds) }, of: user, at: seconds,
        in: session)
    }
  }
}
