import Foundation
import OffersCore

extension MemoryStore: HouseholdRepository {
  package func share(_ refs: [OfferRef], at time: Date) async throws -> [SharingChange] {
    try share(at: time) { _ in refs }
  }

  package func share(named names: [String], at time: Date) async throws -> [SharingChange] {
    try share(at: time) { state in try names.map { try state.fetch(named: $0).ref } }
  }

  package func unshare(_ refs: [OfferRef]) async throws -> [SharingChange] {
    try unshare { _ in refs }
  }

  package func unshare(named names: [String]) async throws -> [SharingChange] {
    try unshare { state in try names.map { try state.fetch(named: $0).ref } }
  }

  package func findHouseholdOffer(_ ref: OfferRef) async throws -> HouseholdOffer? {
    try read { state in state.find(ref).map { state.withSharers($0, of: user) } }
  }

  package func fetchHousehold(
    _ query: HouseholdQuery, maximumBytes: Int
  ) async throws -> HouseholdPage {
    try read { state in
      try state.checkFeed(query.feed)
      var list = state.household(of: user).filter { query.feed ?? $0.id.feed == $0.id.feed }
      if let start = try query.start() {
        list = list.filter { Self.precedes((start.sharedAt, start.ref), Self.place(of: $0)) }
      }
      let rest = list.dropFirst(max(0, query.offset))
      let page = rest.prefix(max(0, query.limit ?? .max)).map { found in
        HouseholdOffer(
          offer: query.textBytes.map { found.offer.abridged(toBytes: $0) } ?? found.offer,
          sharers: found.sharers)
      }
      return HouseholdPage(
        of: page, hasMore: page.count < rest.count, maximumBytes: maximumBytes)
    }
  }

  package func countHousehold() async throws -> Int {
    try read { $0.household(of: user).count }
  }

  private func share(
    at time: Date, _ refs: (MemoryState) throws -> [OfferRef]
  ) throws -> [SharingChange] {
    try changeSharing(refs) { state, ref in
      try state.changeRecord(of: user) { record in
        if record.favorites[ref] == nil { record.favorites[ref] = time }
        if record.shared[ref] != nil { return false }
        record.shared[ref] = time.inSeconds
        return true
      }
    }
  }

  private func unshare(_ refs: (MemoryState) throws -> [OfferRef]) throws -> [SharingChange] {
    try changeSharing(refs) { state, ref in
      let sharers = state.records.filter { $0.value.shared[ref] != nil }.keys
      for id in sharers { state.records[id]?.shared[ref] = nil }
      return !sharers.isEmpty
    }
  }

  private func changeSharing(
    _ refs: (MemoryState) throws -> [OfferRef],
    _ change: (inout MemoryState, OfferRef) throws -> Bool
  ) throws -> [SharingChange] {
    try write { state in
      try state.changeRecord(of: user) { _ in }
      return try refs(state).map { ref in
        guard let offer = state.find(ref) else {
          throw OffersError(.notFound, "There is no offer “\(ref)”.")
        }
        let didChange = try change(&state, ref)
        return SharingChange(offer: state.withSharers(offer, of: user), didChange: didChange)
      }
    }
  }

  fileprivate static func place(of offer: HouseholdOffer) -> (Int64, OfferRef) {
    (Int64(offer.sharers[0].sharedAt.timeIntervalSince1970), offer.id)
  }

  /// Whether a place comes before another one in the list.
  fileprivate static func precedes(_ one: (Int64, OfferRef), _ other: (Int64, OfferRef)) -> Bool {
    one.0 == other.0 ? one.1 < other.1 : one.0 > other.0
  }
}

extension MemoryState {
  fileprivate func withSharers(_ offer: MemoryOffer, of user: User.ID) -> HouseholdOffer {
    let sharers = users.compactMap { user in
      record(of: user.id).shared[offer.ref].map {
        HouseholdOffer.Sharer(id: user.id, name: user.name, sharedAt: $0)
      }
    }
    return HouseholdOffer(
      offer: view(offer, of: user),
      sharers: sharers.sorted { ($0.sharedAt, $0.id) < ($1.sharedAt, $1.id) })
  }

  /// The household list in its order.
  fileprivate func household(of user: User.ID) -> [HouseholdOffer] {
    offers.map { withSharers($0, of: user) }.filter(\.isShared).sorted {
      MemoryStore.precedes(MemoryStore.place(of: $0), MemoryStore.place(of: $1))
    }
  }
}
