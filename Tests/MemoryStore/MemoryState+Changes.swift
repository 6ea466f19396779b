import Foundation
import OffersCore

extension MemoryState {
  /// A selected change: a recorded one, or that an offer expires.
  private struct Entry {
    var change: MemoryChange?
    let offer: MemoryOffer?
    let at: Date

    var id: Int64 { change?.id ?? 0 }
    var key: Int64 { offer?.key ?? 0 }
  }

  /// The changes of a query, the oldest first, as a user sees them.
  func changes(_ query: ChangeQuery, of user: User.ID) throws -> [OfferChange] {
    try checkFeed(query.feed)
    let limit = max(0, query.limit ?? .max)
    let entries = recorded(query, of: user).suffix(limit) + expiring(query, of: user)
    return entries.sorted { ($0.at, $0.id, $0.key) < ($1.at, $1.id, $1.key) }.suffix(limit)
      .map { view($0, query, of: user) }
  }

  /// The first page of a query's changes.
  func changePage(_ query: ChangeQuery, of user: User.ID) throws -> ChangePage {
    try checkFeed(query.feed)
    if let id = query.afterID, id > lastChangeID {
      throw OffersError(.invalidRequest, "This store has no change with that number.")
    }
    let limit = query.limit ?? .max
    let recorded = recorded(query, of: user)
    if recorded.count > limit {
      let page = recorded.prefix(limit)
      return ChangePage(
        changes: page.map { view($0, query, of: user) }, lastID: page.last?.id ?? lastChangeID,
        hasMore: true, lastExpiring: query.afterExpiring)
    }
    let expiring = expiring(query, of: user).sorted { ($0.at, $0.key) < ($1.at, $1.key) }
    let room = limit - recorded.count
    let page = expiring.prefix(room)
    var last: ExpiringPlace?
    if expiring.count > room {
      last =
        page.last.map { ExpiringPlace(at: $0.at, offerKey: $0.key) } ?? query.afterExpiring
        ?? ExpiringPlace(at: .distantPast, offerKey: 0)
    }
    return ChangePage(
      changes: (recorded + page).map { view($0, query, of: user) }, lastID: lastChangeID,
      hasMore: expiring.count > room, lastExpiring: last)
  }

  private func recorded(_ query: ChangeQuery, of user: User.ID) -> [Entry] {
    let favorites = record(of: user).favorites
    return changes.compactMap { change in
      guard change.id > query.afterID ?? 0,
        query.afterID != nil || query.since.map({ change.at >= $0 }) ?? true,
        query.feed ?? change.feed == change.feed, query.kinds?.contains(change.told) ?? true
      else { return nil }
      if change.kind == .first {
        return query.favoritesOnly || query.offers != nil
          ? nil : Entry(change: change, offer: nil, at: change.at)
      }
      guard let offer = findPlace(change.key).map({ offers[$0] }),
        !query.favoritesOnly || favorites[offer.ref] != nil,
        query.offers?.contains(offer.ref) ?? true
      else { return nil }
      return Entry(change: change, offer: offer, at: change.at)
    }
  }

  private func expiring(_ query: ChangeQuery, of user: User.ID) -> [Entry] {
    guard query.kinds?.contains(.expiring) ?? true else { return [] }
    let favorites = record(of: user).favorites
    return offers.compactMap { offer in
      let seconds = OfferChange.expiringSeconds
      guard isCurrent(offer), let end = offer.content.date(.expiresAt), end > query.now,
        end <= query.now + seconds, query.feed ?? offer.ref.feed == offer.ref.feed,
        !query.favoritesOnly || favorites[offer.ref] != nil,
        query.offers?.contains(offer.ref) ?? true
      else { return nil }
      let at = max(offer.firstSeenAt, end - seconds)
      if let since = query.since, at < since { return nil }
      if let place = query.afterExpiring, (at, offer.key) <= (place.at, place.offerKey) {
        return nil
      }
      return Entry(change: nil, offer: offer, at: at)
    }
  }

  private func view(_ entry: Entry, _ query: ChangeQuery, of user: User.ID) -> OfferChange {
    guard let offer = entry.offer else {
      return OfferChange(
        changeID: entry.id, firstSyncOf: entry.change?.feed ?? "",
        offerCount: entry.change?.offerCount ?? 0, at: entry.at)
    }
    func fit(_ reward: Reward?) -> Reward? {
      query.textBytes.map { reward?.abridged(toBytes: $0) } ?? reward
    }
    let shown = view(offer, of: user)
    let change = entry.change
    let isOfReward = change?.isOfReward == true
    return OfferChange(
      changeID: change?.id, kind: change?.told ?? .expiring, at: entry.at,
      offer: query.textBytes.map { shown.abridged(toBytes: $0) } ?? shown,
      oldReward: fit(isOfReward ? change?.oldReward : nil),
      newReward: fit(isOfReward ? change?.reward : nil),
      reward: fit(change == nil ? shown.reward : change?.reward),
      fields: change?.fields.map(\.name) ?? [], texts: change?.texts ?? [],
      returned: change?.kind == .new
        ? lost(before: offer, of: user)
        : change?.kind == .gone && shown.isFavorite ? successor(of: offer, user: user) : nil)
  }

  /// The gone favorite of a user that a new offer probably replaces.
  private func lost(before offer: MemoryOffer, of user: User.ID) -> OfferRef? {
    let favorites = record(of: user).favorites
    if favorites[offer.ref] != nil { return nil }
    return lostFavorites(like: offer, favorites).first { lost in
      lost.goneAt.map { $0 <= offer.firstSeenAt } ?? false
    }?.ref
  }

  private func lostFavorites(
    like offer: MemoryOffer, _ favorites: [OfferRef: Date]
  ) -> [MemoryOffer] {
    offers.filter {
      $0.ref.feed == offer.ref.feed && $0.goneAt != nil && favorites[$0.ref] != nil
        && $0.isNamedLike(offer)
    }.sorted { $0.ref < $1.ref }
  }

  /// The offer that probably replaces a gone favorite of a user: a newer one with the same name and
  /// description that came at most 30 days before the favorite vanished.
  private func successor(of favorite: MemoryOffer, user: User.ID) -> OfferRef? {
    guard let goneAt = favorite.goneAt else { return nil }
    let favorites = record(of: user).favorites
    return offers.first { offer in
      offer.ref.feed == favorite.ref.feed && isCurrent(offer) && favorites[offer.ref] == nil
        && offer.isNamedLike(favorite) && offer.firstSeenAt > favorite.firstSeenAt
        && offer.firstSeenAt >= goneAt - 30 * 86_400 && offer.firstSeenAt < goneAt
    }?.ref
  }

  /// The new offers that are probably gone favorites of a user under another id, at most 20.
  func returned(among new: ArraySlice<MemoryOffer>, of user: User.ID) -> [ReturnedFavorite] {
    let favorites = record(of: user).favorites
    let found = new.compactMap { offer in
      lostFavorites(like: offer, favorites).first.map { lost in
        ReturnedFavorite(
          favorite: lost.ref, offer: offer.ref, name: offer.content.text(.name) ?? "")
      }
    }
    return Array(found.prefix(20))
  }
}
