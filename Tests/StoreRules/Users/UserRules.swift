import OffersCore
import OffersStore
import Testing

@Suite("Users")
struct UserRules {
  /// The error of a refused operation; expects the users to be unchanged.
  private static func refused(
    _ store: OffersDatabase, _ operation: (OffersDatabase) async throws -> Void
  ) async throws -> OffersError? {
    let before = try await store.fetchUsers()
    let error = await refusal { try await operation(store) }
    #expect(try await store.fetchUsers() == before)
    return error
  }

  @Test(
    "the owner is there from the start, as an admin; others follow in the order of their adding",
    arguments: StoreKind.allCases)
  func lists(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let owner = try #require(try await store.fetchUsers().first)
    #expect(owner.id == User.ownerID && owner.isOwner && owner.role == .admin)
    #expect(owner.name == "owner" && owner.lastSeenAt == nil)
    let zoe = try await store.addUser(named: "Zoé", role: .viewer)
    let ana = try await store.addUser(named: "Ana", role: .member)
    #expect(try await store.fetchUsers() == [owner, zoe, ana])
    #expect(zoe.role == .viewer && ana.role == .member && !ana.isOwner)
  }

  @Test(
    "a user is found without regard to case and to the composition of accents",
    arguments: StoreKind.allCases)
  func finds(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let zoe = try await store.addUser(named: "Zoé", role: .member)
    for name in ["Zoé", "zoé", "ZOÉ", "Zoe\u{301}", "ZOE\u{301}"] {
      #expect(try await store.findUser(named: name) == zoe, "\(name)")
      #expect(try await store.fetchUser(named: name) == zoe, "\(name)")
    }
    for name in ["Zoe", "", "zoé ", "z%"] {
      #expect(try await store.findUser(named: name) == nil, "\(name)")
    }
    // The lower case of J with a caron can be composed, its upper case cannot.
    let jan = try await store.addUser(named: "\u{1F0}an", role: .member)
    #expect(try await store.findUser(named: "J\u{30C}an") == jan)
    let taken = await refusal {
      _ = try await store.addUser(named: "J\u{30C}AN", role: .member)
    }
    #expect(taken?.code == .invalidRequest)
    try await store.removeUser(jan.id)
    let error = await refusal { _ = try await store.fetchUser(named: "zo") }
    #expect(error?.code == .notFound && error?.message == "There is no user “zo”.")
    #expect(error?.hint?.text == "Did you mean Zoé? Users: owner, Zoé.")
  }

  @Test(
    "a user is renamed and gets another role; what is not named stays",
    arguments: StoreKind.allCases)
  func changes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let ana = try await store.addUser(named: "Ana", role: .viewer)
    let renamed = try await store.changeUser(ana.id, name: "ANNA", role: nil)
    #expect(renamed.name == "ANNA" && renamed.role == .viewer && renamed.id == ana.id)
    #expect(try await store.findUser(named: "ana") == nil)
    let promoted = try await store.changeUser(ana.id, name: nil, role: .admin)
    #expect(promoted.name == "ANNA" && promoted.role == .admin)
    // Another spelling of the same name is not taken by the user themselves.
    #expect(try await store.changeUser(ana.id, name: "Anna", role: nil).name == "Anna")
    let owner = try await store.changeUser(User.ownerID, name: "Bo", role: .admin)
    #expect(owner.name == "Bo" && owner.isOwner)
    #expect(try await store.addUser(named: "owner", role: .member).id > ana.id)
  }

  @Test(
    "an invalid name is refused, for a new user and for another", arguments: StoreKind.allCases)
  func invalidNames(kind: StoreKind) async throws {
    let names = [
      "", " ", " Ana", "Ana ", "A\nna", "A\tna", "A\0na", "\u{1B}[2J", "A\u{202E}na", "A\u{2028}na",
      "A\u{200B}na", "A\u{FFFE}", String(repeating: "a", count: 65),
    ]
    let store = try await kind.open().store
    let bo = try await store.addUser(named: "Bo", role: .member)
    for name in names {
      let operations: [(OffersDatabase) async throws -> Void] = [
        { try await $0.addUser(named: name, role: .member) },
        { try await $0.changeUser(bo.id, name: name, role: .admin) },
      ]
      for operation in operations {
        let error = try await Self.refused(store, operation)
        #expect(error?.code == .invalidRequest, "\(name.debugDescription)")
        #expect(error?.message == "“\(name.prefix(80))” is no name for a user.")
        #expect(error?.hint?.text.contains("1 to 64 characters") == true)
      }
    }
  }

  @Test("a name that another user has, in any case, is refused", arguments: StoreKind.allCases)
  func takenNames(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let bo = try await store.addUser(named: "Bo", role: .member)
    let operations: [(OffersDatabase) async throws -> Void] = [
      { try await $0.addUser(named: "OWNER", role: .member) },
      { try await $0.changeUser(bo.id, name: "Owner", role: nil) },
    ]
    for operation in operations {
      let error = try await Self.refused(store, operation)
      #expect(error?.code == .invalidRequest)
      #expect(error?.message == "There is a user “owner” already.")
    }
  }

  @Test(
    "the owner stays an admin and is not removed; an unknown user is refused",
    arguments: StoreKind.allCases)
  func otherRefusals(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for role in [User.Role.viewer, .member] {
      let error = try await Self.refused(store) {
        try await $0.changeUser(User.ownerID, name: nil, role: role)
      }
      #expect(error?.code == .invalidRequest)
    }
    let removal = try await Self.refused(store) { try await $0.removeUser(User.ownerID) }
    #expect(removal?.code == .invalidRequest)
    for id: User.ID in [2, 0, -1, .max] {
      let unknown = try await Self.refused(store) { try await $0.removeUser(id) }
      #expect(unknown?.code == .notFound)
      let change = try await Self.refused(store) {
        try await $0.changeUser(id, name: "Ana", role: nil)
      }
      #expect(change?.code == .notFound)
    }
  }

  @Test(
    "the number of a removed user is never given again, nor by a store that is opened later",
    arguments: StoreKind.allCases)
  func numbers(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let ana = try await opened.store.addUser(named: "Ana", role: .member)
    try await opened.store.removeUser(ana.id)
    let second = try await opened.store.addUser(named: "Ana", role: .member)
    #expect(second.id > ana.id)
    try await opened.store.removeUser(second.id)
    let later = try await opened.openAgain()
    #expect(try await later.addUser(named: "Ana", role: .member).id > second.id)
  }
}
