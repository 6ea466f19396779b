import Foundation
import OffersCore

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

  /// The offer of a recorded change does not count, because no other change has its number.
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

  private func fit(_ reward: Reward?) -> Reward? {
    query.textBytes.map { reward?.abridged(toBytes: $0) } ?? reward
  }
}
