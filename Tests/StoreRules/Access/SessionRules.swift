import OffersCore
import OffersTestSupport
import Testing

@Suite("Sessions", .timeLimit(.minutes(2)))
struct SessionRules {
  private static let start = 1_800_000_000

  private static func session(
    _ number: Int, of user: User.ID = User.ownerID, seenAt seconds: Int = 0,
    agent: String = "Firefox"
  ) -> Session {
    Session(
      id: LoginHome.hash(number), user: user, fingerprint: LoginHome.hash(9),
      createdAt: .at(start + seconds), lastSeenAt: .at(start + seconds), peer: "192.0.2.1",
      userAgent: agent)
  }

  @Test("are stored, found, noted and ended, for all processes", arguments: StoreKind.allCases)
  func lives(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let (one, two) = (Self.session(1), Self.session(2, seenAt: 5))
    for session in [one, two] { try await home.store.putSession(session, on: .token) }
    #expect(try await home.other.findSession(one.id) == one)
    #expect(try await home.other.findSession([1, 2, 3]) == nil)
    #expect(try await home.other.fetchSessions() == [two, one])
    home.store.noteSession(one.id, seenAt: .at(Self.start + 600))
    home.store.noteSession(one.id, seenAt: .at(Self.start + 300))
    home.store.noteSession(two.id, seenAt: .at(Self.start + 400))
    // The writes are made in their order.
    try await eventually {
      try await home.other.findSession(two.id)?.lastSeenAt == .at(Self.start + 400)
    }
    #expect(try await home.other.findSession(one.id)?.lastSeenAt == .at(Self.start + 600))
    #expect(try await home.other.fetchOwner().lastSeenAt == .at(Self.start + 600))
    try await home.other.endSessions([one.id, [0]])
    #expect(try await home.store.fetchSessions().map(\.id) == [two.id])
    #expect(try await home.store.findSession(one.id) == nil)
  }

  @Test(
    "a new one removes those that have expired, and the longest unseen of more than 100 of its user",
    arguments: StoreKind.allCases)
  func bounds(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    try await home.store.putSession(Self.session(0, seenAt: -31 * 86_400), on: .token)
    try await home.store.putSession(Self.session(500, of: home.ben.id), on: .token)
    #expect(try await home.store.fetchSessions().map(\.user) == [home.ben.id])
    for number in 1...102 {
      try await home.store.putSession(Self.session(number, seenAt: number), on: .token)
    }
    // The clock was set back: the new session is the longest unseen one, and is kept all the same.
    try await home.store.putSession(Self.session(200, seenAt: -10), on: .token)
    let ids = Set(try await home.store.fetchSessions().map(\.id))
    #expect(ids.count == 101)
    #expect(ids.isSuperset(of: [500, 200, 102, 4].map(LoginHome.hash)))
    #expect(ids.isDisjoint(with: [0, 1, 2, 3].map(LoginHome.hash)))
  }

  @Test("end with their user, and are refused to a removed one", arguments: StoreKind.allCases)
  func removedUser(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    try await home.store.putSession(Self.session(1, of: home.ben.id), on: .token)
    try await home.store.removeUser(home.ben.id)
    #expect(try await home.other.fetchSessions() == [])
    let error = await refusal {
      try await home.other.putSession(Self.session(2, of: home.ben.id), on: .token)
    }
    #expect(error?.code == .notFound)
  }
}
