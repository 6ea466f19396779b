import Foundation
import OffersCore

/// `ChangeRepository`, and the changes of `LongListRepository`.
extension SQLStore {
  public func fetchChanges(
    _ query: ChangeQuery
  ) async throws -> (changes: [OfferChange], lastID: Int64) {
    try await transaction(.read) { transaction in
      (
        try selection(query, in: transaction).changes(),
        try ChangeTable.fetchLastID(in: transaction)
      )
    }
  }

  public func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage {
    try await transaction(.read) { try selection(query, in: $0).page() }
  }

  package func selectChanges(_ query: ChangeQuery) async throws -> any LongChangeList {
    let (keys, lastID) = try await transaction(.read) { transaction in
      (
        try selection(query, in: transaction).keys(),
        try ChangeTable.fetchLastID(in: transaction)
      )
    }
    return SQLChangeList(keys: keys, lastID: lastID, query: query, store: self)
  }

  package func selectUnread(
    _ query: ChangeQuery, by reader: String
  ) async throws -> (list: any LongChangeList, since: Date) {
    let (keys, lastID, since) = try await transaction(.read) { [user] transaction in
      let marks = try ReaderTable.marks(of: reader, user: user, in: transaction)
      let whole = marks[ChangeSelection(of: ChangeQuery(now: query.now))]
      let own = marks[ChangeSelection(of: query)]
      let week = query.now - News.firstReadSeconds
      let base = whole ?? own.flatMap { $0.readAt < week ? $0 : nil }
      let start = base?.readAt ?? week
      var query = query
      query.afterID = base?.changeID
      // Expiring offers have no change number, so they are selected by time. Those that were expiring at
      // the last reading were shown then.
      query.since = base.map { $0.readAt + 1 } ?? start
      let limit = query.limit
      query.limit = nil
      var keys = try selection(query, in: transaction).keys()
      for (part, mark) in marks where mark.readAt >= start {
        let read = try SelectedChanges(query, readOf: part, at: mark, of: user, in: transaction)
          .keys().filter { $0.id > 0 ? $0.id <= mark.changeID : $0.at <= mark.readAt.storedSeconds }
        let known = Set(read)
        keys.removeAll { known.contains($0) }
      }
      let last = own?.readAt ?? start
      return (
        Array(keys.suffix(max(0, limit ?? .max))), try ChangeTable.fetchLastID(in: transaction),
        max(start, last)
      )
    }
    return (SQLChangeList(keys: keys, lastID: lastID, query: query, store: self), since)
  }

  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  private func selection(
    _ query: ChangeQuery, in transaction: any Transaction
  ) throws -> SelectedChanges {
    try checkFeed(query.feed, in: transaction)
    return SelectedChanges(query, of: user, in: transaction)
  }

  public func fetchHistory(
    named text: String, _ bounds: HistoryQuery
  ) async throws -> HistoryPage {
    try await transaction(.read) { [user] transaction in
      let stored = try OfferTable.fetch(named: text, of: user, in: transaction)
      var batch: ArraySlice<RewardHistory.Row> = []
      var last = bounds.before ?? .max
      var isAtEnd = false
      return try RewardHistory.page(of: stored.offer, bounds) {
        if batch.isEmpty, !isAtEnd {
          batch = try ChangeTable.history(of: stored.key, before: last, in: transaction)[...]
          isAtEnd = batch.isEmpty
        }
        last = batch.first?.id ?? last
        return batch.popFirst()
      } findLater: {
        try ChangeTable.findRewardChange(of: stored.key, from: $0, in: transaction)
          .map { ($0.old, $0.id) }
      }
    }
  }
}

/// Selected changes, with the store that has their offers.
private struct SQLChangeList<Store: SQLStore>: LongChangeList {
  let keys: [ChangeTable.Key]
  let lastID: Int64
  let query: ChangeQuery
  let store: Store

  var count: Int { keys.count }

  func fetch(_ range: Range<Int>) async throws -> [OfferChange] {
    let part = Array(keys[range.clamped(to: keys.indices)])
    return try await store.transaction(.read) { [query, user = store.user] in
      try SelectedChanges(query, of: user, in: $0).view(part)
    }
  }
}

/// The news of `NewsRepository`.
extension SQLStore {
  package func fetchNews(
    after mark: ReaderMark?, now: Date
  ) async throws -> (news: News, lastID: Int64) {
    var query = ChangeQuery(now: now)
    query.favoritesOnly = true
    query.afterID = mark?.changeID
    return try await transaction(.read) { [query, user] transaction in
      let lastID = try ChangeTable.fetchLastID(in: transaction)
      let candidates = try SelectedChanges(query, of: user, in: transaction)
        .news(since: now - News.firstReadSeconds).filter { News.tells($0, at: now) }
      let failing = try FailingFeed.fetch(now: now.storedSeconds, in: transaction)
      return (try News(untold: candidates, failing, to: user, in: transaction), lastID)
    }
  }
}
