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
    let bell = try #require(database.sqlite.writer?.bell)
    var versions = bell.commits(pollInterval: .seconds(3600)) {
      try await database.fetchDataVersion()
    }.makeAsyncIterator()
    let first = try #require(await versions.next())
    let count = bell.count
    async let waited: Void = bell.wait(after: count, atMost: .seconds(3600))
    try await database.sync([FeedOffer("1")])
    await waited
    #expect(try #require(await versions.next()).version != first.version)
  }

  @Test("a wait ends at once if there was a commit before it")
  func earlierCommit() async throws {
    let bell = CommitBell()
    let count = bell.count
    bell.ring()
    await bell.wait(after: count, atMost: .seconds(3600))
    #expect(bell.count == count + 1)
  }
}
