import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("The commits of a file", .timeLimit(.minutes(1)))
struct CommitTests {
  @Test("a commit of this program ends the wait for the next version, which no poll has to find")
  func ownCommit() async throws {
    let store = try await Store()
    let database = store.database
    let bell = try #require(database.writer?.bell)
    var versions = database.versions(wokenBy: bell, pollInterval: .seconds(3600))
      .makeAsyncIterator()
    let first = try #require(await versions.next())
    let count = bell.count
    async let waited: Void = bell.wait(after: count, atMost: .seconds(3600))
    try await database.sync([FeedOffer("1")])
    await waited
    #expect(try #require(await versions.next()) != first)
  }

  @Test("a wait ends at once if there was a commit before it")
  func earlierCommit() async throws {
    let bell = CommitBell()
    let count = bell.count
    bell.ring()
    await bell.wait(after: count, atMost: .seconds(3600))
    #expect(bell.count == count + 1)
  }

  private static func ref(_ id: String) throws -> OfferRef { try OfferRef(named: "ibotta:\(id)") }

  @Test(
    "it is known which favorites the commits of this program changed, and that they changed nothing else"
  )
  func favorites() async throws {
    let store = try await Store()
    try await Self.expectFavorites(in: store.database)
    let other = try await OffersDatabase.open(path: store.path)
    try await Self.expectNothing(in: store.database) {
      try await other.setFavorites(named: ["3"], to: true)
      try await store.database.setFavorites(named: ["2"], to: false)
    }
    try await Self.expectNothing(in: store.database) {
      try await store.database.setFavorites(named: ["2"], to: true)
      try await other.setFavorites(named: ["3"], to: false)
    }
  }

  @Test("the same is known of a database in memory")
  func favoritesInMemory() async throws {
    try await Self.expectFavorites(in: OffersDatabase.inMemory(definitions: nil))
  }

  private static func expectFavorites(in database: OffersDatabase) async throws {
    try await database.sync((1...5).map { FeedOffer("\($0)", name: "Tea \($0)") })
    let ana = try await database.addUser(named: "Ana", role: .member)
    let first = try await database.fetchDataVersion()
    try await database.setFavorites(named: ["1", "2"], to: true)
    let second = try await database.fetchDataVersion()
    try await database.record(of: ana).setFavorites(named: ["4"], to: true)
    try await database.setFavorites(named: ["1"], to: false)
    let third = try await database.fetchDataVersion()
    let (one, two, four) = (try ref("1"), try ref("2"), try ref("4"))
    #expect(
      database.findFavoriteChanges(after: first, through: second)
        == [User.ownerID: [one: true, two: true]])
    #expect(
      database.findFavoriteChanges(after: first, through: third)
        == [User.ownerID: [one: false, two: true], ana.id: [four: true]])
    #expect(database.findFavoriteChanges(after: third, through: third) == [:])
    try await expectNothing(in: database) {
      try await database.setFavorites(named: ["1"], to: true)
      try await database.setMark(
        ReaderMark(changeID: 1, readAt: Date(timeIntervalSince1970: 1)), of: "mail")
    }
    // A shared offer is on the list of the household, too.
    _ = try await database.share(named: ["5"], at: Date(timeIntervalSince1970: 1))
    try await expectNothing(in: database) {
      try await database.setFavorites(named: ["5"], to: false)
    }
  }

  private static func expectNothing(
    in database: OffersDatabase, _ write: () async throws -> Void
  ) async throws {
    let before = try await database.fetchDataVersion()
    try await write()
    let after = try await database.fetchDataVersion()
    #expect(before != after)
    #expect(database.findFavoriteChanges(after: before, through: after) == nil)
  }
}
