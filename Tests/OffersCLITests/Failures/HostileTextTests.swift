import OffersTestSupport
import Testing

@Suite("Hostile text in a feed")
struct HostileTextTests {
  /// A name with control characters that would clear the screen, ring the bell, set the window's
  /// title, and reverse or break the line.
  private static let name =
    "Tea\u{1B}[2J\u{7}\u{9B}31m\u{1B}]0;x\u{7}\u{202E}\u{2066}\u{200F}\u{85}\u{7F}\rX\nY\tZ\r\nend"

  private static func item(_ id: String) -> FeedItem {
    FeedItem(id, name, name, description: name, terms: name, image: name)
  }

  /// Returns whether a text has no control or bidirectional formatting characters except line
  /// feeds.
  private static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x0A: true
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
      default: true
      }
    }
  }

  @Test("No command prints control characters into a pipe")
  func piped() async throws {
    let home = try await Home(synced: [
      Self.item("1"), Self.item("\u{1B}[31m2"), FeedItem("3", "Jam"),
    ])
    for command in [
      ["list"], ["show", "1"], ["favorite", "1"], ["list", "--favorites"],
      ["search", "tea"], ["search", "31m"], ["search", "te\u{1B}c"], ["search"],
      ["search", "tea", "--feed", "\u{1B}c"], ["search", "31mtae"],
      ["favorite", "1", "--remove"], ["show", "\u{1B}[31m2"], ["show", "\u{1B}]0;gone\u{7}"],
      ["changes"], ["history", "1"], ["changes", "--feed", "\u{1B}c"],
      ["changes", "--since", "\u{1B}c"], ["changes", "--kind", "\u{1B}c"],
      ["history", "\u{1B}c"], ["favorite", "\u{202E}4"], ["list", "--feed", "\u{1B}c"],
      ["sync", "\u{1B}c"],
      ["sync", "--from", "/nowhere/\u{1B}c"], ["list", "--database", "/nowhere/\u{1B}c"],
    ] {
      let result = try await home.call(command)
      #expect(Self.isPlain(result.output), "\(command)")
      #expect(Self.isPlain(result.errors), "\(command)")
      #expect(result.output + result.errors != "", "\(command)")
    }
  }

  @Test("An offer takes one line of the table, whatever its texts contain")
  func oneLine() async throws {
    let home = try await Home(synced: [Self.item("1"), FeedItem("3", "Jam")])
    #expect(try await home.call("list").output.split(separator: "\n").count == 3)
    #expect(try await home.call("favorite", "1").output.split(separator: "\n").count == 1)
  }

  @Test("Control characters in a source's name are escaped in the status and in errors")
  func status() async throws {
    let home = try Home()
    let path = try home.feed([FeedItem("1", "Tea")], named: "\u{1B}[31mfeed\n.json")
    try await home.expect("sync", "--from", path)
    try home.folder.write("[", to: "\u{1B}[31mfeed\n.json")
    let sync = try await home.expect("sync", status: 1)
    let status = try await home.call("status")
    #expect(Self.isPlain(sync.output) && Self.isPlain(sync.errors) && Self.isPlain(status.output))
  }

  @Test("Problems of records are printed without the feed's control characters")
  func problems() async throws {
    let home = try Home()
    let items = [Self.item("\u{1B}[2J\u{202E}\n1"), Self.item("\u{1B}[2J\u{202E}\n1")]
    let result = try await home.call("sync", "--from", home.feed(items))
    #expect(result.errors.contains("came before"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(Self.isPlain(result.output) && Self.isPlain(result.errors))
  }

  @Test("JSON documents contain no raw control characters")
  func documents() async throws {
    let home = try await Home(synced: [Self.item("1")])
    for command in [
      ["list", "--json"], ["show", "1", "--json"], ["favorite", "1", "--json"],
      ["changes", "--json"], ["history", "1", "--json"], ["search", "tea", "--json"],
      ["search", "--json"],
    ] {
      let result = try await home.call(command)
      #expect(
        result.output.unicodeScalars.allSatisfy {
          $0 == "\n" || !(0..<0x20).contains($0.value) && !(0x7F..<0xA0).contains($0.value)
        })
    }
    let terms = try await home.callDocument("show", "1")["terms"] as? String
    #expect(terms == Self.name.replacing("\r\n", with: "\n"))
  }

  @Test(
    "No command prints a feed's control characters on a terminal",
    .enabled(if: PseudoTerminal.isPresent))
  func onTerminal() async throws {
    let home = try await Home(synced: [Self.item("1"), FeedItem("3", "Jam")])
    for command in [
      ["list"], ["show", "1"], ["favorite", "1"], ["show", "\u{1B}c"], ["status"], ["changes"],
      ["history", "1"],
    ] {
      let shown = try PseudoTerminal.run(command, in: home)
      #expect(Self.isPlain(shown), "\(command)")
      #expect(shown != "", "\(command)")
    }
  }

  @Test(
    "The only escape sequences in search results are the program's own styles",
    .enabled(if: PseudoTerminal.isPresent))
  func marked() async throws {
    let home = try await Home(synced: [Self.item("1")])
    for words in ["tea", "31m", "end", "2j"] {
      let shown = try PseudoTerminal.run(
        ["search", words], in: home, variables: ["TERM": "xterm", "NO_COLOR": ""])
      #expect(shown.contains("\u{1B}[1m"))
      let rest = shown.replacing(/\u{1B}\[[012]m/, with: "")
      #expect(Self.isPlain(rest), "\(words)")
      #expect(rest.split(separator: "\n").count == 2)
    }
  }

  @Test(
    "a command that a hint suggests is quoted for the shell",
    arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
  func hints(mark: String) async throws {
    let id = "x'\(mark)$(touch made)'\(mark)"
    let home = try await Home(synced: [FeedItem(id, "Tea")])
    let hint = try home.offers("open", id).errors
    let command = try #require(hint.split(separator: "offers show ").last)
    #expect(try home.shell("offers show \(command)").output.contains("Tea"))
    #expect(try home.shell("ls made").status != 0)
  }
}
