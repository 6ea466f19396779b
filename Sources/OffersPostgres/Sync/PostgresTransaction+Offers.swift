import OffersStore

/// The writes of offers, which need the folders above that of the transaction.
extension PostgresTransaction {
  func makeOfferWriter(isIndexed: Bool) -> any OfferWriter { PostgresOfferWriter(connection) }

  /// The words of deleted offers are removed by pruning.
  func willDeleteOffers(_ keys: [Int64]) {}
}
