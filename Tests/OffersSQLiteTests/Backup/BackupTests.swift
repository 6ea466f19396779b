import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A backup")
struct BackupTests {
  @Test("with 100 concurrent writers is a consistent snapshot that passes all checks")
  func whileOthersWrite() async throws {
    let store = try await Store()
    try await store.sync((0..<2000).map { FeedOffer("\($0)", description: "Some more text") })
    // Each write stars two offers together.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<100 {
        group.addTask {
          let database = try await OffersDatabase.open(path: store.path)
          let names = ["ibotta:\(2 * writer)", "ibotta:\(2 * writer + 1)"]
          _ = try await database.setFavorites(named: names, to: true)
        }
      }
      group.addTask {
        var last = 0
        for number in 0..<10 {
          let copy = store.folder.file("copy-\(number).sqlite")
          try await OffersDatabase.open(path: store.path, access: .readOnly).sqlite.backUp(to: copy)
          let entries = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
          #expect(entries.filter { $0.hasPrefix("copy-\(number)") } == ["copy-\(number).sqlite"])
          #expect(try Store.rows(copy, "PRAGMA integrity_check") == ["ok"])
          let counts = try Store.rows(copy, "SELECT count(*) % 2, count(*) FROM favorite")
          let parts = counts[0].split(separator: "|").compactMap { Int($0) }
          #expect(parts[0] == 0)
          #expect(parts[1] >= last)
          last = parts[1]
          #expect(try await OffersDatabase.open(path: copy).countOffers(OfferQuery()) == 2000)
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.rows("SELECT count(*) FROM favorite") == ["200"])
  }

  @Test("of a damaged database is refused")
  func damaged() async throws {
    let store = try await Store()
    try await store.sync((0..<2000).map { FeedOffer("\($0)", description: "Some more text") })
    try Damage.overwritePage(of: "offer", in: store)
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: store.path, access: .readOnly).sqlite
        .backUp(to: store.folder.file("copy.sqlite"))
    }
    #expect(error?.code == .storageFailed)
    #expect(error?.hint?.text == "Check the database.")
  }

  @Test("may replace a missing file or an older backup")
  func targets() async throws {
    let store = try await Store()
    let database = store.database
    let copy = store.folder.file("copy.sqlite")
    #expect(try database.sqlite.backupTarget(copy) == .free)
    try store.folder.write("", to: "empty")
    #expect(try database.sqlite.backupTarget(store.folder.file("empty")) == .free)
    try await database.sqlite.backUp(to: copy)
    #expect(try database.sqlite.backupTarget(copy) == .backup)
    try store.folder.write("Dear diary", to: "diary")
    #expect(try database.sqlite.backupTarget(store.folder.file("diary")) == .other)
    #expect(try database.sqlite.backupTarget(store.folder.path) == .other)
  }

  @Test("never replaces a database in use, by whatever name")
  func refusesLive() async throws {
    let store = try await Store()
    let database = store.database
    for ending in [""] + DatabaseFile.companions {
      #expect(try database.sqlite.backupTarget(store.path + ending) == .database, "\(ending)")
    }
    let link = store.folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
    #expect(try database.sqlite.backupTarget(link) == .database)
    let other = try await Store()
    #expect(try database.sqlite.backupTarget(other.path) == .lockable)
    #expect(try database.sqlite.backupTarget(other.path + "-lock") == .database)
    try other.folder.write("x", to: "offers.sqlite-wal")
    #expect(try database.sqlite.backupTarget(other.path) == .logged)
  }
}
