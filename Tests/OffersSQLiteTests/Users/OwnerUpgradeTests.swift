import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A database from before there were users")
struct OwnerUpgradeTests {
  private static let favorites = [("ibotta", "3", 1600), ("ibotta", "7", 1500), ("later", "x", 9)]

  /// Fills the tables of schema version 19, of which `makeFile` has made one favorite.
  private static func makeFile(in folder: TemporaryFolder) throws -> String {
    let path = try Store.makeFile(in: folder, version: 19, offerCount: 50)
    try Store.execute(
      path,
      """
      INSERT INTO favorite VALUES ('later', 'x', 9), ('ibotta', '3', 1600);
      INSERT INTO recent_search (search_order, expression, feed, words, searched_at)
      VALUES (4, '"tea"', '', 'Tea', 10), (9, '"jam"', 'ibotta', 'jam', 20);
      INSERT INTO reader VALUES ('mail', 7, 100), ('feed', 50, 200);
      INSERT INTO notice VALUES ('expiring', 'ibotta', '3', 9000, 10);
      """)
    return path
  }

  @Test("is the owner's: favorites, searches, read marks and notices", arguments: [true, false])
  func isOwners(writes: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = try Self.makeFile(in: folder)
    let database = try await OffersDatabase.open(
      path: path, access: writes ? .readWrite : .readOnly)
    #expect(try await database.fetchUsers().map(\.id) == [User.ownerID])
    #expect(
      try Store.rows(path, "SELECT * FROM favorite ORDER BY feed, id")
        == Self.favorites.map { "1|\($0.0)|\($0.1)|\($0.2)" })
    let searches = try await database.fetchRecentSearches()
    #expect(
      searches == [
        RecentSearch(words: "jam", feed: "ibotta", searchedAt: ChangeTests.date(20)),
        RecentSearch(words: "Tea", searchedAt: ChangeTests.date(10)),
      ])
    #expect(
      try await database.findMark(of: "mail")
        == ReaderMark(changeID: 7, readAt: ChangeTests.date(100)))
    #expect(
      try await database.findMark(of: "feed")
        == ReaderMark(changeID: 50, readAt: ChangeTests.date(200)))
    #expect(
      try Store.rows(path, "SELECT * FROM notice") == ["1|expiring|ibotta|3|9000|10"])
  }

  @Test("is exported as before, byte for byte", arguments: [true, false])
  func export(favoritesOnly: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = try Self.makeFile(in: folder)
    // Salvaging reads the file without migrating it.
    let old = try await OffersDatabase.open(salvaging: path)
    let before = try await old.salvage(favoritesOnly: favoritesOnly) { reader in
      var kept = MemoryExport()
      let cut = try reader.forEachRecord(accepting: { _ in true }) { kept.records.append($0) }
      #expect(cut.isEmpty)
      return kept
    }
    try await old.close()
    #expect(try Store.rows(path, "PRAGMA user_version") == ["19"])
    #expect(before.favorites.count == 3)
    let database = try await OffersDatabase.open(path: path)
    let after = try await Store.exported(database, favoritesOnly: favoritesOnly)
    #expect(after.favorites.map(\.ref.offerID) == ["3", "7", "x"])
    #expect(try after.text() == before.text())
  }
}
