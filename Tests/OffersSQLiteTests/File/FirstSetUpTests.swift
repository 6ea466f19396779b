import Foundation
import GRDB
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@Suite("An interrupted or concurrent creation of a database")
struct FirstSetUpTests {
  @Test("a blank SQLite file is no database for reading, and becomes one for writing")
  func fillsBlankFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    try Store.execute(path, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
    let before = try #require(FileManager.default.contents(atPath: path))
    #expect(before.starts(with: Data("SQLite format 3".utf8)))
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: .readOnly)
    }
    #expect(error?.code == .notFound)
    #expect(FileManager.default.contents(atPath: path) == before)
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
  }

  @Test("processes that concurrently open a missing file share one database")
  func startsTogether() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new/offers.sqlite")
    let opened = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<12 {
        group.addTask {
          try await OffersDatabase.open(path: path).fetchFeeds().map(\.name)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(opened == Array(repeating: ["ibotta"], count: 12))
    #expect(try Store.rows(path, "SELECT feed_key, name FROM feed") == ["1|ibotta"])
  }
}
