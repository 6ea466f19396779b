import OffersCore
import OffersStore
import OffersTestSupport
import Synchronization
import TestStores
import Testing

@Suite("Observed reads", .timeLimit(.minutes(2)))
struct UpdateRules {
  /// A screen: the values of an observed read, in order.
  private struct Screen<Value: Equatable & Sendable> {
    let task: Task<Void, Never>
    private var shown: AsyncStream<Value>.Iterator

    init(_ updates: OfferUpdates<Value>) {
      let (values, screen) = AsyncStream.makeStream(of: Value.self)
      task = Task {
        for await value in updates { screen.yield(value) }
        screen.finish()
      }
      shown = values.makeAsyncIterator()
    }

    /// The value after the last one; nil once the sequence has ended.
    mutating func next() async -> Value? { await shown.next() }
  }

  /// The commits that are told to the observers of a store.
  private struct Commits {
    private let store: OffersDatabase
    private var told: AsyncStream<DataCommit>.Iterator
    private var last: Int64?

    init(_ store: OffersDatabase) {
      self.store = store
      told = store.commits.makeAsyncIterator()
    }

    /// Waits until the last commit is told.
    mutating func next() async throws {
      let version = try await store.fetchDataVersion()
      while last != version { last = try #require(await told.next()).version }
    }
  }

  private static let favorites = OfferQuery(favoritesOnly: true)

  private static func names(_ offers: [UserOffer]?) -> [String]? { offers?.map(\.name) }

  @Test(
    "offers come at once, and again when they have changed: not after a picture or other changes",
    arguments: StoreKind.allCases)
  func changes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "Tea"), FeedOffer("2", name: "Milk")])
    let ana = try await store.addUser(named: "Ana", role: .member)
    var screen = Screen(store.updates(of: Self.favorites))
    #expect(await screen.next() == [])
    try await store.setFavorites(named: ["1"], to: true)
    #expect(await Self.names(screen.next()) == ["Tea"])
    // Each of these commits is told to the screen before the next one.
    var commits = Commits(store)
    for write in [
      { try await store.putImage(ImageHome.image(1)) },
      { try await store.bound(to: ana).setFavorites(named: ["2"], to: true) },
      { try await store.setMark(ReaderMark(changeID: 1, readAt: .at(1)), of: "mail") },
      {
        try await store.sync([FeedOffer("1", name: "Tea"), FeedOffer("2", name: "Oats")], at: 2000)
      },
    ] as [@Sendable () async throws -> Void] {
      try await write()
      try await commits.next()
    }
    try await store.sync([FeedOffer("1", name: "Green tea")], at: 3000)
    #expect(await Self.names(screen.next()) == ["Green tea"])
  }

  @Test("a commit of another process is shown", arguments: StoreKind.shared)
  func others(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let (store, other) = (opened.store, try await opened.openAgain())
    try await store.sync([FeedOffer("1", name: "Tea")])
    var screen = Screen(store.updates(of: Self.favorites))
    #expect(await screen.next() == [])
    try await other.setFavorites(named: ["1"], to: true)
    #expect(await Self.names(screen.next()) == ["Tea"])
  }

  @Test("any read can be observed, also one that fails before its feed is known")
  func anyRead() async throws {
    let store = try await StoreKind.memory.open().store
    var count = Screen(store.updates { try await $0.countOffers(OfferQuery()) })
    var feed = Screen(store.updates(of: OfferQuery(feed: "ibotta")))
    #expect(await count.next() == 0)
    try await store.sync([FeedOffer("1", name: "Tea")])
    #expect(await count.next() == 1)
    #expect(await Self.names(feed.next()) == ["Tea"])
  }

  @Test(
    "a loop ends with its task, also during a read, and with the database",
    arguments: StoreKind.allCases)
  func ends(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let store = opened.store
    let held = OffersDatabase(
      WatchedEngine(try await opened.openAgain().engine) { call in
        if case .transaction = call { try await Task.sleep(for: .seconds(3600)) }
      })
    let (reading, sharing) = (
      Screen(held.updates(of: OfferQuery())), Screen(held.updates(of: OfferQuery()))
    )
    var waiting = Screen(store.updates(of: OfferQuery()))
    var last = Screen(store.updates(of: OfferQuery()))
    #expect(await waiting.next() == [])
    #expect(await last.next() == [])
    for task in [reading.task, sharing.task, waiting.task] {
      task.cancel()
      await task.value
    }
    try await store.close()
    #expect(await last.next() == nil)
    #expect(await Screen(store.updates(of: OfferQuery())).task.value == ())
  }

  @Test("a thousand observers of three queries share their reads", arguments: StoreKind.allCases)
  func thousand(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let engine = WatchedEngine(opened.store.engine)
    let store = OffersDatabase(engine)
    try await store.sync([FeedOffer("1", name: "Tea")])
    func reads() -> Int { engine.calls.count { $0 == .transaction(.read) } }
    let before = reads()
    var screens = (0..<1000).map { number in
      Screen(store.updates(of: OfferQuery(limit: 1 + number % 3)))
    }
    for index in screens.indices { #expect(await Self.names(screens[index].next()) == ["Tea"]) }
    try await store.setFavorites(named: ["1"], to: true)
    for index in screens.indices {
      #expect(await screens[index].next()?.map(\.isFavorite) == [true])
    }
    // A commit and a checkpoint behind it may be two versions of a file.
    #expect(reads() - before <= 9)
    for screen in screens { screen.task.cancel() }
  }

  @Test("a slow loop gets the newest value only, by one read")
  func slow() async throws {
    let base = try await StoreKind.memory.open().store
    let engine = WatchedEngine(base.engine)
    let store = OffersDatabase(engine)
    try await store.sync([FeedOffer("1", name: "Tea 1")])
    var updates = store.updates(of: OfferQuery()).makeAsyncIterator()
    #expect(await Self.names(updates.next()) == ["Tea 1"])
    var commits = Commits(store)
    for number in 2...4 {
      try await store.sync([FeedOffer("1", name: "Tea \(number)")], at: 1000 * number)
      try await commits.next()
    }
    let before = engine.calls.count { $0 == .transaction(.read) }
    #expect(await Self.names(updates.next()) == ["Tea 4"])
    #expect(engine.calls.count { $0 == .transaction(.read) } == before + 1)
  }

  /// Takes a second, after which a failed read is made again.
  @Test("a read that fails is made again without a commit")
  func retries() async throws {
    let base = try await StoreKind.memory.open().store
    let failures = Mutex(1)
    let store = OffersDatabase(
      WatchedEngine(base.engine) { call in
        let isFailure = failures.withLock { failures in
          guard call == .transaction(.read), failures > 0 else { return false }
          failures -= 1
          return true
        }
        if isFailure { throw OffersError(.storageFailed, "The disk is busy.") }
      })
    var screen = Screen(store.updates(of: OfferQuery()))
    #expect(await screen.next() == [])
  }

  @Test("the engine is followed once, and only while there is an observer")
  func followed() async throws {
    let base = try await StoreKind.memory.open().store
    let (commits, engine) = AsyncStream.makeStream(of: DataCommit.self)
    let (ended, ending) = AsyncStream.makeStream(of: Void.self)
    engine.onTermination = { _ in ending.finish() }
    engine.yield(DataCommit(version: 1))
    let store = OffersDatabase(WatchedEngine(base.engine, commits: commits))
    let screens = [OfferQuery(), OfferQuery(), Self.favorites].map {
      Screen(store.updates(of: $0))
    }
    for var screen in screens { #expect(await screen.next() == []) }
    for screen in screens {
      screen.task.cancel()
      await screen.task.value
    }
    for await _ in ended {}
  }
}
