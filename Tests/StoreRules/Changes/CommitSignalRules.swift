import OffersCore
import OffersStore
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
  private static func nextVersion(of store: OffersDatabase, after last: Int64) async throws
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
    #expect(try await store.fetchDataVersion() == first.version)
    try await store.sync([FeedOffer("1")])
    let second = try #require(await commits.next())
    #expect(second.version != first.version)
    #expect(first.concerns(User.ownerID) && second.concerns(User.ownerID))
  }

  private static func ref(_ id: String) throws -> OfferRef { try OfferRef(named: "ibotta:\(id)") }

  @Test(
    "a stream tells which favorites and pictures the commits of this program changed, and nothing else",
    arguments: StoreKind.allCases)
  func known(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync((1...5).map { FeedOffer("\($0)", name: "Tea \($0)") })
    let ana = try await store.addUser(named: "Ana", role: .member)
    let (one, two, four) = (try Self.ref("1"), try Self.ref("2"), try Self.ref("4"))
    var commits = store.commits.makeAsyncIterator()
    #expect(await commits.next()?.changes == nil)
    /// The changes of a write, which may be told in several commits.
    func changes(_ write: () async throws -> Void) async throws -> DataChanges? {
      try await write()
      let version = try await store.fetchDataVersion()
      var told: DataCommit?
      repeat {
        let next = try #require(await commits.next())
        told = told?.followed(by: next) ?? next
      } while told?.version != version
      return told?.changes
    }
    /// A poll of the server between a commit and its note leaves the changes unknown, which is nil.
    func isTold(_ told: DataChanges?, _ expected: DataChanges) -> Bool {
      told == expected || (kind == .postgres && told == nil)
    }
    let starred = try await changes {
      try await store.setFavorites(named: ["1", "2"], to: true)
    }
    #expect(isTold(starred, DataChanges(favorites: [User.ownerID: [one: true, two: true]])))
    let pictured = try await changes { try await store.putImage(ImageHome.image(1)) }
    #expect(isTold(pictured, DataChanges(hasPictures: true)))
    let failed = try await changes {
      try await store.putFailure(
        ImageFailure(url: "b", code: .notFound, reason: "gone", until: .at(9)))
    }
    #expect(isTold(failed, DataChanges(hasPictures: true)))
    let both = try await changes {
      try await store.bound(to: ana).setFavorites(named: ["4"], to: true)
      try await store.putImage(ImageHome.image(2))
      try await store.setFavorites(named: ["1"], to: false)
    }
    #expect(
      isTold(
        both,
        DataChanges(
          favorites: [User.ownerID: [one: false], ana.id: [four: true]], hasPictures: true)))
    let marked = try await changes {
      try await store.setFavorites(named: ["1"], to: true)
      try await store.setMark(ReaderMark(changeID: 1, readAt: .at(1)), of: "mail")
    }
    #expect(marked == nil)
    // A shared offer is on the list of the household, too.
    _ = try await changes { _ = try await store.share(named: ["5"], at: .at(1)) }
    #expect(try await changes { try await store.setFavorites(named: ["5"], to: false) } == nil)
  }

  @Test(
    "what changed is not known if another process committed as well", arguments: StoreKind.shared)
  func commitsOfOthers(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let (store, other) = (opened.store, try await opened.openAgain())
    try await store.sync((1...3).map { FeedOffer("\($0)", name: "Tea \($0)") })
    var commits = store.commits.makeAsyncIterator()
    var last = try #require(await commits.next())
    for isFirst in [true, false] {
      if !isFirst { try await store.putImage(ImageHome.image(1)) }
      let before = try await store.fetchDataVersion()
      try await other.putImage(ImageHome.image(isFirst ? 2 : 3))
      _ = try await Self.nextVersion(of: store, after: before)
      if isFirst { try await store.putImage(ImageHome.image(4)) }
      let version = try await store.fetchDataVersion()
      var told: DataCommit?
      while last.version != version {
        last = try #require(await commits.next())
        told = told?.followed(by: last) ?? last
      }
      #expect(told?.changes == nil && told?.concerns(User.ownerID) == true)
    }
  }
}
