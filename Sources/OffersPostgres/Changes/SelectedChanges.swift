import Foundation
import OffersCore
import OffersStore

/// The changes of a query as a user sees them.
enum SelectedChanges {
  /// The changes, the oldest first.
  static func changes(
    _ query: ChangeQuery, of user: User.ID, in connection: Connection
  ) throws -> [OfferChange] {
    try FeedTable.check(query.feed, in: PostgresTransaction(connection))
    let limit = max(0, query.limit ?? .max)
    let entries =
      try ChangeTable.recorded(
        query, of: user, isNewest: true, limit: query.limit, in: connection)
      + ChangeTable.expiring(query, of: user, isNewest: true, limit: query.limit, in: connection)
    let sorted = entries.sorted { ($0.at, $0.id, $0.key) < ($1.at, $1.id, $1.key) }.suffix(limit)
    return try view(Array(sorted), query, of: user, in: connection)
  }

  /// The keys of the changes, the oldest first.
  static func keys(
    _ query: ChangeQuery, of user: User.ID, in connection: Connection
  ) throws -> [ChangeTable.Key] {
    try FeedTable.check(query.feed, in: PostgresTransaction(connection))
    let keys =
      try ChangeTable.keys(query, of: user, in: connection)
      + ChangeTable.expiringKeys(query, of: user, in: connection)
    // The offer of a recorded change does not count, because no other one has its number.
    return keys.sorted { ($0.at, $0.id, $0.offerKey) < ($1.at, $1.id, $1.offerKey) }
      .suffix(max(0, query.limit ?? .max))
  }

  /// The first page of the changes.
  static func page(
    _ query: ChangeQuery, of user: User.ID, in connection: Connection
  ) throws -> ChangePage {
    try FeedTable.check(query.feed, in: PostgresTransaction(connection))
    let newestID = try ChangeTable.fetchLastID(in: connection)
    if let id = query.afterID, id > newestID {
      throw OffersError(.invalidRequest, "This store has no change with that number.")
    }
    let limit = max(0, query.limit ?? .max - 1)
    let recorded = try ChangeTable.recorded(
      query, of: user, isNewest: false, limit: limit + 1, in: connection)
    if recorded.count > limit {
      let page = Array(recorded.prefix(limit))
      return ChangePage(
        changes: try view(page, query, of: user, in: connection),
        lastID: page.last?.id ?? query.afterID ?? 0, hasMore: true,
        lastExpiring: query.afterExpiring)
    }
    let room = limit - recorded.count
    let expiring = try ChangeTable.expiring(query, of: user, limit: room + 1, in: connection)
    let page = expiring.prefix(room)
    var last: ExpiringPosition?
    if expiring.count > room {
      last =
        page.last.map { ExpiringPosition(at: $0.at, offerKey: $0.key) } ?? query.afterExpiring
        ?? ExpiringPosition(at: .distantPast, offerKey: 0)
    }
    return ChangePage(
      changes: try view(recorded + page, query, of: user, in: connection), lastID: newestID,
      hasMore: expiring.count > room, lastExpiring: last)
  }

  /// The candidates for a reader's news: changes of favorites, new offers that look like a gone favorite,
  /// and favorites that expire soon; the oldest first.
  ///
  /// - Parameters:
  ///   - query: selects favorites, after the reader's mark if there is one.
  ///   - start: the time from which recorded changes count without a mark.
  ///   - user: the user whose news they are.
  ///   - connection: runs the statements.
  static func news(
    _ query: ChangeQuery, since start: Date, of user: User.ID, in connection: Connection
  ) throws -> [OfferChange] {
    var recorded = query
    if query.afterID == nil { recorded.since = start }
    let entries =
      try ChangeTable.recorded(recorded, of: user, isNewest: false, limit: nil, in: connection)
      .filter { $0.kind != .new } + ChangeTable.newWithFavorite(recorded, of: user, in: connection)
      + ChangeTable.expiring(query, of: user, limit: nil, in: connection)
    return try view(
      entries.sorted { ($0.at, $0.id, $0.key) < ($1.at, $1.id, $1.key) }, query, of: user,
      in: connection)
  }

  static func view(
    _ entries: [ChangeTable.Entry], _ query: ChangeQuery, of user: User.ID,
    in connection: Connection
  ) throws -> [OfferChange] {
    if entries.isEmpty { return [] }
    let recorded = entries.filter { $0.id > 0 && $0.stored != nil }
    let rewards = try ChangeTable.rewardChanges(
      of: Set(recorded.map(\.key)).sorted(), from: recorded.map(\.id).min() ?? 0, in: connection)
    let lost = try LostFavorites(of: user, in: PostgresTransaction(connection))
    func fit(_ reward: Reward?) -> Reward? {
      query.textBytes.map { reward?.abridged(toBytes: $0) } ?? reward
    }
    return try entries.map { entry in
      guard let offer = entry.stored?.offer else {
        return OfferChange(
          changeID: entry.id, firstSyncOf: entry.feed, offerCount: entry.offerCount ?? 0,
          at: entry.at)
      }
      // The reward right after the change: the one before the next change of the reward.
      var reward = offer.reward
      if entry.id > 0, let later = rewards[entry.key]?.first(where: { $0.id > entry.id }) {
        reward = later.old
      }
      let own = entry.fields?.rewards
      var returned: OfferRef?
      if entry.kind == .new { returned = lost.find(offer) }
      if entry.kind == .gone, offer.isFavorite {
        returned = try LostFavorites.successor(
          of: offer, user: user, in: PostgresTransaction(connection))
      }
      return OfferChange(
        changeID: entry.id > 0 ? entry.id : nil, kind: entry.kind, at: entry.at,
        offer: query.textBytes.map { offer.abridged(toBytes: $0) } ?? offer,
        oldReward: fit(own?.old), newReward: fit(own?.new),
        reward: fit(own.map(\.new) ?? reward), fields: entry.fields?.names ?? [],
        texts: entry.fields?.texts ?? [], returned: returned)
    }
  }
}
