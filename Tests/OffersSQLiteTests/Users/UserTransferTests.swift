import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Exports and imports of users")
struct UserTransferTests {
  /// Two users with searches, marks, and favorites, of which one is gone and one was never stored.
  private static func filled() async throws -> Household {
    let home = try await Household()
    try await home.owners.changeUser(User.ownerID, name: "Zoe", role: nil)
    try await home.store.sync((1...4).map { FeedOffer("\($0)", name: "Tea \($0)") }, at: 2000)
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "5"], to: true)
    try home.store.execute(
      "INSERT INTO favorite (user_key, feed, id, created_at) VALUES (2, 'later', 'x', 9)")
    for (record, words) in [(home.owners, "jam"), (home.anas, "tea")] {
      for seconds in [5, 6] {
        try await record.noteSearch(
          RecentSearch(
            words: "\(words) \(seconds)", feed: seconds == 5 ? "ibotta" : nil,
            searchedAt: ChangeTests.date(seconds)))
      }
    }
    try await home.owners.setMark(ReaderMark(changeID: 5, readAt: ChangeTests.date(7)), of: "mail")
    try await home.anas.setMark(ReaderMark(changeID: 6, readAt: ChangeTests.date(8)), of: "mail")
    return home
  }

  @Test(
    "all users are recreated in a new database, and exported the same", arguments: [true, false])
  func comesBack(favoritesOnly: Bool) async throws {
    let home = try await Self.filled()
    let kept = try await home.store.exported(favoritesOnly: favoritesOnly, allUsers: true)
    #expect(kept.users.map(\.name) == ["Zoe", "Ana"])
    #expect(
      kept.favorites.map { "\($0.user ?? "") \($0.ref)" }
        == ["Zoe ibotta:1", "Zoe ibotta:2", "Ana ibotta:2", "Ana ibotta:5", "Ana later:x"])
    #expect(
      kept.offers.map(\.ref.offerID)
        == (favoritesOnly ? ["1", "2", "5"] : ["1", "2", "3", "4", "5"]))
    #expect(kept.offers.last?.goneAt == 2000)
    #expect(kept.users.flatMap(\.marks).map(\.run) == (favoritesOnly ? [] : [1, 2]))
    let other = try await Store()
    let summary = try await other.take(kept)
    #expect(summary.newFavorites == 5)
    #expect(summary.users.map(\.newFavorites) == [2, 3])
    #expect(summary.users.map(\.isNew) == [false, true])
    #expect(
      try await other.exported(favoritesOnly: favoritesOnly, allUsers: true).text() == kept.text())
    let again = try await other.take(kept)
    #expect(again.newFavorites == 0 && again.sameFavorites == 5)
    #expect(again.users.allSatisfy { !$0.isNew })
    #expect(
      try await other.exported(favoritesOnly: favoritesOnly, allUsers: true).text() == kept.text())
  }

  @Test("what is shared is exported, and shared again with favorites that an import adds")
  func sharing() async throws {
    let home = try await Self.filled()
    try await home.anas.share(named: ["2", "5"], at: ChangeTests.date(3000))
    try await home.owners.share(named: ["2"], at: ChangeTests.date(4000))
    let kept = try await home.store.exported(allUsers: true)
    #expect(
      kept.favorites.map { "\($0.user ?? "") \($0.ref.offerID) \($0.sharedAt ?? 0)" }
        == ["Zoe 1 0", "Zoe 2 4000", "Ana 2 3000", "Ana 5 3000", "Ana x 0"])
    #expect(try kept.text().contains("\"shared_at\":\"1970-01-01T01:06:40Z\""))
    let other = try await Store()
    try await other.take(kept)
    #expect(try await other.exported(allUsers: true).text() == kept.text())
    let list = try await other.database.fetchHousehold(HouseholdQuery(), maximumBytes: 1 << 20)
    #expect(list.offers.map(\.id.offerID) == ["2", "5"])
    #expect(list.offers.map { $0.sharers.map(\.name) } == [["Ana", "Zoe"], ["Ana"]])
    // A favorite that is here already is shared as it is here.
    try await other.database.unshare(named: ["2"])
    try await other.database.share(named: ["1"], at: ChangeTests.date(5000))
    try await other.take(kept)
    let after = try await other.database.fetchHousehold(HouseholdQuery(), maximumBytes: 1 << 20)
    #expect(after.offers.map(\.id.offerID) == ["1", "5"])
  }

  @Test("an export of one user has nothing of another")
  func alone() async throws {
    let home = try await Self.filled()
    for (record, name, other) in [(home.owners, "Zoe", "Ana"), (home.anas, "Ana", "Zoe")] {
      let kept = try await Store.exported(record)
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

  /// The users of a database that is not new, those of a document, and those who get the records.
  private static let households: [([String], [String], [String])] = [
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

  @Test("records go to the users of the same names", arguments: households)
  func matches(here: [String], document: [String], expected: [String]) async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    try await store.database.changeUser(User.ownerID, name: here[0], role: nil)
    for text in here.dropFirst() {
      let words = text.split(separator: " ").map(String.init)
      try await store.database.addUser(
        named: words[0], role: try #require(.init(rawValue: words[1])))
    }
    let before = try await store.database.fetchUsers()
    let kept = try Self.document(document)
    let users = try await store.take(kept).users
    #expect(
      users.map {
        "\($0.name) > \($0.isNew ? "new " : "")\($0.user.name) \($0.user.role.rawValue)"
      } == expected)
    #expect(Set(users.map(\.user.id)).count == document.count)
    for (number, user) in users.enumerated() {
      #expect(
        try await Store.exported(store.database.record(of: user.user)).favorites.map(\.ref.offerID)
          == ["\(number)"])
    }
    // Nobody who was here is changed, and a second import adds nobody.
    #expect(try await Array(store.database.fetchUsers().prefix(before.count)) == before)
    #expect(try await store.take(kept).users.allSatisfy { !$0.isNew && $0.newFavorites == 0 })
  }

  @Test("in a new database the owner is the document's, even if another user is named owner")
  func newDatabase() async throws {
    let store = try await Store()
    let users = try await store.take(
      Self.document(["owner member", "Zoe admin owner"])
    ).users
    #expect(users.map(\.user.name) == ["owner", "Zoe"])
    #expect(users.map(\.user.isOwner) == [false, true])
    #expect(users.map(\.user.role) == [.member, .admin])
  }

  @Test("the record of one user becomes that of the importing user, whatever its name and role")
  func one() async throws {
    let home = try await Household()
    let kept = try Self.document(["Eve admin"])
    let before = try await home.owners.fetchUsers()
    let summary = try await home.anas.importRecords(from: kept, feeds: kept.feeds)
    #expect(summary.users.map(\.user) == [home.ana])
    #expect(summary.users.map(\.isNew) == [false])
    #expect(try await home.owners.fetchUsers() == before)
    #expect(try home.marks() == ["2|ibotta|0"])
  }

  @Test("several users are not imported for one of them, and nothing is changed")
  func refusal() async throws {
    let home = try await Household()
    let kept = try Self.document(["owner admin owner", "Ana member"])
    let before = try await home.store.exported(allUsers: true).text()
    let error = await #expect(throws: OffersError.self) {
      try await home.anas.importRecords(from: kept, feeds: kept.feeds)
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.hint?.hasPrefix("Nothing was changed.") == true)
    #expect(try await home.store.exported(allUsers: true).text() == before)
  }

  @Test("favorites on both sides keep the earlier time, and nobody loses one")
  func merges() async throws {
    let home = try await Self.filled()
    let kept = try await home.store.exported(allUsers: true)
    try home.store.execute(
      """
      DELETE FROM favorite WHERE user_key = 1 OR id = '5';
      UPDATE favorite SET created_at = 3;
      INSERT INTO favorite (user_key, feed, id, created_at)
      VALUES (1, 'ibotta', '4', 7), (2, 'ibotta', '4', 7)
      """)
    let summary = try await home.store.take(kept)
    #expect(summary.users.map(\.newFavorites) == [2, 1])
    #expect(summary.users.map(\.sameFavorites) == [0, 2])
    #expect(
      try home.marks() == [
        "1|ibotta|1", "1|ibotta|2", "1|ibotta|4", "2|ibotta|2", "2|ibotta|4", "2|ibotta|5",
        "2|later|x",
      ])
    #expect(
      try home.store.rows("SELECT created_at FROM favorite WHERE user_key = 2 AND id IN ('2', 'x')")
        == ["3", "3"])
  }

  @Test("searches are merged by time, as far as there is room for 10")
  func searches() async throws {
    let home = try await Household()
    for seconds in 2...9 {
      try await home.anas.noteSearch(
        RecentSearch(words: "old \(seconds)", searchedAt: ChangeTests.date(2 * seconds)))
    }
    var kept = try Self.document(["Ana member"])
    guard case .user(var user)? = kept.records.first else { return }
    user.searches = [("new", 99), ("old 5", 15), ("mid", 13), ("none", 5)].map {
      ExportedUser.Search(words: $0, feed: nil, searchedAt: $1)
    }
    kept.records[0] = .user(user)
    for _ in 1...2 {
      _ = try await home.anas.importRecords(from: kept, feeds: [])
      #expect(
        try await home.anas.fetchRecentSearches().map(\.words) == [
          "new", "old 9", "old 8", "old 7", "mid", "old 6", "old 5", "old 4", "old 3", "old 2",
        ])
    }
    #expect(try await home.owners.fetchRecentSearches().isEmpty)
  }

  /// The times of the syncs whose changes a reader has not seen.
  private static func unread(_ store: Store) throws -> [String] {
    try store.rows(
      """
      SELECT DISTINCT started_at FROM \(Store.eachChange) JOIN sync_run USING (run_id)
      WHERE change_id > (SELECT change_id FROM reader WHERE name = 'mail') ORDER BY 1
      """)
  }

  @Test("read marks tell the same syncs in a database with another history")
  func marks() async throws {
    let old = try await Store()
    for (seconds, name) in [(1000, "a"), (2000, "b"), (3000, "c"), (4000, "d")] {
      try await old.sync([FeedOffer("1", name: name), FeedOffer("2")], at: seconds)
    }
    let unmarked = try await old.exported()
    let mark = ReaderMark(changeID: 3, readAt: ChangeTests.date(2500))
    try await old.database.setMark(mark, of: "mail")
    #expect(try Self.unread(old) == ["3000", "4000"])
    let kept = try await old.exported()
    // Earlier and later syncs of its own, of offers that the document does not have.
    let between = try await Store()
    try await between.sync([FeedOffer("8")], feed: "albums", at: 1500)
    try await between.sync([FeedOffer("8", name: "x")], feed: "albums", at: 3500)
    try await between.take(kept)
    #expect(try Self.unread(between) == ["3000", "3500", "4000"])
    // The syncs are known already.
    let known = try await Store()
    try await known.take(unmarked)
    try await known.take(kept)
    #expect(try await known.database.findMark(of: "mail") == mark)
    // A mark that is here stays.
    try await known.database.setMark(
      ReaderMark(changeID: 4, readAt: ChangeTests.date(5000)), of: "mail")
    try await known.take(kept)
    #expect(try Self.unread(known) == ["4000"])
  }
}
