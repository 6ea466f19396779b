import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Exports and imports of users")
struct UserTransferRules {
  /// A database of the owner and a second user, Ana.
  private struct Home {
    let owners: OffersDatabase
    let anas: OffersDatabase
    let ana: User

    init(_ kind: StoreKind) async throws {
      owners = try await DatabaseHome(kind).store
      try await owners.sync((1...5).map { FeedOffer("\($0)", name: "Tea \($0)") })
      ana = try await owners.addUser(named: "Ana", role: .member)
      anas = owners.bound(to: ana)
    }

    /// The same with searches, marks, and favorites, of which one is gone and one was never stored.
    static func filled(_ kind: StoreKind) async throws -> Home {
      let home = try await Home(kind)
      try await home.owners.changeUser(User.ownerID, name: "Zoe", role: nil)
      let (_, first) = try await home.owners.fetchChanges(ChangeQuery(now: .at(1500)))
      try await home.owners.sync((1...4).map { FeedOffer("\($0)", name: "Tea \($0)") }, at: 2000)
      _ = try await home.owners.setFavorites(named: ["1", "2"], to: true)
      _ = try await home.anas.setFavorites(named: ["2", "5"], to: true)
      var favorite = ExportedFavorite()
      favorite.ref = OfferRef(feed: "later", offerID: "x")
      try await home.anas.take(MemoryExport(records: [.favorite(favorite)]))
      for (database, words) in [(home.owners, "jam"), (home.anas, "tea")] {
        for seconds in [5, 6] {
          try await database.noteSearch(
            RecentSearch(
              words: "\(words) \(seconds)", feed: seconds == 5 ? "ibotta" : nil,
              searchedAt: .at(seconds)))
        }
      }
      try await home.owners.setMark(ReaderMark(changeID: first, readAt: .at(7)), of: "mail")
      try await home.anas.setMark(ReaderMark(changeID: first + 1, readAt: .at(8)), of: "mail")
      return home
    }
  }

  @Test(
    "all users are recreated in a new database, and exported the same",
    arguments: StoreKind.allCases, [true, false])
  func comesBack(kind: StoreKind, favoritesOnly: Bool) async throws {
    let home = try await Home.filled(kind)
    let kept = try await home.owners.exported(favoritesOnly: favoritesOnly, allUsers: true)
    #expect(kept.users.map(\.name) == ["Zoe", "Ana"])
    #expect(
      kept.favorites.map { "\($0.user ?? "") \($0.ref)" }
        == ["Zoe ibotta:1", "Zoe ibotta:2", "Ana ibotta:2", "Ana ibotta:5", "Ana later:x"])
    #expect(
      kept.offers.map(\.ref.offerID)
        == (favoritesOnly ? ["1", "2", "5"] : ["1", "2", "3", "4", "5"]))
    #expect(kept.offers.last?.goneAt == 2000)
    #expect(kept.users.flatMap(\.marks).map(\.run) == (favoritesOnly ? [] : [1, 2]))
    let other = try await DatabaseHome(kind).store
    let summary = try await other.take(kept)
    #expect(summary.newFavorites == 5)
    #expect(summary.users.map(\.newFavorites) == [2, 3])
    #expect(summary.users.map(\.isNew) == [false, true])
    func text() async throws -> String {
      try await other.exported(favoritesOnly: favoritesOnly, allUsers: true).text()
    }
    #expect(try await text() == kept.text())
    let again = try await other.take(kept)
    #expect(again.newFavorites == 0 && again.sameFavorites == 5)
    #expect(again.users.allSatisfy { !$0.isNew })
    #expect(try await text() == kept.text())
  }

  @Test(
    "what is shared is exported, and shared again with favorites that an import adds",
    arguments: StoreKind.allCases)
  func sharing(kind: StoreKind) async throws {
    let home = try await Home.filled(kind)
    try await home.anas.share(named: ["2", "5"], at: .at(3000))
    try await home.owners.share(named: ["2"], at: .at(4000))
    let kept = try await home.owners.exported(allUsers: true)
    #expect(
      kept.favorites.map { "\($0.user ?? "") \($0.ref.offerID) \($0.sharedAt ?? 0)" }
        == ["Zoe 1 0", "Zoe 2 4000", "Ana 2 3000", "Ana 5 3000", "Ana x 0"])
    let other = try await DatabaseHome(kind).store
    try await other.take(kept)
    #expect(try await other.exported(allUsers: true).text() == kept.text())
    // A favorite that is here already is shared as it is here.
    try await other.unshare(named: ["2"])
    try await other.share(named: ["1"], at: .at(5000))
    try await other.take(kept)
    let after = try await other.fetchHousehold(HouseholdQuery(), maximumBytes: 1 << 20)
    #expect(after.offers.map(\.id.offerID) == ["1", "5"])
  }

  @Test("an export of one user has nothing of another", arguments: StoreKind.allCases)
  func alone(kind: StoreKind) async throws {
    let home = try await Home.filled(kind)
    for (database, name, other) in [(home.owners, "Zoe", "Ana"), (home.anas, "Ana", "Zoe")] {
      let kept = try await database.exported()
      #expect(kept.users.map(\.name) == [name])
      #expect(kept.favorites.allSatisfy { $0.user == name })
      let text = try kept.text()
      #expect(!text.contains("\"\(other)\"") && text.contains(name == "Zoe" ? "jam 5" : "tea 5"))
      #expect(!text.contains(name == "Zoe" ? "tea 5" : "jam 5"))
    }
  }

  /// A document with users, each with one favorite.
  private static func document(_ users: [String]) throws -> MemoryExport {
    var kept = MemoryExport()
    var favorites: [ExportRecord] = []
    for (number, text) in users.enumerated() {
      let words = text.split(separator: " ").map(String.init)
      var user = ExportedUser()
      user.name = words[0]
      user.role = try #require(User.Role(rawValue: words[1]))
      user.isOwner = words.count > 2
      kept.records.append(.user(user))
      var favorite = ExportedFavorite()
      favorite.user = user.name
      favorite.ref = OfferRef(feed: "ibotta", offerID: "\(number)")
      favorites.append(.favorite(favorite))
    }
    kept.records += favorites
    return kept
  }

  /// The users of a database that is not new, those of a document, and those who get the data.
  private static let households: [(here: [String], document: [String], expected: [String])] = [
    // By name, without regard to case; roles here stay.
    (
      ["owner", "ben viewer"], ["owner admin owner", "BEN admin"],
      ["owner > owner admin", "BEN > ben viewer"]
    ),
    // Who is missing is added, never as an admin.
    (
      ["owner"], ["owner admin owner", "ben admin", "eve member", "joe viewer"],
      [
        "owner > owner admin", "ben > new ben member", "eve > new eve member",
        "joe > new joe viewer",
      ]
    ),
    // An owner who was never named is the other owner.
    (["owner"], ["Zoe admin owner", "ben member"], ["Zoe > owner admin", "ben > new ben member"]),
    (["Kim"], ["owner admin owner", "ben member"], ["owner > Kim admin", "ben > new ben member"]),
    // Two owners with names are two persons.
    (
      ["Kim"], ["Zoe admin owner", "ben member"], ["Zoe > new Zoe member", "ben > new ben member"]
    ),
    // The owner of the document is a member here.
    (
      ["owner", "zoe member"], ["Zoe admin owner", "ben member"],
      ["Zoe > zoe member", "ben > new ben member"]
    ),
    // The owner here is a member in the document.
    (
      ["Kim"], ["owner admin owner", "kim member"],
      ["owner > new owner member", "kim > Kim admin"]
    ),
  ]

  @Test(
    "data goes to the users of the same names", arguments: StoreKind.allCases, households)
  func matches(
    kind: StoreKind, household: (here: [String], document: [String], expected: [String])
  ) async throws {
    let store = try await DatabaseHome(kind).store
    try await store.sync([FeedOffer("1")])
    try await store.changeUser(User.ownerID, name: household.here[0], role: nil)
    for text in household.here.dropFirst() {
      let words = text.split(separator: " ").map(String.init)
      try await store.addUser(named: words[0], role: try #require(.init(rawValue: words[1])))
    }
    let before = try await store.fetchUsers()
    let kept = try Self.document(household.document)
    let users = try await store.take(kept).users
    #expect(
      users.map {
        "\($0.name) > \($0.isNew ? "new " : "")\($0.user.name) \($0.user.role.rawValue)"
      } == household.expected)
    #expect(Set(users.map(\.user.id)).count == household.document.count)
    for (number, user) in users.enumerated() {
      #expect(
        try await store.bound(to: user.user).exported().favorites.map(\.ref.offerID)
          == ["\(number)"])
    }
    // Nobody who was here is changed, and a second import adds nobody.
    #expect(try await Array(store.fetchUsers().prefix(before.count)) == before)
    #expect(try await store.take(kept).users.allSatisfy { !$0.isNew && $0.newFavorites == 0 })
  }

  @Test(
    "in a new database the owner is the document's, even if another user is named owner",
    arguments: StoreKind.allCases)
  func newDatabase(kind: StoreKind) async throws {
    let users = try await DatabaseHome(kind).store.take(
      Self.document(["owner member", "Zoe admin owner"])
    ).users
    #expect(users.map(\.user.name) == ["owner", "Zoe"])
    #expect(users.map(\.user.isOwner) == [false, true])
    #expect(users.map(\.user.role) == [.member, .admin])
  }

  @Test(
    "the data of one user becomes that of the importing user, and several are refused",
    arguments: StoreKind.allCases)
  func one(kind: StoreKind) async throws {
    let home = try await Home(kind)
    let before = try await home.owners.fetchUsers()
    let summary = try await home.anas.take(Self.document(["Eve admin"]))
    #expect(summary.users.map(\.user) == [home.ana])
    #expect(summary.users.map(\.isNew) == [false])
    #expect(try await home.owners.fetchUsers() == before)
    let text = try await home.owners.exported(allUsers: true).text()
    #expect(text.contains("{\"user\":\"Ana\",\"ref\":\"ibotta:0\""))
    let error = await refusal {
      try await home.anas.take(Self.document(["owner admin owner", "Ana member"]))
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.hint?.text.hasPrefix("Nothing was changed.") == true)
    #expect(try await home.owners.exported(allUsers: true).text() == text)
  }

  @Test("searches are taken by a user who has none", arguments: StoreKind.allCases)
  func searches(kind: StoreKind) async throws {
    let home = try await Home(kind)
    var kept = try Self.document(["Ana member"])
    guard case .user(var user)? = kept.records.first else { return }
    user.searches = (1...12).map {
      ExportedUser.Search(words: "new \($0)", feed: nil, searchedAt: 99 - $0)
    }
    kept.records[0] = .user(user)
    for _ in 1...2 {
      try await home.anas.take(kept)
      #expect(
        try await home.anas.fetchRecentSearches().map(\.words) == (1...10).map { "new \($0)" })
    }
    try await home.owners.noteSearch(RecentSearch(words: "mine", searchedAt: .at(1)))
    try await home.owners.take(kept)
    #expect(try await home.owners.fetchRecentSearches().map(\.words) == ["mine"])
  }

  /// The times of the syncs whose changes a reader has not seen.
  private static func unread(_ store: OffersDatabase) async throws -> [Int] {
    var query = ChangeQuery(now: .at(5000))
    query.afterID = try await store.findMark(of: "mail")?.changeID
    let times = try await store.fetchChanges(query).changes.map {
      Int($0.at.timeIntervalSince1970)
    }
    return Set(times).sorted()
  }

  @Test(
    "read marks tell the same syncs in a database with another history",
    arguments: StoreKind.allCases)
  func marks(kind: StoreKind) async throws {
    let old = try await DatabaseHome(kind).store
    try await old.sync([FeedOffer("1", name: "a"), FeedOffer("2")], at: 1000)
    try await old.sync([FeedOffer("1", name: "b"), FeedOffer("2")], at: 2000)
    let (_, read) = try await old.fetchChanges(ChangeQuery(now: .at(2500)))
    try await old.sync([FeedOffer("1", name: "c"), FeedOffer("2")], at: 3000)
    try await old.sync([FeedOffer("1", name: "d"), FeedOffer("2")], at: 4000)
    let unmarked = try await old.exported()
    let mark = ReaderMark(changeID: read, readAt: .at(2500))
    try await old.setMark(mark, of: "mail")
    #expect(try await Self.unread(old) == [3000, 4000])
    try await old.setMark(ReaderMark(changeID: 1, readAt: .at(2500)), of: ReaderMark.ofNotices)
    let kept = try await old.exported()
    #expect(kept.users.flatMap(\.marks).map(\.reader) == ["mail"])
    // Earlier and later syncs of its own, of offers that the document does not have.
    let between = try await DatabaseHome(kind).store
    try await between.sync([FeedOffer("8")], feed: "albums", at: 1500)
    try await between.sync([FeedOffer("8", name: "x")], feed: "albums", at: 3500)
    try await between.take(kept)
    #expect(try await Self.unread(between) == [3000, 4000])
    // A reader who is new to the store has read the changes that were stored before the import.
    let known = try await DatabaseHome(kind).store
    try await known.take(unmarked)
    try await known.take(kept)
    #expect(try await Self.unread(known) == [])
    // A mark that is here stays.
    let marked = try await DatabaseHome(kind).store
    try await marked.take(unmarked)
    try await marked.setMark(ReaderMark(changeID: 1, readAt: .at(5000)), of: "mail")
    try await marked.take(kept)
    #expect(try await marked.findMark(of: "mail")?.changeID == 1)
  }
}
