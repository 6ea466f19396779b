import OffersStore

/// The writes of offers, which need the folders above that of the transaction.
extension SQLiteTransaction {
  func makeOfferWriter(isIndexed: Bool) throws -> any OfferWriter {
    try SQLiteOfferWriter(database, isIndexed: isIndexed)
  }

  func willDeleteOffers(_ keys: [Int64]) throws {
    try SearchIndexWriter(database, rebuilds: false).remove(keys)
  }
}
