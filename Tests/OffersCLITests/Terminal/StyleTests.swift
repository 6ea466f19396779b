import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Colors and the pager", .enabled(if: PseudoTerminal.isPresent))
struct StyleTests {
  private static func home() async throws -> Home {
    let home = try await Home(synced: [
      FeedItem("1", "Tea", "$1.00 Cash Back"), FeedItem("2", "Jam"),
    ])
    let feed = try home.feed([FeedItem("1", "Tea", "$2.00 Cash Back"), FeedItem("2", "Jam")])
    guard try await home.call("sync", "--from", feed).status == 0,
      try await home.call("favorite", "1").status == 0
    else { throw Home.Unexpected("the home could not be made") }
    return home
  }

  private static let commands = [
    ["show", "1"], ["history", "1"], ["changes", "--since", "1d"], ["status"],
  ]

  @Test("commands print colors on a terminal", arguments: commands)
  func colors(command: [String]) async throws {
    let home = try await Self.home()
    let variables = ["NO_COLOR": ""]
    let colored = try PseudoTerminal.run(command, in: home, variables: variables)
    #expect(colored.contains("\u{1B}["))
    // The chart of a history depends on the current time.
    if command.first == "history" { return }
    // Without its escape sequences, the colored text equals the plain text.
    #expect(
      colored.replacing(/\u{1B}\[\d*m/, with: "") == (try PseudoTerminal.run(command, in: home)))
  }

  @Test("NO_COLOR, TERM=dumb and --color never turn colors off", arguments: commands)
  func plain(command: [String]) async throws {
    let home = try await Self.home()
    for variables in [["NO_COLOR": "1"], ["NO_COLOR": "", "TERM": "dumb"]] {
      let shown = try PseudoTerminal.run(
        command, in: home, variables: variables)
      #expect(!shown.contains("\u{1B}"))
    }
    let shown = try PseudoTerminal.run(
      command + ["--color", "never"], in: home, variables: ["NO_COLOR": ""])
    #expect(!shown.contains("\u{1B}"))
  }

  @Test("piped output has colors only with --color always", arguments: commands)
  func piped(command: [String]) async throws {
    let home = try await Self.home()
    func run(_ options: [String]) async throws -> String {
      try await home.call(command + options).output
    }
    #expect(!(try await run([])).contains("\u{1B}"))
    #expect(!(try await run(["--color", "auto"])).contains("\u{1B}"))
    #expect(try await run(["--color", "always"]).contains("\u{1B}["))
  }

  @Test("an empty NO_COLOR has no effect, as no-color.org says")
  func emptyVariable() {
    func style(_ variables: [String: String], _ mode: Style.Mode = .auto) -> Style {
      Style(mode, isTerminal: true) { variables[$0] }
    }
    #expect(
      style(["TERM": "xterm", "NO_COLOR": ""]).bad("x").rendered(isTerminal: true)
        == "\u{1B}[31mx\u{1B}[0m")
    #expect(style(["TERM": "xterm", "NO_COLOR": "0"]).bad("x") == "x")
    #expect(style([:]).bad("x") == "x")
    #expect(
      style(["NO_COLOR": "1"], .always).bad("x").rendered(isTerminal: true)
        == "\u{1B}[31mx\u{1B}[0m")
    #expect(style(["TERM": "xterm"]).bad("") == "")
  }

  @Test("output on a terminal goes through the pager, piped output does not")
  func pages() async throws {
    let home = try await Self.home()
    let command = ["changes", "--since", "1d"]
    func run(_ variables: [String: String], _ options: [String] = []) async throws -> String {
      try PseudoTerminal.run(
        command + options, in: home, variables: variables)
    }
    let plain = try await run(["OFFERS_PAGER": ""])
    #expect(plain.contains("Tea"))
    let numbered = plain.split(separator: "\n").map { "> \($0)" }.joined(separator: "\n") + "\n"
    #expect(try await run(["OFFERS_PAGER": "sed 's/^/> /'"]) == numbered)
    #expect(try await run(["OFFERS_PAGER": "", "PAGER": "sed 's/^/> /'"]) == plain)
    #expect(try await run(["PAGER": "sed 's/^/> /'"]) == numbered)
    #expect(try await run(["PAGER": "sed 's/^/> /'"], ["--no-pager"]) == plain)
    #expect(try await run(["PAGER": "sed 's/^/> /'", "TERM": "dumb"]) == plain)
    for pager in ["no-such-pager --x", "'no such pager'", "  ", "it's", "\"", "$(exit"] {
      #expect(try await run(["PAGER": pager]) == plain, "\(pager)")
    }
    #expect(try await run(["COLUMNS": "\(Int.max)"]).contains("Tea"))
    #expect(
      try home.shell("PAGER='sed s/^/>/' offers changes --since 1d").output.contains(">") == false)
  }

  @Test("a failing pager is reported, and no change is marked as read", arguments: [3, 5000])
  func failingPager(count: Int) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    _ = try home.feed((1...count).map { FeedItem("\($0)", "Tea") })
    try await home.expect("sync", "--quiet")
    let (shown, status) = try PseudoTerminal.result(
      ["changes", "--since", "last"], in: home, variables: ["PAGER": "false"])
    #expect(status == 1)
    #expect(shown.hasPrefix("offers: The pager ended with an error.\n"))
    #expect(
      (try await home.callDocument("changes", "--since", "last")["changes"] as? [Any])?.count
        == count)
  }

  @Test("paged output is as wide as the terminal")
  func pagedWidth() async throws {
    let home = try await Home(synced: [FeedItem("1", String(repeating: "Tea ", count: 60))])
    for command in [["list"], ["changes"], ["history", "1"]] {
      for columns in [44, 120] {
        func run(_ pager: String) async throws -> String {
          try PseudoTerminal.run(
            command, in: home, columns: columns, variables: ["PAGER": pager])
        }
        #expect(try await run("sed 's/^//'") == run(""))
      }
    }
  }

  @Test("quitting the pager early is no error, and marks no change as read")
  func leavesEarly() async throws {
    let items = (1...5000).map { FeedItem("\($0)", "Tea number \($0) of a long list") }
    let home = try await Home(synced: Array(items.prefix(1)))
    _ = try home.feed(items)
    try await home.expect("sync", "--quiet")
    let (shown, status) = try PseudoTerminal.result(
      ["changes", "--since", "last"], in: home, variables: ["PAGER": "head -n 1", "NO_COLOR": "1"])
    #expect(status == 0)
    #expect(shown.split(separator: "\n").count == 1, "\(shown.prefix(300))")
    let again = try await home.callDocument("changes", "--since", "last")
    #expect((again["changes"] as? [Any])?.count == 5000)
  }
}
