import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("The lease of a sync", .timeLimit(.minutes(1)))
struct FencingTests {
  @Test("a sync whose lease another program was given cannot commit any more")
  func fences() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let stopped = try await PostgresStore.open(url: made.url())
    let other = try await PostgresStore.open(url: made.url(by: .pooler))
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
    let made = try await TestCluster.shared.value.makeDatabase()
    let store = try await PostgresStore.open(url: made.url())
    try await made.run("INSERT INTO sync_lease VALUES ('tea', 7, now() + interval '1 second')")
    try await store.withSyncLock(on: "tea", waitSeconds: 30) {}
    #expect(try await made.run("SELECT token, until FROM sync_lease") == "8|")
  }
}
