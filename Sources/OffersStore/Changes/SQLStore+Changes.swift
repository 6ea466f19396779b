import Foundation
import OffersCore

extension OffersDatabase {
  /// The changes that a query selects, oldest first, and the number of the newest change recorded
  /// at that time: the mark to set once the changes were shown.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  public func fetchChanges(
    _ query: ChangeQuery
  ) async throws -> (changes: [OfferChange], lastID: Int64) {
    try await transaction(.read) { transaction in
      (
        try self.selection(query, in: transaction).changes(),
        try ChangeTable.fetchLastID(in: transaction)
      )
    }
  }

  /// A page of the changes that a query selects, for incremental readers. The query's limit counts
  /// from the oldest change. For the next page, `lastID` and `lastExpiring` of the page become
  /// `afterID` and `afterExpiring` of the query.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for an `afterID`
  ///   that the database has not recorded.
  public func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage {
    try await transaction(.read) { try self.selection(query, in: $0).page() }
  }

  /// The changes that a query selects, oldest first, to be read in parts.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  package func selectChanges(_ query: ChangeQuery) async throws -> LongChangeList {
    let (keys, lastID) = try await transaction(.read) { transaction in
      (
        try self.selection(query, in: transaction).keys(),
        try ChangeTable.fetchLastID(in: transaction)
      )
    }
    return LongChangeList(keys: keys, lastID: lastID, query: query, store: self)
  }

  /// The changes that a query selects and a reader has not read, oldest first: neither all changes up to a
  /// mark, nor those that were shown to it with other filters. Those of a reader without a mark begin
  /// `News.firstReadSeconds` ago. The query's `since` and `afterID` are ignored.
  ///
  /// - Returns: the list, and the time since which it has the changes.
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  package func selectUnread(
    _ query: ChangeQuery, by reader: String
  ) async throws -> (list: LongChangeList, since: Date) {
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
      var keys = try self.selection(query, in: transaction).keys()
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
    return (LongChangeList(keys: keys, lastID: lastID, query: query, store: self), since)
  }

  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  private func selection(
    _ query: ChangeQuery, in transaction: any Transaction
  ) throws -> SelectedChanges {
    try checkFeed(query.feed, in: transaction)
    return SelectedChanges(query, of: user, in: transaction)
  }

  /// The latest points of the history of an offer's reward and texts that fit the bounds, oldest first;
  /// at least one point. The history begins with the first sighting of the offer; changes that were
  /// pruned are missing.
  ///
  /// - Throws: `OffersError` with `notFound` or `ambiguous`.
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

extension OffersDatabase {
  /// The whole history of an offer's reward and texts, oldest first.
  ///
  /// - Throws: as `fetchHistory(named:_:)`.
  public func fetchHistory(
    named text: String
  ) async throws -> (offer: UserOffer, points: [RewardPoint]) {
    let page = try await fetchHistory(named: text, HistoryQuery())
    return (page.offer, page.points)
  }
}

/// The changes that a query selected, oldest first, whose offers are read in parts.
package struct LongChangeList: Sendable {
  fileprivate let keys: [ChangeTable.Key]
  /// The number of the newest recorded change at the time of the query: the mark to set once all
  /// changes were shown.
  package let lastID: Int64
  fileprivate let query: ChangeQuery
  fileprivate let store: OffersDatabase

  /// The number of selected changes.
  package var count: Int { keys.count }

  /// Reads the changes at a range of positions, which is clamped to `0..<count`. Changes whose offers
  /// were removed after the selection are omitted.
  package func fetch(_ range: Range<Int>) async throws -> [OfferChange] {
    let part = Array(keys[range.clamped(to: keys.indices)])
    return try await store.transaction(.read) { [query, user = store.user] in
      try SelectedChanges(query, of: user, in: $0).view(part)
    }
  }
}

extension OffersDatabase {
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
