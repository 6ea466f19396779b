import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersPostgres

@Suite("The version of the data in PostgreSQL", .timeLimit(.minutes(2)))
struct CommitTests {
  @Test(
    "programs see each other's commits within two seconds, by the socket and through a pooler",
    arguments: [false, true])
  func otherPrograms(isPooled: Bool) async throws {
    let made = try await TestDatabase.makeStore()
    let route = isPooled ? TestCluster.Route.pooler : .socket
    let one = try await OffersDatabase.open(url: made.url(by: route))
    let other = try await OffersDatabase.open(url: made.url(by: route))
    try await one.sync([FeedOffer("1")])
    var commits = other.commits.makeAsyncIterator()
    var last = try #require(await commits.next()).version
    var times: [Duration] = []
    for number in 1...6 {
      _ = try await one.setFavorites(named: ["1"], to: number % 2 == 1)
      let start = ContinuousClock.now
      let own = try await one.fetchDataVersion()
      #expect(own != last, "the store's own commit is seen at once")
      repeat { last = try #require(await commits.next()).version } while last != own
      times.append(.now - start)
      #expect(try await other.fetchDataVersion() == own)
    }
    // A machine that is busy with something else may delay a single one.
    #expect(times.sorted()[times.count / 2] < .seconds(2), "\(times)")
  }

  @Test("a commit of another program is found by its number")
  func otherNumber() async throws {
    let (made, store) = try await OffersDatabase.openNew()
    var commits = store.commits.makeAsyncIterator()
    let first = try #require(await commits.next()).version
    try await made.run("UPDATE commit_count SET number = number + 1 WHERE shard = 3")
    #expect(await commits.next() == DataCommit(version: first + 1))
  }

  @Test("a question that waits for a server that does not answer ends when it is cancelled")
  func cancels() async throws {
    let listener = try LoopbackListener()
    let watch = DataVersionMonitor(
      try DatabaseURL("postgres://offers@127.0.0.1:\(listener.port)/none"))
    let question = Task { try await watch.version() }
    try await Task.sleep(for: .milliseconds(50))
    question.cancel()
    await #expect(throws: CancellationError.self) { try await question.value }
    watch.close()
  }

  @Test("a question is answered from memory, and many readers share one connection")
  func memory() async throws {
    let (made, store) = try await OffersDatabase.openNew()
    var readers = (0..<20).map { _ in store.commits.makeAsyncIterator() }
    for index in readers.indices { _ = await readers[index].next() }
    // A poll counts as a scan of the table.
    func scans() async throws -> Int {
      let text = try await made.run(
        "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables "
          + "WHERE relname = 'commit_count'")
      return Int(text) ?? 0
    }
    let before = try await scans()
    for _ in 0..<1000 { _ = try await store.fetchDataVersion() }
    #expect(try await scans() - before < 100)
    let connections = try await made.run(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(made.name)' AND "
        + "query LIKE '%commit_count' AND pid <> pg_backend_pid()", as: "postgres")
    #expect(connections == "1")
  }

  @Test("a poll that began before a commit does not hide it; a later one may lower the numbers")
  func order() async throws {
    let watch = DataVersionMonitor(try DatabaseURL("postgres://offers@127.0.0.1:1/none"))
    let early = try #require(watch.mark())
    watch.confirm([0: 10, 1: 5], since: early)
    #expect(try await watch.version() == 15)
    let mark = try #require(watch.mark())
    watch.note(CountedCommit(shard: 0, number: 20, step: 1), nil)
    watch.note(CountedCommit(shard: 0, number: 19, step: 1), nil)
    watch.confirm([0: 10, 1: 7], since: mark)
    #expect(try await watch.version() == 27)
    watch.confirm([0: 12, 1: 7], since: try #require(watch.mark()))
    #expect(try await watch.version() == 19)
    watch.close()
    let error = await #expect(throws: OffersError.self) { try await watch.version() }
    #expect(error?.code == .invalidRequest)
  }

  @Test("a stream ends with the store")
  func ends() async throws {
    let made = try await TestDatabase.makeStore()
    let store = try await OffersDatabase.open(url: made.url())
    var commits = store.commits.makeAsyncIterator()
    #expect(await commits.next() != nil)
    try await store.close()
    #expect(await commits.next() == nil)
    var later = store.commits.makeAsyncIterator()
    #expect(await later.next() == nil)
  }
}
