import OffersCore
import Testing

@testable import OffersSQLite

@Suite("Users of a database")
struct UserTests {
  /// The error of a refused operation; expects the users to be unchanged.
  private static func refusal(
    _ store: Store, _ operation: (OffersDatabase) async throws -> Void
  ) async throws -> OffersError? {
    let before = try await store.database.fetchUsers()
    let error = await #expect(throws: OffersError.self) { try await operation(store.database) }
    #expect(try await store.database.fetchUsers() == before)
    return error
  }

  @Test(
    "the owner is there from the start, as an admin; others follow in the order of their adding")
  func lists() async throws {
    let store = try await Store()
    let owner = try #require(try await store.database.fetchUsers().first)
    #expect(owner.id == User.ownerID && owner.isOwner && owner.role == .admin)
    #expect(owner.name == "owner" && owner.lastSeenAt == nil)
    let zoe = try await store.database.addUser(named: "Zoé", role: .viewer)
    let ana = try await store.database.addUser(named: "Ana", role: .member)
    #expect(try await store.database.fetchUsers() == [owner, zoe, ana])
    #expect(zoe.role == .viewer && ana.role == .member && !ana.isOwner)
  }

  @Test("a user is found without regard to case and to the composition of accents")
  func finds() async throws {
    let store = try await Store()
    let zoe = try await store.database.addUser(named: "Zoé", role: .member)
    for name in ["Zoé", "zoé", "ZOÉ", "Zoe\u{301}", "ZOE\u{301}"] {
      #expect(try await store.database.findUser(named: name) == zoe, "\(name)")
      #expect(try await store.database.fetchUser(named: name) == zoe, "\(name)")
    }
    for name in ["Zoe", "", "zoé ", "z%"] {
      #expect(try await store.database.findUser(named: name) == nil, "\(name)")
    }
    let error = await #expect(throws: OffersError.self) {
      try await store.database.fetchUser(named: "zo")
    }
    #expect(error?.code == .notFound && error?.message == "There is no user “zo”.")
    #expect(error?.hint == "Did you mean Zoé? Users: owner, Zoé.")
  }

  @Test("a user is renamed and gets another role; what is not named stays")
  func changes() async throws {
    let store = try await Store()
    let ana = try await store.database.addUser(named: "Ana", role: .viewer)
    let renamed = try await store.database.changeUser(ana.id, name: "ANNA", role: nil)
    #expect(renamed.name == "ANNA" && renamed.role == .viewer && renamed.id == ana.id)
    #expect(try await store.database.findUser(named: "ana") == nil)
    let promoted = try await store.database.changeUser(ana.id, name: nil, role: .admin)
    #expect(promoted.name == "ANNA" && promoted.role == .admin)
    // Another spelling of the same name is not taken by the user themselves.
    #expect(try await store.database.changeUser(ana.id, name: "Anna", role: nil).name == "Anna")
    let owner = try await store.database.changeUser(User.ownerID, name: "Bo", role: .admin)
    #expect(owner.name == "Bo" && owner.isOwner)
    #expect(try await store.database.addUser(named: "owner", role: .member).id > ana.id)
  }

  @Test(
    "an invalid name is refused, for a new user and for another",
    arguments: [
      "", " ", " Ana", "Ana ", "A\nna", "A\tna", "A\0na", "\u{1B}[2J", "A\u{202E}na", "A\u{2028}na",
      "A\u{200B}na", "A\u{FFFE}", String(repeating: "a", count: 65),
    ])
  func invalidNames(name: String) async throws {
    let store = try await Store()
    let bo = try await store.database.addUser(named: "Bo", role: .member)
    let operations: [(OffersDatabase) async throws -> Void] = [
      { try await $0.addUser(named: name, role: .member) },
      { try await $0.changeUser(bo.id, name: name, role: .admin) },
    ]
    for operation in operations {
      let error = try await Self.refusal(store, operation)
      #expect(error?.code == .invalidRequest)
      #expect(error?.message == "“\(name.prefix(80))” is no name for a user.")
      #expect(error?.hint?.contains("1 to 64 characters") == true)
    }
  }

  @Test("a name that another user has, in any case, is refused")
  func takenNames() async throws {
    let store = try await Store()
    let bo = try await store.database.addUser(named: "Bo", role: .member)
    let operations: [(OffersDatabase) async throws -> Void] = [
      { try await $0.addUser(named: "OWNER", role: .member) },
      { try await $0.changeUser(bo.id, name: "Owner", role: nil) },
    ]
    for operation in operations {
      let error = try await Self.refusal(store, operation)
      #expect(error?.code == .invalidRequest)
      #expect(error?.message == "There is a user “owner” already.")
    }
  }

  @Test("the owner stays an admin and is not removed; an unknown user is refused")
  func otherRefusals() async throws {
    let store = try await Store()
    for role in [User.Role.viewer, .member] {
      let error = try await Self.refusal(store) {
        try await $0.changeUser(User.ownerID, name: nil, role: role)
      }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message == "The owner of the database is always an admin.")
    }
    let removal = try await Self.refusal(store) { try await $0.removeUser(User.ownerID) }
    #expect(removal?.code == .invalidRequest)
    #expect(removal?.message == "The owner of the database cannot be removed.")
    for id: User.ID in [2, 0, -1, .max] {
      let unknown = try await Self.refusal(store) { try await $0.removeUser(id) }
      #expect(unknown?.code == .notFound)
      let change = try await Self.refusal(store) {
        try await $0.changeUser(id, name: "Ana", role: nil)
      }
      #expect(change?.code == .notFound)
    }
  }

  @Test("the number of a removed user is never given again, nor after the database is reopened")
  func numbers() async throws {
    let store = try await Store()
    let ana = try await store.database.addUser(named: "Ana", role: .member)
    try await store.database.removeUser(ana.id)
    let second = try await store.database.addUser(named: "Ana", role: .member)
    #expect(second.id > ana.id)
    try await store.database.removeUser(second.id)
    try await store.database.close()
    let reopened = try await OffersDatabase.open(path: store.path)
    #expect(try await reopened.addUser(named: "Ana", role: .member).id > second.id)
  }
}
