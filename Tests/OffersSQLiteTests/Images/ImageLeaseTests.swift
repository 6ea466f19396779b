import Foundation
import OffersCore
import Testing

@testable import OffersSQLite

@Suite("Leases of images")
struct ImageLeaseTests {
  private static let url = "https://e.com/1.png"
  private static let now = Date(timeIntervalSince1970: 1_767_225_600)

  private static func take(
    _ database: OffersDatabase, _ holder: Int64, after seconds: Double = 0
  ) async throws -> Bool {
    try await database.takeLease(
      on: url, holder: holder, seconds: ImageCacheLimits.leaseSeconds, now: now + seconds)
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

  @Test("a lease runs out by the clock of the program that asks for it")
  func runsOut() async throws {
    let store = try await Store()
    #expect(try await Self.take(store.database, 1))
    #expect(try await !Self.take(store.database, 2, after: ImageCacheLimits.leaseSeconds - 1))
    #expect(try await Self.take(store.database, 2, after: ImageCacheLimits.leaseSeconds))
  }
}
