import Foundation
import OffersCore

extension OffersDatabase {
  /// The changes that a query selects, oldest first, and the id of the newest change recorded
  /// at that time: the mark to set once the changes were shown.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  public func fetchChanges(
    _ query: ChangeQuery
  ) async throws(OffersError) -> (changes: [OfferChange], lastID: Int64) {
    try await read { transaction in
      (
        try self.selection(query, in: transaction).changes(),
        try ChangeTable.fetchLastID(in: transaction)
      )
    }
  }

  /// A page of the changes that a query selects, for callers that read in steps. The query's limit counts
  /// from the oldest change. For the next page, `lastID` and `lastExpiring` of the page become
  /// `afterID` and `afterExpiring` of the query.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for an `afterID`
  ///   that the database has not recorded.
  package func fetchChangePage(_ query: ChangeQuery) async throws(OffersError) -> ChangePage {
    try await read { try self.selection(query, in: $0).page() }
  }

  /// The changes that a query selects, oldest first, to be read in parts.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  package func selectChanges(_ query: ChangeQuery) async throws(OffersError) -> LongChangeList {
    let (keys, lastID) = try await read { transaction in
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
  ) async throws(OffersError) -> (list: LongChangeList, since: Date) {
    let (keys, lastID, since) = try await read { [user] transaction in
      let marks = try ReaderTable.marks(of: reader, user: user, in: transaction)
      let whole = marks[ChangeSelection(of: ChangeQuery(now: query.now))]
      let own = marks[ChangeSelection(of: query)]
      let week = query.now - News.firstReadSeconds
      let base = whole ?? own.flatMap { $0.readAt < week ? $0 : nil }
      let start = base?.readAt ?? week
      var query = query
      query.afterID = base?.changeID
      // Expiring offers have no id, so they are selected by time. Those that were expiring at
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

  /// The changes that a query selects.
  ///
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
  package func fetchHistory(
    named text: String, _ bounds: HistoryQuery
  ) async throws(OffersError) -> HistoryPage {
    try await transaction(.read) { [user] transaction in
      let stored = try OfferTable.fetch(named: text, of: user, in: transaction)
      return try ChangeTable.historyPage(of: stored, bounds, in: transaction)
    }
  }
}

extension OffersDatabase {
  /// The whole history of an offer's reward and texts, oldest first.
  ///
  /// - Throws: as `fetchHistory(named:_:)`.
  public func fetchHistory(
    named text: String
  ) async throws(OffersError) -> (offer: UserOffer, points: [RewardPoint]) {
    let page = try await fetchHistory(named: text, HistoryQuery())
    return (page.offer, page.points)
  }
}

/// The changes that a query selected, oldest first, whose offers are read in parts.
package struct LongChangeList: Sendable {
  fileprivate let keys: [ChangeTable.Key]
  /// The id of the newest recorded change at the time of the query: the mark to set once all
  /// changes were shown.
  package let lastID: Int64
  fileprivate let query: ChangeQuery
  fileprivate let store: OffersDatabase

  /// The number of selected changes.
  package var count: Int { keys.count }

  /// Reads the changes at a range of positions, which is clamped to `0..<count`. Changes whose offers
  /// were removed after the selection are omitted.
  package func fetch(_ range: Range<Int>) async throws(OffersError) -> [OfferChange] {
    let part = Array(keys[range.clamped(to: keys.indices)])
    return try await store.transaction(.read) { [query, user = store.user] in
      try SelectedChanges(query, of: user, in: $0).view(part)
    }
  }
}

extension OffersDatabase {
  /// The news after a mark, and the id of the newest change.
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
  ) async throws(OffersError) -> (news: News, lastID: Int64) {
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

/// The changes of a query as a user sees them, in one transaction.
package struct SelectedChanges {
  private let query: ChangeQuery
  private let user: User.ID
  private let transaction: any Transaction

  /// - Parameters:
  ///   - query: selects the changes. Its feed is one that users can read.
  ///   - user: the user whose favorites are selected and marked.
  ///   - transaction: the transaction that reads the changes.
  package init(_ query: ChangeQuery, of user: User.ID, in transaction: any Transaction) {
    self.query = query
    self.user = user
    self.transaction = transaction
  }

  /// The changes since the start of a query that belong to a part which a reader has read.
  ///
  /// - Parameters:
  ///   - query: the query, of which only the start counts.
  ///   - part: the part. Of favorites, those count that were starred before the reading.
  ///   - mark: the mark of the reading.
  init(
    _ query: ChangeQuery, readOf part: ChangeSelection, at mark: ReaderMark, of user: User.ID,
    in transaction: any Transaction
  ) throws {
    var read = ChangeQuery(
      since: query.since, afterID: query.afterID, kinds: part.kinds, feed: part.feed,
      now: query.now)
    if part.favoritesOnly {
      read.offers = try FavoriteTable.refs(of: user, before: mark.readAt, in: transaction)
    }
    self.init(read, of: user, in: transaction)
  }

  /// The changes, the oldest first.
  package func changes() throws -> [OfferChange] { try view(keys()) }

  /// The keys of the changes, the oldest first.
  func keys() throws -> [ChangeTable.Key] {
    let keys =
      try ChangeTable.recorded(
        query, of: user, isNewest: true, limit: query.limit, in: transaction)
      + ChangeTable.expiring(query, of: user, isNewest: true, limit: query.limit, in: transaction)
    return Self.sorted(keys).suffix(max(0, query.limit ?? .max))
  }

  /// The offer of a recorded change does not count, because no other change has its id.
  private static func sorted(_ keys: [ChangeTable.Key]) -> [ChangeTable.Key] {
    keys.sorted { ($0.at, $0.id, $0.offerKey) < ($1.at, $1.id, $1.offerKey) }
  }

  /// The first page of the changes.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if `afterID` is larger than the newest change.
  func page() throws -> ChangePage {
    let newestID = try ChangeTable.fetchLastID(in: transaction)
    if let id = query.afterID, id > newestID {
      throw OffersError(
        .invalidRequest, "This store has no change with that number.",
        hint: "It may be another store or an older copy. Start again with a time.")
    }
    let limit = min(max(0, query.limit ?? .max), .max - 1)
    let recorded = try ChangeTable.recorded(
      query, of: user, isNewest: false, limit: limit + 1, in: transaction)
    if recorded.count > limit {
      let page = Array(recorded.prefix(limit))
      return ChangePage(
        changes: try view(page), lastID: page.last?.id ?? query.afterID ?? 0, hasMore: true,
        lastExpiring: query.afterExpiring)
    }
    let room = limit - recorded.count
    let expiring = try ChangeTable.expiring(query, of: user, limit: room + 1, in: transaction)
    let page = expiring.prefix(room)
    var last: ExpiringPosition?
    if expiring.count > room {
      // The next page continues after the last expiring offer of this page. If this page has none, it
      // starts where this page would have started.
      last =
        page.last.map {
          ExpiringPosition(at: Date(storedSeconds: $0.at), offerKey: $0.offerKey)
        } ?? query.afterExpiring ?? ExpiringPosition(at: .distantPast, offerKey: 0)
    }
    return ChangePage(
      changes: try view(recorded + page), lastID: newestID, hasMore: expiring.count > room,
      lastExpiring: last)
  }

  /// The candidates for a reader's news: changes of favorites, new offers that look like a gone favorite,
  /// and favorites that expire soon; the oldest first.
  ///
  /// - Parameter start: the time from which recorded changes count without a reader's mark.
  func news(since start: Date) throws -> [OfferChange] {
    var recorded = query
    if query.afterID == nil { recorded.since = start }
    recorded.kinds = Set(OfferChange.Kind.allCases).subtracting([.new])
    let lost = try LostFavorites(of: user, in: transaction)
    let keys =
      try ChangeTable.recorded(recorded, of: user, isNewest: false, limit: nil, in: transaction)
      + ChangeTable.newWithName(of: lost, recorded, in: transaction)
      + ChangeTable.expiring(query, of: user, limit: nil, in: transaction)
    return try view(Self.sorted(keys))
  }

  /// The changes of some keys, in their order. Those whose offers were removed are left out.
  func view(_ keys: [ChangeTable.Key]) throws -> [OfferChange] {
    let entries = try ChangeTable.entries(at: keys, of: user, in: transaction)
    let recorded = entries.filter { $0.key.id > 0 && $0.stored != nil }
    let rewards = try ChangeTable.rewardChanges(
      of: Set(recorded.compactMap { $0.stored?.key }), from: recorded.map(\.key.id).min() ?? 0,
      in: transaction)
    let lost =
      entries.contains { $0.kind == .new }
      ? try LostFavorites(of: user, in: transaction) : LostFavorites()
    return try entries.map { entry in
      let id = entry.key.id
      let at = Date(storedSeconds: entry.key.at)
      guard let stored = entry.stored else {
        return OfferChange(
          changeID: id, firstSyncOf: entry.feed, offerCount: entry.offerCount ?? 0, at: at)
      }
      let offer = stored.offer
      // The reward right after the change: the one before the next change of the reward.
      var reward = offer.reward
      if id > 0, let later = rewards[stored.key]?.first(where: { $0.id > id }) {
        reward = later.old
      }
      let own = entry.fields?.rewards
      return OfferChange(
        changeID: id > 0 ? id : nil, kind: entry.kind, at: at,
        offer: query.textBytes.map { offer.abridged(toBytes: $0) } ?? offer,
        oldReward: fit(own?.old), newReward: fit(own?.new),
        reward: fit(own.map(\.new) ?? reward), fields: entry.fields?.names ?? [],
        texts: entry.fields?.texts ?? [], returned: try findReturned(entry.kind, offer, lost))
    }
  }

  /// The offer that an offer replaces, or that replaces it.
  private func findReturned(
    _ kind: OfferChange.Kind, _ offer: UserOffer, _ lost: LostFavorites
  ) throws -> OfferRef? {
    switch kind {
    case .new: lost.find(offer)
    case .gone where offer.isFavorite:
      try LostFavorites.successor(of: offer, user: user, in: transaction)
    default: nil
    }
  }

  /// The reward, with its text abridged if the query limits texts.
  private func fit(_ reward: Reward?) -> Reward? {
    query.textBytes.map { reward?.abridged(toBytes: $0) } ?? reward
  }
}
