import Foundation
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@Suite("The file of a SQLite store as a place")
struct SQLiteFileTests {
  @Test("A URL is no path, and the error does not repeat it")
  func refusesURL() {
    for text in ["postgres://ana:secret@db.example/offers", "", ":memory:"] {
      let error = #expect(throws: OffersError.self) { try SQLitePlace(path: text) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.contains("secret") == false)
    }
  }

  @Test("Opening for writing creates the store, and opening for reading does not")
  func creates() async throws {
    let folder = try TemporaryFolder()
    let file = try SQLitePlace(path: folder.file("offers.sqlite"))
    #expect(!file.exists)
    let error = await #expect(throws: OffersError.self) { try await file.open(.readOnly) }
    #expect(error?.code == .notFound)
    #expect(error?.message == file.missing.message)
    #expect(!file.exists)
    let store = try await file.open(.readWrite)
    #expect(file.exists)
    #expect(store.place == file.path)
    #expect(store.user == User.ownerID)
    #expect(store.software.name == "SQLite")
    #expect(store.maintenance?.sizeBytes == file.sizeBytes)
    try await store.close()
  }

  @Test("The store is opened for work on its file")
  func hasFile() async throws {
    let folder = try TemporaryFolder()
    let place: any StorePlace = try SQLitePlace(path: folder.file("offers.sqlite"))
    for work in StoreFileOperation.allCases {
      #expect(try place.fetchFile(for: work).path == place.name)
    }
    let database = try await place.fetchFile(for: .backup).open(.readWrite)
    let store = try #require(database.maintenance)
    let copy = store.file(at: folder.file("copy"))
    #expect(!copy.exists)
    #expect(try store.backupTarget(copy.path) == .free)
    #expect(try store.backupTarget(place.name) == .database)
    try await database.close()
  }
}

@Suite("The place of a store")
struct StorePlaceTests {
  /// The place of a store on a server, which cannot be reached.
  private struct Server: StorePlace {
    let name = "db.example/offers"
    let medium = StoreMedium.server { work in Hint("Use the server's tool for: \(work)") }
    let exists = true
    let missing = OffersError(.notFound, "There is no store.")
    let temporaryFolder = "/tmp"

    func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase { throw missing }
    func requireUnused() async throws { throw missing }
    func noteImageUse(of url: String) async throws { throw missing }
  }

  @Test("Work on a file is refused for a store on a server, with the tool that does it")
  func refusesWorkOnFile() {
    let server = Server()
    #expect(server.file == nil)
    for work in StoreFileOperation.allCases {
      let error = #expect(throws: OffersError.self) { try server.fetchFile(for: work) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.hasPrefix("db.example/offers is a database on a server") == true)
      #expect(error?.hint?.text == "Use the server's tool for: \(work)")
    }
  }
}

@Suite("A file that is replaced or removed while it is open")
struct ReplacedFileTests {
  @Test("a favorite for a replaced or removed file is refused", arguments: [true, false])
  func refuses(isReplaced: Bool) async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    let database = store.database
    let before = try await database.fetchDataVersion()
    _ = try await database.setFavorites(named: ["ibotta:2"], to: true)
    #expect(try await database.fetchDataVersion() != before)
    if isReplaced {
      let copy = store.folder.file("copy.sqlite")
      try FileManager.default.copyItem(atPath: store.path, toPath: copy)
      #expect(rename(copy, store.path) == 0)
    } else {
      try FileManager.default.removeItem(atPath: store.path)
    }
    await #expect(throws: OffersError.self) {
      _ = try await database.setFavorites(named: ["ibotta:1"], to: true)
    }
    do {
      _ = try await database.fetchDataVersion()
      Issue.record("Nothing was noticed.")
    } catch {
      #expect(error.code == .storageFailed)
      #expect(error.message.contains("was replaced or removed while it was open"))
    }
    #expect(FileManager.default.fileExists(atPath: store.path) == isReplaced)
  }
}
