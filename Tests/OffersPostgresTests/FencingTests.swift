import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersPostgres

@Suite("The lease of a sync", .timeLimit(.minutes(2)))
struct FencingTests {
  /// Shorter than those of the program. A busy machine renews a lease in time even so.
  private static let times = LeaseTimes(seconds: 3, renewalSeconds: 0.5)

  @Test("a sync whose lease another program was given cannot commit any more")
  func fences() async throws {
    let (made, stopped) = try await OffersDatabase.openNew()
    let other = try await OffersDatabase.open(url: made.url(by: .pooler))
    let error = await #expect(throws: OffersError.self) {
      try await stopped.withSyncLock(on: "tea", waitSeconds: 0) {
        let plan = try await stopped.plan([FeedOffer("1", name: "Late")], feed: "tea")
        // The program stops for longer than its lease lasts.
        try await made.run("UPDATE sync_lease SET until = now() - interval '1 second'")
        try await other.withSyncLock(on: "tea", waitSeconds: 0) {
          _ = try await other.sync([FeedOffer("1", name: "Early")], feed: "tea")
        }
        _ = try await stopped.apply(plan)
      }
    }
    #expect(error?.code == .locked)
    #expect(try await other.fetchOffer(named: "1").name == "Early")
    // The lease is free: the one who lost it has not taken it away from the other, who gave it back.
    try await other.withSyncLock(on: "tea", waitSeconds: 0) {}
  }

  @Test("a lease ends by itself when its program has died")
  func expires() async throws {
    let (made, store) = try await OffersDatabase.openNew()
    try await made.run("INSERT INTO sync_lease VALUES ('tea', 7, now() + interval '1 second')")
    try await store.withSyncLock(on: "tea", waitSeconds: 30) {}
    #expect(try await made.run("SELECT token, until FROM sync_lease") == "8|")
  }

  @Test("a program that stops amid the commit of its sync is replaced before its locks time out")
  func stopsAmidACommit() async throws {
    let (made, stopped) = try await OffersDatabase.openNew(Self.times)
    let other = try await OffersDatabase.open(made, Self.times)
    let (signal, resumes) = AsyncStream<Void>.makeStream()
    let mayGoOn = DispatchSemaphore(value: 0)
    let task = Task {
      // As a stopped program: the lease is not renewed, and the transaction has its locks.
      let taken = try await stopped.postgres.database.write(isCounted: false) { connection in
        try SyncLease.take("tea", for: Self.times, in: connection)
      }
      let lease = try #require(taken)
      try await stopped.postgres.database.write { connection in
        _ = try FeedTable.put(
          "tea", source: "sample", subscribes: true, at: Date(), in: PostgresTransaction(connection)
        )
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        try lease.check(in: connection)
        resumes.yield()
        // A thread of the connection, not one of the concurrency pool.
        mayGoOn.wait()
        mayGoOn.signal()
        try connection.run("SELECT 1")
      }
    }
    for await _ in signal { break }
    // The lock timeout of the server is five minutes.
    try await other.withSyncLock(on: "tea", waitSeconds: 60) {
      _ = try await other.sync([FeedOffer("1", name: "Early")], feed: "tea")
      // The stopped program goes on.
      mayGoOn.signal()
      let error = await #expect(throws: OffersError.self) { try await task.value }
      #expect(error?.code == .locked)
    }
    #expect(try await other.fetchOffer(named: "1").name == "Early")
  }

  @Test("a lease is renewed while its sync runs, also when connections are lost")
  func renews() async throws {
    let (made, store) = try await OffersDatabase.openNew(Self.times)
    @Sendable func until() async throws -> String {
      try await made.run("SELECT extract(epoch FROM until) FROM sync_lease")
    }
    try await store.withSyncLock(on: "tea", waitSeconds: 0) {
      var last = try await until()
      for _ in 1...2 {
        try await made.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(made.name)' "
            + "AND pid <> pg_backend_pid()", as: "postgres")
        while try await until() == last { try await Task.sleep(for: .milliseconds(100)) }
        last = try await until()
      }
    }
    #expect(try await until() == "")
  }

  @Test("while several syncs wait for a long one, their leases are renewed and a star is stored")
  func waits() async throws {
    let (made, store) = try await OffersDatabase.openNew(Self.times)
    let other = try await OffersDatabase.open(made, Self.times)
    _ = try await store.sync([FeedOffer("1", name: "Tea")], feed: "tea")
    let (signal, begun) = AsyncStream<Void>.makeStream()
    let long = Task {
      try await other.postgres.database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        begun.yield()
        try connection.run("SELECT pg_sleep(100)")
      }
    }
    for await _ in signal { break }
    @Sendable func leases() async throws -> Set<String> {
      let rows = try await made.run("SELECT feed, until FROM sync_lease WHERE until IS NOT NULL")
      return Set(rows.split(separator: "\n").map(String.init))
    }
    try await withThrowingTaskGroup { group in
      for feed in ["rice", "oats", "beans"] {
        group.addTask {
          try await store.withSyncLock(on: feed, waitSeconds: 0) {
            _ = try await store.sync([FeedOffer("1", name: "Late")], feed: feed)
          }
        }
      }
      while try await leases().count < 3 { try await Task.sleep(for: .milliseconds(50)) }
      let first = try await leases()
      _ = try await store.setFavorites(named: ["tea:1"], to: true)
      while try await !leases().isDisjoint(with: first) {
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(try await made.run("SELECT count(*) FROM offer") == "1")
      long.cancel()
      try await group.waitForAll()
    }
    #expect(try await made.run("SELECT count(*) FROM offer") == "4")
  }

  @Test("a sync that has committed is done, even if its lease was lost meanwhile")
  func keepsTheCommit() async throws {
    let (made, store) = try await OffersDatabase.openNew(Self.times)
    try await store.withSyncLock(on: "tea", waitSeconds: 0) {
      _ = try await store.sync([FeedOffer("1", name: "Tea")], feed: "tea")
      try await made.run("UPDATE sync_lease SET token = token + 1")
      // The next renewal finds it lost and cancels this task.
      while !Task.isCancelled { await Task.yield() }
    }
    #expect(try await store.fetchOffer(named: "1").name == "Tea")
  }
}
