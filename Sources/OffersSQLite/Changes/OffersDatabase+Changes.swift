import Foundation
import GRDB
import OffersCore

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

  public func findMark(of reader: String) async throws -> ReaderMark? {
    try await read { [user] in try ReaderTable.find(reader, of: user, in: $0) }
  }

  public func setMark(_ mark: ReaderMark, of reader: String) async throws {
    try await write { [user] database in
      try Self.checkUser(user, in: database)
      try ReaderTable.advance(reader, of: user, to: mark, in: database)
    }
  }

  public func fetchHistory(
    named text: String, _ bounds: HistoryBounds
  ) async throws -> HistoryPage {
    try await read { [user] database in
      let offer = try Self.fetchOffer(named: text, of: user, in: database)
      guard let key = try OfferTable.findKey(offer.ref, in: database) else {
        return HistoryPage(offer: offer, points: [], before: nil)
      }
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
      let changes = try selection.read(in: database).filter { change in
        guard News.tells(change, at: now) else { return false }
        guard change.kind == .expiring, let offer = change.offer, let end = offer.expiresAt else {
          return true
        }
        let ref = offer.ref
        return try !NoticeTable.isTold(
          .expiring, ref.feed, id: ref.offerID, about: end.storedSeconds,
          of: user, in: database)
      }
      let since = seconds - Int64(News.failingSeconds)
      let failing = try NoticeTable.failingFeeds(
        since: since, now: seconds, in: database
      ).filter { feed in
        try !NoticeTable.isTold(
          .failing, feed.name, about: feed.noticeSubject(at: seconds), of: user, in: database)
      }
      return (News(changes: changes, failing: failing), selection.lastID)
    }
  }

  package func setNewsTold(
    _ news: News, lastID: Int64, reader: String, now: Date
  ) async throws {
    let seconds = now.storedSeconds
    try await write { [user] database in
      try Self.checkUser(user, in: database)
      try ReaderTable.advance(
        reader, of: user, to: ReaderMark(changeID: lastID, readAt: now), in: database)
      for change in news.changes where change.kind == .expiring {
        guard let offer = change.offer, let end = offer.expiresAt else { continue }
        let ref = offer.ref
        try NoticeTable.insert(
          .expiring, ref.feed, id: ref.offerID, about: end.storedSeconds,
          of: user, at: seconds, in: database)
      }
      for feed in news.failing {
        try NoticeTable.insert(
          .failing, feed.name, about: feed.noticeSubject(at: seconds), of: user,
          at: seconds, in: database)
      }
    }
  }
}
