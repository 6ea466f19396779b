import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("A lost server", .timeLimit(.minutes(3)))
struct LostServerTests {
  @Test("a store says that its server is lost, and goes on by itself when it is back")
  func restarts() async throws {
    let cluster = try await TestCluster.start(["synchronous_commit=on"])
    let made = try await cluster.makeDatabase()
    let stores = [
      try await OffersDatabase.open(url: made.url()),
      try await OffersDatabase.open(url: made.url(by: .pooler)),
    ]
    try await stores[0].sync([FeedOffer("1"), FeedOffer("2")])
    _ = try await stores[0].setFavorites(named: ["1"], to: true)
    for store in stores { _ = try await store.fetchDataVersion() }
    try await cluster.setServer(isRunning: false)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await stores[0].fetchOffers(OfferQuery()) },
      { _ = try await stores[0].setFavorites(named: ["2"], to: true) },
      { _ = try await OffersDatabase.open(url: made.url()) },
    ]
    for (index, call) in calls.enumerated() {
      let error = await #expect(throws: OffersError.self) { try await call() }
      #expect(error?.code == .storeUnreachable, "\(index): \(error.debugDescription)")
      #expect(error?.message.contains("may or may not") != true, "\(index)")
    }
    // The version is told from memory for two seconds.
    while (try? await stores[0].fetchDataVersion()) != nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    let error = await #expect(throws: OffersError.self) { try await stores[0].fetchDataVersion() }
    #expect(error?.code == .storeUnreachable)
    try await cluster.setServer(isRunning: true)
    for store in stores {
      var stars: [String]?
      while stars == nil {
        do {
          stars = try await store.fetchOffers(OfferQuery(favoritesOnly: true)).map(\.ref.offerID)
        } catch {
          guard error.code == .storeUnreachable else { throw error }
          // pgbouncer connects again after a while.
          try await Task.sleep(for: .milliseconds(100))
        }
      }
      #expect(stars == ["1"])
      _ = try await store.setFavorites(named: ["1"], to: true)
    }
    var version: Int64?
    while version == nil {
      // A loss is what the loop waits to end.
      version = try? await stores[0].fetchDataVersion()
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test("of several hosts, the one that can be written to is used")
  func hosts() async throws {
    let made = try await TestCluster.shared.value.makeDatabase()
    let port = made.cluster.port
    for hosts in ["127.0.0.1:1,127.0.0.1:\(port)", "127.0.0.1:\(port),127.0.0.1:1"] {
      let url =
        "postgres://offers:secret@\(hosts)/\(made.name)?target_session_attrs=read-write"
      let store = try await OffersDatabase.open(url: url)
      #expect(try await store.fetchUsers().count == 1)
      try await store.close()
    }
  }

  @Test("a server that can only be read from is not taken for one to write to")
  func readOnly() async throws {
    let (made, store) = try await OffersDatabase.openNew()
    try await store.sync([FeedOffer("1")])
    // As a standby, the server refuses the next writes of open connections, and new connections.
    try await made.run(
      "ALTER DATABASE \(made.name) SET default_transaction_read_only = on", as: "postgres")
    try await made.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(made.name)' "
        + "AND pid <> pg_backend_pid()", as: "postgres")
    let error = await #expect(throws: OffersError.self) {
      _ = try await store.setFavorites(named: ["1"], to: true)
    }
    #expect(error?.code == .storeUnreachable)
    try await made.cluster.run(
      "ALTER DATABASE \(made.name) SET default_transaction_read_only = off", as: "postgres")
    _ = try await store.setFavorites(named: ["1"], to: true)
    #expect(try await store.fetchOffer(named: "1").isFavorite)
  }
}
