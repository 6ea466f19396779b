import Foundation
import OffersCore

extension MemoryStore: OfferRepository {
  package func findOffer(_ ref: OfferRef) async throws -> UserOffer? {
    try read { state in state.find(ref).map { state.view($0, of: user) } }
  }

  package func fetchOffer(named text: String) async throws -> UserOffer {
    try read { state in try state.view(state.fetch(named: text), of: user) }
  }

  package func fetchOffers(_ query: OfferQuery) async throws -> [UserOffer] {
    try read { Array(try $0.select(query, of: user).prefix(max(0, query.limit ?? .max))) }
  }

  package func fetchOfferPage(
    _ query: OfferQuery, maximumBytes: Int
  ) async throws -> OfferPage {
    try read { state in
      let all = try state.select(query, of: user)
      var page: [UserOffer] = []
      var bytes = 0
      for offer in all.prefix(max(0, query.limit ?? .max)) {
        bytes += offer.textBytes
        if bytes > maximumBytes, !page.isEmpty { break }
        page.append(offer)
      }
      return OfferPage(offers: page, hasMore: page.count < all.count)
    }
  }

  package func countOffers(_ query: OfferQuery) async throws -> Int {
    var all = query
    all.offset = 0
    return try read { try $0.select(all, of: user).count }
  }
}

extension MemoryStore: LabelRepository {
  package func fetchRetailers(of feed: String?) async throws -> [String] {
    try read { $0.labels(of: feed) { [$0.retailer].compactMap(\.self) } }
  }

  package func fetchCategories(of feed: String?) async throws -> [String] {
    try read { $0.labels(of: feed, \.categories) }
  }
}

extension MemoryState {
  /// The labels of offers, the most frequent first.
  fileprivate func labels(of feed: String?, _ labels: (Offer) -> [String]) -> [String] {
    var counts: [String: Int] = [:]
    for offer in offers where feed == nil || offer.ref.feed == feed {
      for label in labels(offer.offer()) {
        counts[label, default: 0] += 1
      }
    }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.prefix(1000).map(\.key)
  }

  /// The offers of a query in its order, as a user sees them, without its limit.
  fileprivate func select(_ query: OfferQuery, of user: User.ID) throws -> [UserOffer] {
    try checkFeed(query.feed)
    var query = query
    let now = query.now ?? Date()
    query.now = now
    let order = MemoryOrder(query)
    func place(_ offer: MemoryOffer, _ view: UserOffer) -> MemoryOrder.Place {
      MemoryOrder.Place(values: OfferPlace(of: view.offer, in: query).values, key: offer.key)
    }
    var start: MemoryOrder.Place?
    if let after = query.after {
      guard let offer = find(after.ref) else {
        throw OffersError(
          .invalidRequest, "The offer after which the list continues was removed.")
      }
      let current = place(offer, view(offer, of: user))
      let values = after.values.isEmpty ? current.values : after.values
      guard order.fits(values) else {
        throw OffersError(
          .invalidRequest, "The position to continue from belongs to another sort order.")
      }
      start = MemoryOrder.Place(values: values, key: offer.key)
    }
    let selected = offers.compactMap { offer -> (place: MemoryOrder.Place, offer: UserOffer)? in
      let view = view(offer, of: user)
      guard isSelected(offer, view, by: query, at: now) else { return nil }
      let place = place(offer, view)
      if let start, !order.precedes(start, place) { return nil }
      return (place, view)
    }
    return selected.sorted { order.precedes($0.place, $1.place) }.dropFirst(max(0, query.offset))
      .map { entry in query.textBytes.map { entry.offer.abridged(toBytes: $0) } ?? entry.offer }
  }

  private func isSelected(
    _ offer: MemoryOffer, _ view: UserOffer, by query: OfferQuery, at now: Date
  ) -> Bool {
    if query.favoritesOnly && !view.isFavorite { return false }
    if query.goneOnly ? view.goneAt == nil : !query.favoritesOnly && !isCurrent(offer) {
      return false
    }
    if let feed = query.feed, feed != view.ref.feed { return false }
    if query.excludesExpired && view.isExpired(at: now) { return false }
    if let date = query.newSince, view.firstSeenAt < date { return false }
    if let range = query.expiring, !(view.expiresAt.map(range.contains) ?? false) { return false }
    if let retailer = query.retailer,
      !(view.retailer.map { NaturalOrder.isSame($0, retailer) } ?? false)
    {
      return false
    }
    if let category = query.category,
      !view.categories.contains(where: { NaturalOrder.isSame($0, category) })
    {
      return false
    }
    let isPriced = query.pricedFeeds.contains(view.ref.feed)
    if let minimum = query.rewardMinimum, isPriced || !view.reward.reaches(minimum) { return false }
    if let maximum = query.priceMaximum, !isPriced || !view.reward.isWithin(maximum) {
      return false
    }
    return true
  }
}

extension Reward? {
  fileprivate func reaches(_ minimum: OfferQuery.RewardMinimum) -> Bool {
    switch (minimum, self?.value) {
    case (.amount(let least, let wanted), .amount(let units, let currency)):
      currency == wanted && units >= least
    case (.anyAmount(let least, let others), .amount(let units, _)?):
      bound(others, least).map { units >= $0 } ?? false
    case (.percent(let least), .percent(let hundredths)): hundredths >= least
    default: false
    }
  }

  fileprivate func isWithin(_ maximum: OfferQuery.PriceMaximum) -> Bool {
    guard case .amount(let units, let currency) = self?.value else { return false }
    return switch maximum {
    case .amount(let most, let wanted): currency == wanted && units <= most
    case .anyAmount(let most, let others): bound(others, most).map { units <= $0 } ?? false
    }
  }

  private func bound(_ others: [String: Int64], _ all: Int64?) -> Int64? {
    self?.value?.storedCurrency.flatMap { others[$0] } ?? all
  }
}
