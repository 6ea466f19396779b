import OffersCore
import OffersTestSupport
import Testing

@Suite("The keys of servers", .timeLimit(.minutes(2)))
struct ServerKeyRules {
  @Test(
    "a key is stored once, whoever asks first, and each purpose has its own",
    arguments: StoreKind.allCases)
  func once(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let first = LoginHome.hash(1)
    #expect(try await home.store.fetchServerKey(for: "a", orStore: first) == first)
    #expect(try await home.other.fetchServerKey(for: "a", orStore: LoginHome.hash(2)) == first)
    #expect(
      try await home.other.fetchServerKey(for: "b", orStore: LoginHome.hash(2))
        == LoginHome.hash(2))
  }

  @Test("all that ask at the same time get the same key", arguments: StoreKind.allCases)
  func together(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for number in 0..<8 {
        group.addTask {
          let store = number % 2 == 0 ? home.store : home.other
          return try await store.fetchServerKey(for: "a", orStore: LoginHome.hash(number))
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
  }

  @Test(
    "a key of another length is refused, and no export has a key", arguments: StoreKind.allCases)
  func bounds(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    let before = try await home.store.exported(allUsers: true).text()
    let error = await refusal {
      _ = try await home.store.fetchServerKey(for: "a", orStore: [1, 2])
    }
    #expect(error?.code == .storageFailed)
    _ = try await home.store.fetchServerKey(for: "a", orStore: LoginHome.hash(1))
    #expect(try await home.store.exported(allUsers: true).text() == before)
  }
}
