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
      last = try await Self.nextVersion(of: store, after: last)
    }
    try await expectCommit { try await store.sync([FeedOffer("1", name: "Tea")]) }
    for _ in 1...2 {
      try await expectCommit { try await store.setFavorites(named: ["1"], to: true) }
      try await expectOthersCommit { try await other.setFavorites(named: ["1"], to: false) }
    }
    _ = try await other.fetchOffers(OfferQuery())
    _ = try await other.preview(other.plan([FeedOffer("2")], at: 2000))
    _ = await refusal { try await other.setFavorites(named: ["9"], to: true) }
    try await expectOthersCommit {
      try await other.setMark(ReaderMark(changeID: 1, readAt: .at(1)), of: "mail")
    }
  }

  /// The version after a commit of another process, which may take a moment to be known.
  private static func nextVersion(of store: any OffersStorage, after last: Int64) async throws
    -> Int64
  {
    let end = ContinuousClock.now + .seconds(2)
    var version = last
    repeat { version = try await store.fetchDataVersion() } while version == last && .now < end
    #expect(version != last)
    return version
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

  private static func ref(_ id: String) throws -> OfferRef { try OfferRef(named: "ibotta:\(id)") }

  @Test(
    "it is known which favorites the commits of this program changed, and that they changed nothing else",
    arguments: StoreKind.allCases)
  func favorites(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync((1...5).map { FeedOffer("\($0)", name: "Tea \($0)") })
    let ana = try await store.addUser(named: "Ana", role: .member)
    let first = try await store.fetchDataVersion()
    try await store.setFavorites(named: ["1", "2"], to: true)
    let second = try await store.fetchDataVersion()
    try await store.record(of: ana).setFavorites(named: ["4"], to: true)
    try await store.setFavorites(named: ["1"], to: false)
    let third = try await store.fetchDataVersion()
    let (one, two, four) = (try Self.ref("1"), try Self.ref("2"), try Self.ref("4"))
    #expect(
      store.findFavoriteChanges(after: first, through: second)
        == [User.ownerID: [one: true, two: true]])
    #expect(
      store.findFavoriteChanges(after: first, through: third)
        == [User.ownerID: [one: false, two: true], ana.id: [four: true]])
    #expect(store.findFavoriteChanges(after: third, through: third) == [:])
    try await Self.expectNothing(in: store) {
      try await store.setFavorites(named: ["1"], to: true)
      try await store.setMark(ReaderMark(changeID: 1, readAt: .at(1)), of: "mail")
    }
    // A shared offer is on the list of the household, too.
    _ = try await store.share(named: ["5"], at: .at(1))
    try await Self.expectNothing(in: store) {
      try await store.setFavorites(named: ["5"], to: false)
    }
  }

  @Test(
    "it is not known which favorites changed if another process committed as well",
    arguments: StoreKind.shared)
  func favoritesOfOthers(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let (store, other) = (opened.store, try await opened.openAgain())
    try await store.sync((1...3).map { FeedOffer("\($0)", name: "Tea \($0)") })
    _ = try await other.fetchDataVersion()
    func star(_ id: String, to isFavorite: Bool) async throws {
      let before = try await store.fetchDataVersion()
      try await other.setFavorites(named: [id], to: isFavorite)
      _ = try await Self.nextVersion(of: store, after: before)
    }
    try await Self.expectNothing(in: store) {
      try await star("3", to: true)
      try await store.setFavorites(named: ["2"], to: true)
    }
    try await Self.expectNothing(in: store) {
      try await store.setFavorites(named: ["2"], to: false)
      try await star("3", to: false)
    }
  }

  /// Expects that the commits of some writes are not known to have changed nothing but favorites.
  private static func expectNothing(
    in store: any OffersStorage, _ write: () async throws -> Void
  ) async throws {
    let before = try await store.fetchDataVersion()
    try await write()
    let after = try await store.fetchDataVersion()
    #expect(before != after)
    #expect(store.findFavoriteChanges(after: before, through: after) == nil)
  }
}
