import OffersCore
import OffersStore

/// A database with a second user, Ben.
struct LoginHome: Sendable {
  let store: OffersDatabase
  /// The same data, as another process sees it.
  let other: OffersDatabase
  let ben: User

  init(_ kind: StoreKind) async throws {
    let opened = try await kind.open()
    store = opened.store
    other = try await opened.openAgain()
    ben = try await store.addUser(named: "Ben", role: .member)
  }

  /// A hash of 32 bytes.
  static func hash(_ number: Int) -> [UInt8] {
    (0..<32).map { $0 < 2 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 7 }
  }
}

/// Waits for a write that nobody else waits for.
func eventually(_ isDone: () async throws -> Bool) async throws {
  while try await !isDone() { try await Task.sleep(for: .milliseconds(20)) }
}
