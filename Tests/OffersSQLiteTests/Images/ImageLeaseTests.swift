import Foundation
import OffersCore
import Testing

@testable import OffersSQLite

@Suite("Leases and failures of images")
struct ImageLeaseTests {
  private static let url = "https://e.com/1.png"
  private static let now = Date(timeIntervalSince1970: 1_767_225_600)

  private static func take(
    _ database: OffersDatabase, _ holder: Int64, after seconds: Double = 0
  ) async throws -> Bool {
    try await database.takeLease(
      on: url, holder: holder, seconds: ImageBounds.leaseSeconds, now: now + seconds)
  }

  @Test("the lease of a process that has ended is free at once, that of a living one is not")
  func deadHolders() async throws {
    let store = try await Store()
    let other = try await OffersDatabase.open(path: store.path)
    #expect(try await Self.take(other, 1))
    #expect(try await !Self.take(store.database, 2))
    #expect(try await !Self.take(other, 3))
    // The kernel releases the lock of a killed process as closing does.
    try await other.close()
    #expect(try await Self.take(store.database, 2))
    let third = try await OffersDatabase.open(path: store.path)
    #expect(try await !Self.take(third, 4))
  }

  @Test("a lease that would last for longer than any was taken by another clock, and is free")
  func clockSetBack() async throws {
    let store = try await Store()
    for seconds: Double in [3600, 34_646_400] {
      #expect(try await Self.take(store.database, 1, after: seconds))
      #expect(try await Self.take(store.database, 2))
      #expect(try await !Self.take(store.database, 1))
      try await store.database.endLease(on: Self.url, holder: 2)
    }
  }

  @Test("a failure that would be remembered for longer than any has expired")
  func failures() async throws {
    let store = try await Store()
    let cases: [(Double, Bool)] = [(86_400, true), (86_401, false), (34_646_400, false)]
    for (seconds, isFound) in cases {
      try await store.database.putFailure(
        ImageFailure(url: Self.url, code: .notFound, reason: "x", until: Self.now + seconds))
      let failure = try await store.database.findFailure(of: Self.url, now: Self.now)
      let failures = try await store.database.fetchImageContents(now: Self.now).failures
      #expect((failure != nil) == isFound && failures.isEmpty != isFound, "\(seconds)")
    }
  }

  @Test(
    "an image is fresh only if it was fetched in the past and for 30 days at most",
    arguments: [
      (-10, 10, true), (-10, -1, false), (30, 1000, true), (61, 1000, false),
      (34_646_400, 34_732_800, false), (-86_400, 2_505_600, true), (-86_400, 2_505_601, false),
    ] as [(Double, Double, Bool)])
  func freshness(fetched: Double, until: Double, isFresh: Bool) {
    #expect(
      ImageBounds.isFresh(
        fetchedAt: Self.now + fetched, until: Self.now + until, at: Self.now) == isFresh)
  }
}
