import Foundation
import Offers
import OffersTestSupport
import Testing

@Suite("Exports, imports and backups with one import")
struct TransferTests {
  private static let url = "https://shop.example/offers.json"

  private let folder: TemporaryFolder
  private let database: OffersDatabase

  init() async throws {
    folder = try TemporaryFolder()
    database = try await OffersDatabase.open(at: URL(filePath: folder.file("offers.sqlite")))
  }

  /// Syncs two offers from a source, with the second as a favorite.
  private func fill(from source: SyncSource = .url(url)) async throws {
    let feed = #"[{"id":"1","name":"Tea"},{"id":"2","name":"Jam"}]"#
    try folder.write(feed, to: "feed.json")
    let web = CannedTransport([Self.url: .response(200, [], feed)])
    _ = try await SyncEngine(store: database, transport: web).sync(
      "ibotta", options: SyncOptions(source: source))
    try await database.setFavorites([OfferRef(feed: "ibotta", offerID: "2")], to: true)
  }

  private func other() async throws -> OffersDatabase {
    try await OffersDatabase.open(at: URL(filePath: folder.file("other.sqlite")))
  }

  private func file(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  private func mode(of name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  /// The error of a call that is refused, which leaves no new file.
  private func refusal(_ call: () async throws -> Void) async throws -> OffersError {
    let before = try names()
    let error = await #expect(throws: OffersError.self) { try await call() }
    #expect(try names() == before)
    return try #require(error)
  }

  @Test("an import of an export gives equal offers and favorites, also when repeated")
  func roundTrip() async throws {
    try await fill()
    let saved = file("saved.json")
    let written = try await database.export(to: saved)
    #expect(written.offers == 2 && written.favorites == 1 && written.changes == 2)
    #expect(written.bytes == (try Data(contentsOf: saved)).count)
    #expect(try mode(of: "saved.json") == 0o600)
    let other = try await other()
    let read = try await other.importRecords(from: saved)
    #expect(read.newOffers == 2 && read.newFavorites == 1 && read.newChanges == 2)
    #expect(read.sources.map(\.text) == [Self.url])
    #expect(read.sources.map(\.origin) == [.imported])
    for query in [OfferQuery(), OfferQuery(favoritesOnly: true)] {
      #expect(try await other.fetchOffers(query) == database.fetchOffers(query))
    }
    let again = try await other.importRecords(from: saved)
    #expect(again.newOffers == 0 && again.leftOffers == 2 && again.sameFavorites == 1)
    let copy = file("copy.json")
    #expect(try await other.export(to: copy) == written)
    #expect(try Data(contentsOf: copy) == Data(contentsOf: saved))
  }

  @Test("an export of the favorites has them alone, and replaces an older export")
  func favorites() async throws {
    try await fill()
    let saved = file("saved.json")
    try folder.write("an older one", to: "saved.json")
    let written = try await database.export(to: saved, favoritesOnly: true)
    #expect(written.offers == 1 && written.favorites == 1)
    #expect(try await other().importRecords(from: saved).newOffers == 1)
  }

  @Test("an export replaces no database and no folder, and needs a file URL")
  func exportTargets() async throws {
    try await fill()
    try await database.backUp(to: file("backup.sqlite"))
    for name in ["offers.sqlite", "offers.sqlite-lock", "backup.sqlite"] {
      let error = try await refusal { _ = try await database.export(to: file(name)) }
      #expect(error.code == .invalidRequest)
      #expect(error.message.contains("is a database. It was left untouched."))
      #expect(error.hint?.text.contains("offers ") == false)
    }
    let pages = try #require(URL(string: "https://shop.example/saved.json"))
    for target in [URL(fileURLWithPath: folder.path), pages] {
      let error = try await refusal { _ = try await database.export(to: target) }
      #expect(error.code == .invalidRequest)
    }
    let missing = try await refusal { _ = try await database.export(to: file("no/saved.json")) }
    #expect(missing.code == .storageFailed)
    #expect(try await database.fetchOffers(OfferQuery()).count == 2)
  }

  @Test("a closed database exports nothing, and leaves the file as it was")
  func closed() async throws {
    try folder.write("an older one", to: "saved.json")
    try await database.close()
    let error = try await refusal { _ = try await database.export(to: file("saved.json")) }
    #expect(error.code == .invalidRequest)
    #expect(try Data(contentsOf: file("saved.json")) == Data("an older one".utf8))
  }

  @Test("a private source of a document is left out unless its sources are accepted")
  func privateSources() async throws {
    try await fill(from: .file(folder.file("feed.json")))
    let saved = file("saved.json")
    _ = try await database.export(to: saved)
    let other = try await other()
    let first = try await other.importRecords(from: saved)
    #expect(first.newOffers == 2)
    #expect(first.sources.map(\.origin) == [nil] && first.sources.map(\.refusal) == [.file])
    let read = try await other.importRecords(from: saved, acceptsSources: true)
    #expect(read.newOffers == 0 && read.leftOffers == 2)
    #expect(read.sources.map(\.origin) == [.machine] && read.sources.map(\.refusal) == [nil])
  }

  @Test("a file that is missing, truncated or no export changes nothing")
  func badDocuments() async throws {
    try await fill()
    let saved = file("saved.json")
    _ = try await database.export(to: saved)
    let text = try Data(contentsOf: saved)
    let other = try await other()
    for (data, code) in [
      (text.dropLast(20), OffersError.Code.malformedFeed), (Data("[]".utf8), .unexpectedShape),
    ] {
      try Data(data).write(to: file("bad.json"))
      let error = try await refusal { _ = try await other.importRecords(from: file("bad.json")) }
      #expect(error.code == code)
    }
    let error = try await refusal { _ = try await other.importRecords(from: file("none.json")) }
    #expect(error.code == .notFound)
    #expect(try await other.fetchOffers(OfferQuery()).isEmpty)
  }

  @Test("an export of the version before there were users is still read")
  func oldFormat() async throws {
    try folder.write(OldExport.text, to: "old.json")
    let other = try await other()
    let read = try await other.importRecords(from: file("old.json"), acceptsSources: true)
    #expect(read.newOffers == 8 && read.newFavorites == 3 && read.newChanges == 10)
    #expect(read.users.isEmpty)
    _ = try await other.export(to: file("new.json"))
    #expect(
      try OldExport.downgraded(String(contentsOf: file("new.json"), encoding: .utf8))
        == OldExport.text)
    _ = try await other.export(to: file("new.json"), favoritesOnly: true)
    #expect(
      try OldExport.downgraded(String(contentsOf: file("new.json"), encoding: .utf8))
        == OldExport.sharedText)
    // Another user may take it for their own.
    let ana = other.bound(to: try await other.addUser(named: "Ana", role: .viewer))
    let again = try await ana.importRecords(from: file("old.json"), acceptsSources: true)
    #expect(again.newFavorites == 3 && again.newOffers == 0)
    #expect(try await other.countOffers(OfferQuery(favoritesOnly: true)) == 2)
    #expect(try await ana.countOffers(OfferQuery(favoritesOnly: true)) == 2)
  }

  @Test("an export of every kind of record is imported, and exported as the same bytes")
  func storedExport() async throws {
    try folder.write(StoredVersion.export(), to: "old.json")
    let other = try await other()
    let read = try await other.importRecords(from: file("old.json"))
    #expect(read.newOffers == 11 && read.newFavorites == 3 && read.newRuns == 5)
    _ = try await other.export(to: file("new.json"), favoritesOnly: false, allUsers: true)
    #expect(
      try String(contentsOf: file("new.json"), encoding: .utf8) == StoredVersion.exportNow())
  }

  @Test("the data of all users is exported and imported together, by their names")
  func allUsers() async throws {
    try await fill()
    let ana = try await database.addUser(named: "Ana", role: .admin)
    try await database.bound(to: ana).setFavorites(
      [OfferRef(feed: "ibotta", offerID: "1"), OfferRef(feed: "ibotta", offerID: "2")], to: true)
    let written = try await database.export(
      to: file("all.json"), favoritesOnly: false, allUsers: true)
    #expect(written.users == 2 && written.favorites == 3)
    let other = try await other()
    let read = try await other.importRecords(from: file("all.json"))
    #expect(read.users.map(\.name) == ["owner", "Ana"])
    #expect(read.users.map(\.isNew) == [false, true])
    #expect(read.users.map(\.newFavorites) == [1, 2])
    #expect(read.users.map(\.role) == [.admin, .admin])
    #expect(read.users.map(\.user.role) == [.admin, .member])
    let theirs = other.bound(to: read.users[1].user)
    let stars = try await theirs.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(stars.map(\.name) == ["Tea", "Jam"])
    // Bound to one user, a database takes the data of one only.
    let error = try await refusal { _ = try await theirs.importRecords(from: file("all.json")) }
    #expect(error.code == .invalidRequest)
    #expect(
      error.message
        == "The document has the data of 2 users, which cannot be imported for one.")
  }

  @Test("a backup opens and lists the same, and replaces an older backup only")
  func backup() async throws {
    try await fill()
    let copy = file("backup.sqlite")
    for _ in 1...2 { try await database.backUp(to: copy) }
    #expect(try mode(of: "backup.sqlite") == 0o600)
    #expect(try names().filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
    let opened = try await OffersDatabase.open(at: copy, access: .readOnly)
    #expect(
      try await opened.fetchOffers(OfferQuery()) == database.fetchOffers(OfferQuery()))
    try await opened.close()
    _ = try await other()
    try folder.write("Dear diary", to: "diary.txt")
    for name in ["diary.txt", "other.sqlite", "offers.sqlite", "offers.sqlite-lock"] {
      let error = try await refusal { try await database.backUp(to: file(name)) }
      #expect(error.code == .invalidRequest, "\(name)")
    }
    #expect(try Data(contentsOf: file("diary.txt")) == Data("Dear diary".utf8))
  }

  @Test("concurrent exports to one file leave one whole document")
  func concurrently() async throws {
    try await fill()
    let saved = file("saved.json")
    let database = database
    try await withThrowingTaskGroup(of: ExportSummary.self) { group in
      for _ in 1...8 { group.addTask { try await database.export(to: saved) } }
      try await group.waitForAll()
    }
    #expect(try await other().importRecords(from: saved).newOffers == 2)
    #expect(try names().allSatisfy { !$0.contains(".new-") })
  }
}
