import Foundation
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@Suite("Messages for refused files")
struct RefusalMessageTests {
  private static func refusal(
    of path: String, _ access: OffersDatabase.Access = .readWrite
  ) async -> OffersError? {
    await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: access)
    }
  }

  @Test("for a newer database: both versions, that it is untouched, and a hint")
  func tellsNewer() async throws {
    let folder = try TemporaryFolder()
    let path = try await Store.makeFile(in: folder)
    let newer = SQLiteMigrations.currentVersion + 1
    try Store.execute(path, "PRAGMA user_version = \(newer)")
    let error = await Self.refusal(of: path)
    #expect(
      error?.message
        == """
        \(path) was written by a newer version of offers (schema \(newer), this one knows \
        \(SQLiteMigrations.currentVersion)). It was left untouched.
        """)
    #expect(error?.hint?.text == "Install the newer version, or name another file.")
  }

  @Test("for another program's file: its path, that it is untouched, and a hint")
  func tellsForeignSchema() async throws {
    let folder = try TemporaryFolder()
    let diary = try folder.write("Dear diary", to: "diary.txt")
    let notes = folder.file("notes.sqlite")
    try Store.execute(notes, "CREATE TABLE note (text TEXT)")
    for path in [diary, notes] {
      let error = await Self.refusal(of: path)
      #expect(
        error?.message == "\(path) is not a database of this program. It was left untouched.")
      #expect(
        error?.hint?.text == "Name another file." && error?.hint?.command == "--database FILE")
    }
  }

  @Test("for a missing database: its path and how to create it")
  func tellsMissing() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let error = await Self.refusal(of: path, .readOnly)
    #expect(error?.message == "There is no database yet at \(path).")
    #expect(error?.hint?.text == "Make it with a sync.")
  }

  @Test("for a folder that cannot be created, because a file has its name: the path")
  func tellsBlockedFolder() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x", to: "file")
    let error = await Self.refusal(of: file + "/offers.sqlite")
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains(file + "/offers.sqlite") == true)
    #expect(error?.hint != nil)
  }

  @Test("for a database damaged after its header: its path and a hint")
  func tellsDamaged() async throws {
    let store = try await Store()
    try await store.sync((1...2_000).map { FeedOffer("\($0)") })
    var bytes = try #require(FileManager.default.contents(atPath: store.path))
    // Fill every page except for the header with noise.
    for offset in 100..<bytes.count { bytes[offset] = UInt8(truncatingIfNeeded: offset &* 31) }
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "offers.sqlite")
    let error = await #expect(throws: OffersError.self) {
      try await OffersDatabase.open(path: path, access: .readOnly).fetchOffers(OfferQuery())
    }
    #expect(error?.code == .storageFailed)
    #expect(error?.message == "\(path) is damaged or not a database.")
    #expect(error?.hint?.text.contains("backup") == true)
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }
}
