import OffersCore
import OffersStore
import OffersTestSupport

/// A store with offers that the owner and a second user, Ana, share.
struct Household: Sendable {
  let opened: OpenStore
  let ana: User
  /// The store, bound to Ana.
  let anas: OffersDatabase

  /// The store, bound to its owner.
  var owners: OffersDatabase { opened.store }

  init(
    _ kind: StoreKind, _ offers: [FeedOffer] = (1...5).map { FeedOffer("\($0)", name: "Tea \($0)") }
  ) async throws {
    opened = try await kind.open()
    try await opened.store.sync(offers)
    ana = try await opened.store.addUser(named: "Ana", role: .member)
    anas = opened.store.bound(to: ana)
  }
}
