import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("The preparation of a search")
struct PreparationRules {
  /// A store after a sync that left the preparation out.
  private static func unprepared(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "Tea")], isIndexed: false)
    return store
  }

  @Test("A prepared search is answered at once", arguments: StoreKind.allCases)
  func prepares(kind: StoreKind) async throws {
    let store = try await Self.unprepared(kind)
    // The second call has nothing to do.
    for _ in 1...2 { try await store.prepareSearch() }
    var isPrepared = true
    let found = try await store.search(SearchQuery("tea")) { isPrepared = false }
    #expect(found.hits.map(\.offer.ref.offerID) == ["1"])
    #expect(isPrepared)
  }

  @Test("A search that was not prepared finds the same", arguments: StoreKind.allCases)
  func preparesItself(kind: StoreKind) async throws {
    let store = try await Self.unprepared(kind)
    let found = try await store.search(SearchQuery("tea")) {}
    #expect(found.hits.map(\.offer.ref.offerID) == ["1"])
    #expect(try await store.search(SearchQuery("tea")) == found)
  }

  @Test("A preparation does not change which queries are refused", arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let store = try await Self.unprepared(kind)
    let error = await refusal {
      _ = try await store.search(SearchQuery("tea", feed: "nowhere")) {}
    }
    #expect(error?.code == .notFound)
  }
}
