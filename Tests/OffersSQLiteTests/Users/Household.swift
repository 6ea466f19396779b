import OffersCore
import OffersTestSupport

@testable import OffersSQLite

/// A store with offers that the owner and a second user, Ana, share.
struct Household {
  let store: Store
  let ana: User

  /// The owner's record, and Ana's on the same connections.
  var owners: OffersDatabase { store.database }
  let anas: OffersDatabase

  init(_ offers: [FeedOffer] = (1...5).map { FeedOffer("\($0)", name: "Tea \($0)") }) async throws {
    store = try await Store()
    try await store.sync(offers)
    ana = try await store.database.addUser(named: "Ana", role: .member)
    anas = store.database.record(of: ana)
  }

  /// The ids of a user's favorites, in the order of their list.
  static func stars(_ record: OffersDatabase) async throws -> [String] {
    try await record.fetchOffers(OfferQuery(favoritesOnly: true)).map(\.ref.offerID)
  }

  /// All favorites, as user, feed and id.
  func marks() throws -> [String] {
    try store.rows("SELECT user_key, feed, id FROM favorite ORDER BY 1, 2, 3")
  }
}
