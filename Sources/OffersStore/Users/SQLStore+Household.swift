import Foundation
import OffersCore

/// `HouseholdRepository`.
extension SQLStore {
  @discardableResult
  public func share(_ refs: [OfferRef], at time: Date) async throws -> [SharingChange] {
    try await share(at: time) { _ in refs }
  }

  @discardableResult
  public func share(named names: [String], at time: Date) async throws -> [SharingChange] {
    try await share(at: time) { [user] in try OfferTable.refs(named: names, of: user, in: $0) }
  }

  @discardableResult
  public func unshare(_ refs: [OfferRef]) async throws -> [SharingChange] {
    try await unshare { _ in refs }
  }

  @discardableResult
  public func unshare(named names: [String]) async throws -> [SharingChange] {
    try await unshare { [user] in try OfferTable.refs(named: names, of: user, in: $0) }
  }

  public func findHouseholdOffer(_ ref: OfferRef) async throws -> HouseholdOffer? {
    try await transaction(.read) { [user] transaction in
      let offer = try OfferTable.find(ref, of: user, in: transaction)?.offer
      return try HouseholdTable.withSharers(offer.map { [$0] } ?? [], in: transaction).first
    }
  }

  public func fetchHousehold(
    _ query: HouseholdQuery, maximumBytes: Int
  ) async throws -> HouseholdOfferPage {
    try await transaction(.read) { [user] transaction in
      try self.checkFeed(query.feed, in: transaction)
      let limit = query.limit.map { max(0, $0) }
      var next = query
      next.limit = limit?.adding(clamped: 1)
      let offers = try HouseholdTable.offers(
        next, of: user, maximumBytes: maximumBytes, in: transaction)
      let page = Array(offers.prefix(limit ?? .max))
      return HouseholdOfferPage(
        of: try HouseholdTable.withSharers(page, in: transaction),
        hasMore: page.count < offers.count, maximumBytes: maximumBytes)
    }
  }

  public func countHousehold(of feed: String?) async throws -> Int {
    try await transaction(.query) { try HouseholdTable.count(of: feed, in: $0) }
  }

  private func share(
    at time: Date, _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef]
  ) async throws -> [SharingChange] {
    try await changeSharing(refs) { [user] refs, transaction in
      _ = try FavoriteTable.insert(refs, of: user, at: time, in: transaction)
      return try HouseholdTable.share(refs, of: user, at: time, in: transaction)
    }
  }

  private func unshare(
    _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef]
  ) async throws -> [SharingChange] {
    try await changeSharing(refs) { try HouseholdTable.unshare($0, in: $1) }
  }

  /// Changes the sharing of offers in one transaction, which an unknown offer rolls back.
  ///
  /// - Parameters:
  ///   - refs: the offers.
  ///   - change: changes their sharing, and returns those for which it was different.
  private func changeSharing(
    _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef],
    _ change: @escaping @Sendable ([OfferRef], any Transaction) throws -> Set<OfferRef>
  ) async throws -> [SharingChange] {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      let refs = try refs(transaction)
      try OfferTable.checkStorable(refs)
      var changed = try change(refs, transaction)
      let offers = try OfferTable.find(refs, of: user, in: transaction)
      let shared = try HouseholdTable.withSharers(
        refs.map { ref in
          guard let offer = offers[ref] else { throw OfferTable.unknown(ref) }
          return offer
        }, in: transaction)
      return zip(refs, shared).map { ref, offer in
        SharingChange(offer: offer, didChange: changed.remove(ref) != nil)
      }
    }
  }
}
