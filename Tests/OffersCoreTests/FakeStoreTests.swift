import Foundation
import OffersCore
import Testing

@Suite("Fakes of the protocols")
struct FakeStoreTests {
  /// A store as an app's test makes one: only the methods without a default implementation.
  private actor FakeStore: OfferRepository, FavoriteRepository {
    private var offers: [UserOffer]

    init(_ offers: [UserOffer]) { self.offers = offers }

    func findOffer(_ ref: OfferRef) -> UserOffer? { offers.first { $0.id == ref } }

    func fetchOffers(_ query: OfferQuery) -> [UserOffer] {
      Array(
        offers.filter { query.feed == nil || $0.ref.feed == query.feed }.prefix(query.limit ?? .max)
      )
    }

    func fetchOfferPage(_ query: OfferQuery, maximumBytes: Int) -> OfferPage {
      OfferPage(offers: fetchOffers(query), hasMore: false)
    }

    func countOffers(_ query: OfferQuery) -> Int { fetchOffers(query).count }

    func setFavorites(_ refs: [OfferRef], to isFavorite: Bool) -> [FavoriteChange] {
      refs.compactMap { ref in
        findOffer(ref).map { FavoriteChange(offer: $0, didChange: $0.isFavorite != isFavorite) }
      }
    }
  }

  private static let store = FakeStore([
    UserOffer(
      Offer(
        ref: OfferRef(feed: "f", offerID: "a:1"), name: "Tea", firstSeenAt: Date(),
        changedAt: Date()))
  ])

  @Test("names that are references are found by default")
  func findsReferences() async throws {
    #expect(try await Self.store.fetchOffer(named: "f:a:1").name == "Tea")
    let changes = try await Self.store.setFavorites(named: ["f:a:1"], to: true)
    #expect(changes.map(\.offer.ref.offerID) == ["a:1"])
  }

  @Test("other names are refused by default", arguments: ["a:1", "g:1", "1", ""])
  func refusesOthers(name: String) async throws {
    let error = await #expect(throws: OffersError.self) {
      try await Self.store.fetchOffer(named: name)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message == "There is no offer “\(name)”.")
  }

  @Test("a name that is no reference stars nothing", arguments: ["1", "", "F:1"])
  func starsNothing(name: String) async throws {
    let error = await #expect(throws: OffersError.self) {
      try await Self.store.setFavorites(named: ["f:a:1", name], to: true)
    }
    #expect(error?.code == .notFound)
  }
}
