// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Offers

extension OffersDatabase {
  /// A database for previews and tests: the invented offers of a built-in feed, of which two are
  /// favorites.
  static func preview() async throws -> OffersDatabase {
    let database = try await OffersDatabase.inMemory()
    _ = try await SyncEngine(store: database).sync(
      "ibotta", options: SyncOptions(source: .sample))
    let offers = try await database.fetchOffers(OfferQuery(limit: 2))
    try await database.setFavorites(offers.map(\.ref), to: true)
    return database
  }
}
// sample ends
