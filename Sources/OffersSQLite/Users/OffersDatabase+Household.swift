import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: HouseholdRepository {
  @discardableResult
  public func share(_ refs: [OfferRef], at time: Date) async throws -> [SharingChange] {
    try await share(at: time) { _ in refs }
  }

  @discardableResult
  public func share(named names: [String], at time: Date) async throws -> [SharingChange] {
    try await share(at: time) { [user] in try Self.refs(named: names, of: user, in: $0) }
  }

  @discardableResult
  public func unshare(_ refs: [OfferRef]) async throws -> [SharingChange] {
    try await unshare { _ in refs }
  }

  @discardableResult
  public func unshare(named names: [String]) async throws -> [SharingChange] {
    try await unshare { [user] in try Self.refs(named: names, of: user, in: $0) }
  }

  public func findHouseholdOffer(_ ref: OfferRef) async throws -> HouseholdOffer? {
    try await read { [user] database in
      try OfferTable.find(ref, of: user, in: database).map {
        try HouseholdTable.withSharers($0, in: database)
      }
    }
  }

  public func fetchHousehold(
    _ query: HouseholdQuery, maximumBytes: Int
  ) async throws -> HouseholdPage {
    try await read { [user, definitions] database in
      if let feed = query.feed { _ = try Self.fetchFeedKey(feed, definitions, in: database) }
      var next = query
      if let limit = query.limit { next.limit = limit.adding(clamped: 1) }
      let keys = try HouseholdTable.keys(next, in: database)
      let (offers, count) = try OfferTable.page(
        keys: keys.prefix(query.limit ?? .max), of: user, maximumBytes: maximumBytes,
        textBytes: query.textBytes, in: database)
      return HouseholdPage(
        of: try offers.map { try HouseholdTable.withSharers($0, in: database) },
        hasMore: count < keys.count, maximumBytes: maximumBytes)
    }
  }

  public func countHousehold() async throws -> Int {
    try await read { try HouseholdTable.count(in: $0) }
  }

  private func share(
    at time: Date, _ refs: @escaping @Sendable (Database) throws -> [OfferRef]
  ) async throws -> [SharingChange] {
    let seconds = time.storedSeconds
    return try await changeSharing(refs) { [user] ref, database in
      _ = try FavoriteTable.insert(ref, of: user, at: seconds, in: database)
      return try HouseholdTable.share(ref, of: user, at: seconds, in: database)
    }
  }

  private func unshare(
    _ refs: @escaping @Sendable (Database) throws -> [OfferRef]
  ) async throws -> [SharingChange] {
    try await changeSharing(refs) { ref, database in
      try HouseholdTable.unshare(ref, in: database)
    }
  }

  /// Changes the sharing of offers in one transaction, which an unknown offer rolls back.
  ///
  /// - Parameters:
  ///   - refs: the offers.
  ///   - change: changes the sharing of one, and returns whether it was different.
  private func changeSharing(
    _ refs: @escaping @Sendable (Database) throws -> [OfferRef],
    _ change: @escaping @Sendable (OfferRef, Database) throws -> Bool
  ) async throws -> [SharingChange] {
    try await write { [user] database in
      try UserTable.check(user, in: SQLiteTransaction(database))
      return try refs(database).map { ref in
        let didChange = try change(ref, database)
        guard let offer = try OfferTable.find(ref, of: user, in: database) else {
          throw OffersError(.notFound, "There is no offer “\(ref)”.")
        }
        return SharingChange(
          offer: try HouseholdTable.withSharers(offer, in: database), didChange: didChange)
      }
    }
  }

  private static func refs(
    named names: [String], of user: User.ID, in database: Database
  ) throws -> [OfferRef] {
    try names.map { try fetchOffer(named: $0, of: user, in: database).ref }
  }
}
