import OffersStore

/// The writes of offers. They do not stand beside the transaction, because its folder may not use the types of
/// this one (`Scripts/check`).
extension PostgresTransaction {
  func makeOfferWriter(isIndexed: Bool) -> any OfferWriter { PostgresOfferWriter(connection) }

  /// The words of deleted offers are removed by pruning.
  func willDeleteOffers(_ keys: [Int64]) {}
}
