import Foundation
import OffersCore
import OffersStore

extension PostgresStore: HouseholdRepository {
  @discardableResult
  package func share(_ refs: [OfferRef], at time: Date) async throws -> [SharingChange] {
    try await share(at: time) { _ in refs }
  }

  @discardableResult
  package func share(named names: [String], at time: Date) async throws -> [SharingChange] {
    try await share(at: time) { [user] in try Self.refs(named: names, of: user, in: $0) }
  }

  @discardableResult
  package func unshare(_ refs: [OfferRef]) async throws -> [SharingChange] {
    try await unshare { _ in refs }
  }

  @discardableResult
  package func unshare(named names: [String]) async throws -> [SharingChange] {
    try await unshare { [user] in try Self.refs(named: names, of: user, in: $0) }
  }

  package func findHouseholdOffer(_ ref: OfferRef) async throws -> HouseholdOffer? {
    try await database.read { [user] connection in
      let offer = try OfferTable.find(ref, of: user, in: connection)?.offer
      return try HouseholdTable.withSharers(offer.map { [$0] } ?? [], in: connection).first
    }
  }

  package func fetchHousehold(
    _ query: HouseholdQuery, maximumBytes: Int
  ) async throws -> HouseholdPage {
    try await database.read { [user] connection in
      try FeedTable.check(query.feed, in: PostgresTransaction(connection))
      var next = query
      if let limit = query.limit { next.limit = limit + 1 }
      let offers = try HouseholdTable.offers(next, of: user, in: connection)
      let page = Array(offers.prefix(query.limit ?? .max))
      return HouseholdPage(
        of: try HouseholdTable.withSharers(page, in: connection),
        hasMore: page.count < offers.count, maximumBytes: maximumBytes)
    }
  }

  package func countHousehold() async throws -> Int {
    try await database.readOnce { try HouseholdTable.count(in: $0) }
  }

  private func share(
    at time: Date, _ refs: @escaping @Sendable (Connection) throws -> [OfferRef]
  ) async throws -> [SharingChange] {
    try await changeSharing(refs) { [user] refs, connection in
      try Self.star(refs, of: user, at: time, in: connection)
      return try HouseholdTable.share(refs, of: user, at: time, in: connection)
    }
  }

  private func unshare(
    _ refs: @escaping @Sendable (Connection) throws -> [OfferRef]
  ) async throws -> [SharingChange] {
    try await changeSharing(refs) { [user] in try HouseholdTable.unshare($0, by: user, in: $1) }
  }

  /// Changes the sharing of offers in one transaction, which an unknown offer rolls back.
  ///
  /// - Parameters:
  ///   - refs: the offers.
  ///   - change: changes their sharing, and returns those for which it was different.
  private func changeSharing(
    _ refs: @escaping @Sendable (Connection) throws -> [OfferRef],
    _ change: @escaping @Sendable ([OfferRef], Connection) throws -> Set<OfferRef>
  ) async throws -> [SharingChange] {
    try await database.write(isRepeatable: true) { [user] connection in
      try UserTable.check(user, in: PostgresTransaction(connection))
      let refs = try refs(connection)
      try Self.checkStorable(refs)
      var changed = try change(refs, connection)
      let offers = try Self.offers(refs, of: user, in: connection)
      let shared = try HouseholdTable.withSharers(
        refs.map { ref in
          guard let offer = offers[ref] else { throw Self.unknown(ref) }
          return offer
        }, in: connection)
      return zip(refs, shared).map { ref, offer in
        SharingChange(offer: offer, didChange: changed.remove(ref) != nil)
      }
    }
  }

  private static func refs(
    named names: [String], of user: User.ID, in connection: Connection
  ) throws -> [OfferRef] {
    try names.map { try OfferTable.fetch(named: $0, of: user, in: connection).offer.ref }
  }
}
