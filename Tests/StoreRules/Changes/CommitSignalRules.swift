import OffersCore
import OffersTestSupport
import Testing

@Suite("The signal of a commit")
struct CommitSignalRules {
  @Test(
    "the version changes with each commit of any connection, and only then: soon, and with its own at once",
    arguments: StoreKind.allCases)
  func version(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let (store, other) = (opened.store, try await opened.openAgain())
    var last = try await store.fetchDataVersion()
    func expectCommit(_ write: () async throws -> Void) async throws {
      #expect(try await store.fetchDataVersion() == last, "nothing was written")
      try await write()
      let version = try await store.fetchDataVersion()
      #expect(version != last)
      last = version
    }
    func expectOthersCommit(_ write: () async throws -> Void) async throws {
      #expect(try await store.fetchDataVersion() == last, "nothing was written")
      try await write()
      let end = ContinuousClock.now + .seconds(2)
      var version = last
      repeat { version = try await store.fetchDataVersion() } while version == last && .now < end
      #expect(version != last)
      last = version
    }
    try await expectCommit { try await store.sync([FeedOffer("1", name: "Tea")]) }
    for _ in 1...2 {
      try await expectCommit { try await store.setFavorites(named: ["1"], to: true) }
      try await expectOthersCommit { try await other.setFavorites(named: ["1"], to: false) }
    }
    _ = try await other.fetchOffers(OfferQuery())
    _ = await refusal { try await other.setFavorites(named: ["9"], to: true) }
    try await expectOthersCommit {
      try await other.setMark(ReaderMark(changeID: 1, readAt: .at(1)), of: "mail")
    }
  }

  @Test(
    "the stream has the present version at once, then each new one", arguments: StoreKind.allCases)
  func stream(kind: StoreKind) async throws {
    let store = try await kind.open().store
    var commits = store.commits.makeAsyncIterator()
    let first = try #require(await commits.next())
    #expect(try await store.fetchDataVersion() == first)
    try await store.sync([FeedOffer("1")])
    let second = try #require(await commits.next())
    #expect(second != first)
  }
}
