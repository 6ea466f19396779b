import OffersCore
import OffersTestSupport
import Testing

@Suite("The signal of a commit")
struct CommitSignalRules {
  @Test(
    "the version changes with each commit of any connection, and only then",
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
    try await expectCommit { try await store.sync([FeedOffer("1", name: "Tea")]) }
    for (writer, isFavorite) in [(store, true), (other, false), (store, true), (other, false)] {
      try await expectCommit { try await writer.setFavorites(named: ["1"], to: isFavorite) }
    }
    _ = try await other.fetchOffers(OfferQuery())
    _ = await refusal { try await other.setFavorites(named: ["9"], to: true) }
    try await expectCommit {
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
