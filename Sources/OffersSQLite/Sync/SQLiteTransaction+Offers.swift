import OffersStore

/// The writes of offers. They do not stand beside the transaction, because its folder may not use the types of
/// this one (`Scripts/check`).
extension SQLiteTransaction {
  func makeOfferWriter(isIndexed: Bool) throws -> any OfferWriter {
    try SQLiteOfferWriter(database, isIndexed: isIndexed)
  }

  func willDeleteOffers(_ keys: [Int64]) throws {
    try SearchIndexWriter(database, rebuilds: false).remove(keys)
  }
}
