import Foundation

/// The household list: the favorites that users share with all other users of a store.
///
/// Sharing is a property of one user's favorite. Setting and clearing it changes no favorite of
/// another user, and a favorite that is cleared is not shared any more. The list has an offer once,
/// however many users share it, and also offers that are gone from their feeds.
///
/// A call that is cancelled before its transaction is committed throws `CancellationError`, and
/// nothing is written.
public protocol HouseholdRepository: Sendable {
  /// Shares offers in the name of the bound user, in one transaction, and marks them as the user's
  /// favorites if they are none. An offer that the user shares already keeps its time.
  ///
  /// - Parameters:
  ///   - refs: the offers.
  ///   - time: the time that is stored, in whole seconds.
  /// - Returns: a result for each reference, in their order.
  /// - Throws: `OffersError` with `notFound` for an offer that is not stored, and for a user who was
  ///   removed; nothing is written then.
  @discardableResult
  func share(_ refs: [OfferRef], at time: Date) async throws -> [SharingChange]

  /// Shares the offers that a person named: by references or bare ids.
  ///
  /// The default implementation accepts references only.
  ///
  /// - Throws: as `share(_:at:)`, also `ambiguous`.
  @discardableResult
  func share(named names: [String], at time: Date) async throws -> [SharingChange]

  /// Takes offers off the list, in one transaction: ends their sharing by all users. The favorites
  /// of all users stay.
  ///
  /// - Returns: a result for each reference, in their order.
  /// - Throws: as `share(_:at:)`.
  @discardableResult
  func unshare(_ refs: [OfferRef]) async throws -> [SharingChange]

  /// Takes the offers off the list that a person named: by references or bare ids.
  ///
  /// The default implementation accepts references only.
  ///
  /// - Throws: as `share(named:at:)`.
  @discardableResult
  func unshare(named names: [String]) async throws -> [SharingChange]

  /// An offer with the users who share it, possibly none; nil if the offer is not stored.
  func findHouseholdOffer(_ ref: OfferRef) async throws -> HouseholdOffer?

  /// The first offers that a query selects of the list: the most recently added first, by the times of
  /// their first sharers; offers of the same second by their references. There are as many as have at
  /// most `maximumBytes` of texts in total, but at least one if the query selects any.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a position in another list.
  func fetchHousehold(
    _ query: HouseholdQuery, maximumBytes: Int
  ) async throws -> HouseholdOfferPage

  /// The number of offers on the list, of one feed or of all for nil.
  func countHousehold(of feed: String?) async throws -> Int
}

extension HouseholdRepository {
  /// The number of all offers on the list.
  public func countHousehold() async throws -> Int { try await countHousehold(of: nil) }

  @discardableResult
  public func share(named names: [String], at time: Date) async throws -> [SharingChange] {
    try await share(names.map { try OfferRef(named: $0) }, at: time)
  }

  @discardableResult
  public func unshare(named names: [String]) async throws -> [SharingChange] {
    try await unshare(names.map { try OfferRef(named: $0) })
  }
}

/// The result of sharing an offer, or of taking it off the household list.
public struct SharingChange: Hashable, Sendable {
  /// The offer after the call.
  public let offer: HouseholdOffer
  /// False when the bound user shared the offer already, or when nobody shared the offer that was
  /// to be taken off.
  public let didChange: Bool

  /// Creates a change of its parts; the properties describe them.
  public init(offer: HouseholdOffer, didChange: Bool) {
    self.offer = offer
    self.didChange = didChange
  }
}
