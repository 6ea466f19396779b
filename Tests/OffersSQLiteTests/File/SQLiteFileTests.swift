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
