import Foundation
import OffersTestSupport
import TestStores
import Testing

@testable import OffersCLI

@Suite("Backups of several days", .aboutFile)
struct BackupFolderTests {
  @Test("the newest are kept, one for each day, and files with other names stay")
  func keeps() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let folder = home.folder.file("backups")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }
    try await home.expect("backup", folder, "--keep", "2")
    let today = try #require(try names().first)
    #expect(try names().count == 1)
    #expect(today.wholeMatch(of: #/offers-\d{4}-\d\d-\d\d\.sqlite/#) != nil)
    let others = ["offers-2001-01-0.sqlite", "offers-2001-01-01.sqlite.gz", "mine.sqlite"]
    let old = (1...3).map { "offers-2001-01-0\($0).sqlite" }
    for name in others + old + ["offers-2999-01-01.sqlite"] {
      try home.folder.write("old", to: "backups/\(name)")
    }
    let again = try await home.expect("backup", folder, "--keep", "3", "--json")
    #expect(try Home.parse(again.output)["path"] as? String == "\(folder)/\(today)")
    #expect(try names() == (others + [old[2], today, "offers-2999-01-01.sqlite"]).sorted())
    // The backup of the day stays, whatever the clock has said before.
    try await home.expect("backup", folder, "--keep", "1")
    #expect(try names() == (others + [today]).sorted())
    #expect(try home.integrity(of: "\(folder)/\(today)") == "ok\n")
  }

  @Test("a backup that fails removes none, and a number below one is refused")
  func failures() async throws {
    let home = try Home()
    let old = try home.folder.write("old", to: "backups/offers-2001-01-01.sqlite")
    try home.folder.write("old", to: "backups/offers-2001-01-02.sqlite")
    let folder = home.folder.file("backups")
    try await home.expect("backup", folder, "--keep", "1", status: 66)
    #expect(FileManager.default.fileExists(atPath: old))
    try await home.expect("backup", folder, "--keep", "0", status: 64)
    try home.folder.write("no folder", to: "file")
    _ = try await home.call("sync", "ibotta", "--from", "sample", "--quiet")
    try await home.expect(
      "backup", home.folder.file("file"), "--keep", "1", status: 1, says: ["could not be made"])
  }
}
