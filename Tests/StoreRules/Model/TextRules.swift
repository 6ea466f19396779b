import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Texts with U+0000")
struct TextRules {
  private static func run(_ error: OffersError?) -> SyncRun {
    SyncRun(
      feed: "ibotta", source: "sample", outcome: error == nil ? .unchanged : .failed, bytes: 0,
      startedAt: .at(2000), durationSeconds: 0, error: error)
  }

  @Test("are refused where a user would store them", arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1")])
    let writes: [(OffersDatabase) async throws -> Void] = [
      { try await $0.setMark(ReaderMark(changeID: 1, readAt: .at(5)), of: "ma\0il") },
      { _ = try await $0.subscribe(to: "tea", source: "https://t.example/\0") },
      {
        try await $0.record(
          Self.run(nil), remember: ChosenSource("/te\0a.json", origin: .machine), fetch: nil)
      },
      { try await $0.addUser(named: "A\0na", role: .member) },
      { _ = try await $0.changeUser(User.ownerID, name: "A\0na", role: nil) },
    ]
    for (index, write) in writes.enumerated() {
      let error = await refusal { try await write(store) }
      #expect(error?.code == .invalidRequest, "write \(index)")
    }
    #expect(try await store.fetchFeeds().map(\.source) == ["/feeds/ibotta.json"])
    #expect(try await store.fetchUsers().map(\.name) == ["owner"])
  }

  @Test("find nothing where they are looked up", arguments: StoreKind.allCases)
  func findsNothing(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "Black tea")])
    let ref = OfferRef(feed: "ibotta", offerID: "1\0")
    #expect(try await store.findOffer(ref) == nil)
    #expect(try await store.findOffer(OfferRef(feed: "ibotta\0", offerID: "1")) == nil)
    #expect(try await store.findUser(named: "owner\0") == nil)
    #expect(try await store.findMark(of: "ma\0il") == nil)
    #expect(try await store.findSource(of: "ibotta\0") == nil)
    #expect(try await store.findSyncState(of: "ibotta\0") == nil)
    #expect(try await !store.unsubscribe(from: "ibotta\0"))
    #expect(try await store.findHouseholdOffer(ref) == nil)
    let lookups: [(OffersDatabase) async throws -> Void] = [
      { _ = try await $0.fetchOffer(named: "1\0") },
      { try await $0.setFavorites([ref], to: true) },
      { try await $0.setFavorites(named: ["ibotta:1\0"], to: true) },
      { try await $0.share([ref], at: .at(5)) },
      { try await $0.unshare(named: ["1\0"]) },
      { _ = try await $0.fetchHistory(named: "1\0") },
      { _ = try await $0.fetchOffers(OfferQuery(feed: "ibotta\0")) },
    ]
    for (index, lookUp) in lookups.enumerated() {
      let error = await refusal { try await lookUp(store) }
      #expect(error?.code == .notFound, "lookup \(index)")
    }
    #expect(try await store.stars() == [])
  }

  @Test("separate words in a search", arguments: StoreKind.allCases)
  func separate(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "Tea, black"), FeedOffer("2", name: "Blackish tea")])
    let hits = try await store.search(SearchQuery("black\0tea")).hits
    #expect(hits.map(\.offer.ref.offerID) == ["1"])
  }

  @Test("do not keep a failed sync from being recorded", arguments: StoreKind.allCases)
  func recordsErrors(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1")])
    let error = OffersError(.sourceFailed, "The server said: no\0pe", hint: "Ask\0 it.")
    try await store.record(Self.run(error), remember: nil, fetch: nil)
    let last = try await store.fetchFeeds().first?.lastRun?.error
    #expect(last?.message.hasPrefix("The server said: no") == true)
  }
}
