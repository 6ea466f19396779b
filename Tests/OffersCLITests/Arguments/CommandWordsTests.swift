import ArgumentParser
import Foundation
import OffersFeeds
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Parsing of the command line")
struct CommandWordsTests {
  @Test(
    "--database and --user are accepted before the command",
    arguments: [
      (["--database", "x", "list", "--json"], ["list", "--json", "--database", "x"]),
      (["--database=x", "show", "--", "-5"], ["show", "--database=x", "--", "-5"]),
      (["--user", "ben", "--database=x", "list"], ["list", "--user", "ben", "--database=x"]),
      (["--user=ben", "list"], ["list", "--user=ben"]),
      (["list", "--database", "x"], ["list", "--database", "x"]),
      (["--database", "x"], ["--database", "x"]),
      (["--help"], ["--help"]), ([], []),
    ])
  func movesOptions(words: [String], expected: [String]) {
    #expect(OffersCommand.words(words[...]) == expected)
  }

  @Test("help fits 80 columns, has one line per example, and fills the lines of its paragraphs")
  func helpFits() {
    func check(_ command: any ParsableCommand.Type) {
      let help = OffersCommand.helpMessage(for: command, columns: 80)
      for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      let overview = help.components(separatedBy: "\nUSAGE")[0]
      for paragraph in overview.components(separatedBy: "\n\n") {
        let lines = paragraph.split(separator: "\n")
        if ["EXAMPLES", "EXIT CODES", "KINDS", "RULES"].contains(lines[0]) {
          #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") }, "\(paragraph)")
        } else {
          for (line, next) in zip(lines, lines.dropFirst()) {
            let word = next.prefix { $0 != " " }
            #expect(line.count + 1 + word.count >= 80, "\(line)")
          }
        }
      }
      for below in command.configuration.subcommands { check(below) }
    }
    check(OffersCommand.self)
  }

  @Test("the ids in the examples of the help are ids of the built-in samples")
  func exampleIDs() throws {
    let samples = FeedCatalog.names.compactMap { FeedCatalog.findSample(of: $0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined()
    func check(_ command: any ParsableCommand.Type) {
      let help = OffersCommand.helpMessage(for: command, columns: 80)
      for id in help.split(whereSeparator: { !$0.isNumber }) where id.count >= 6 {
        #expect(samples.contains("\"\(id)\""), "\(id)")
      }
      for below in command.configuration.subcommands { check(below) }
    }
    check(OffersCommand.self)
  }

  @Test("--database before the command selects the database")
  func usesDatabase() async throws {
    let home = try Home()
    let other = home.folder.file("other.sqlite")
    try await home.expect("--database", other, "sync", "--quiet")
    #expect(FileManager.default.fileExists(atPath: other))
    #expect(!home.exists(home.database))
  }

  @Test("with closed standard streams, messages are not written into the database file")
  func survivesClosedDescriptors() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
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

  @Test("list of an unknown feed prints no partial document")
  func printsNoHalfDocument() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect("list", "--json", "--feed", "nope", status: 66, output: "")
    #expect(try await home.callDocument("list", "--favorites")["offers"] as? [String] == [])
  }
}
