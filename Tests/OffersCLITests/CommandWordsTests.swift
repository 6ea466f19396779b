import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("How the command line is taken")
struct CommandWordsTests {
  @Test(
    "--database may stand before the command",
    arguments: [
      (["--database", "x", "list", "--json"], ["list", "--json", "--database", "x"]),
      (["--database=x", "show", "--", "-5"], ["show", "--database=x", "--", "-5"]),
      (["list", "--database", "x"], ["list", "--database", "x"]),
      (["--database", "x"], ["--database", "x"]),
      (["--help"], ["--help"]), ([], []),
    ])
  func movesDatabase(words: [String], expected: [String]) {
    #expect(Offers.words(words[...]) == expected)
  }

  @Test("a database named before the command is the one that is used")
  func usesDatabase() throws {
    let home = try Home()
    let other = home.folder.file("other.sqlite")
    #expect(try home.offers("--database", other, "sync", "--quiet").status == 0)
    #expect(FileManager.default.fileExists(atPath: other))
    #expect(!FileManager.default.fileExists(atPath: home.database))
  }

  @Test("without standard input, output and error the database is no place for messages")
  func survivesClosedDescriptors() throws {
    let home = try Home(synced: [FeedItem("1", "Tea")])
    let script = """
      offers sync --from nowhere.json <&- >&- 2>&-
      offers sync --from feed.json <&- >&- 2>&-
      offers favorite 1 2>&-
      offers list --favorites --json
      """
    let result = try home.shell(script)
    #expect(result.status == 0)
    #expect(result.output.contains(#""name":"Tea""#))
  }

  @Test("a list of an unknown feed prints no half document")
  func printsNoHalfDocument() throws {
    let home = try Home(synced: [FeedItem("1", "Tea")])
    let result = try home.offers("list", "--json", "--feed", "nope")
    #expect(result.status == 66)
    #expect(result.output == "")
    #expect(try home.document("list", "--favorites")["offers"] as? [String] == [])
  }
}
