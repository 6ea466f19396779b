import OffersTestSupport
import Testing

@Suite("Shell completion")
struct CompletionTests {
  /// Returns the completions that the program prints for a word of a command.
  private static func complete(
    _ home: Home, _ command: [String], argument: String, word: String, shell: String? = nil,
    options: [String] = []
  ) throws -> [String] {
    let line = ["offers"] + command + options + [word]
    let words =
      ["---completion"] + command + ["--", argument, "\(line.count - 1)", "\(word.count)"] + line
    var environment = home.environment
    environment["SAP_SHELL"] = shell
    let result = try OffersProgram.run(words, environment: environment)
    #expect((result.status, result.errors) == (0, ""))
    return result.output.split(separator: "\n").map(String.init)
  }

  private static func home() async throws -> Home {
    try await Home(synced: [
      FeedItem("110579", "Tea"), FeedItem("110580", "Jam: plum"), FeedItem("2", "Milk\u{1B}[2J"),
    ])
  }

  @Test("ids are completed by prefix, with or without their feed")
  func completesIDs() async throws {
    let home = try await Self.home()
    for command in [["show"], ["favorite"], ["image"], ["history"]] {
      #expect(
        try Self.complete(home, command, argument: "positional@0", word: "1105")
          == ["110579", "110580"])
    }
    #expect(
      try Self.complete(home, ["show"], argument: "positional@0", word: "ibotta:2")
        == ["ibotta:2"])
    #expect(try Self.complete(home, ["show"], argument: "positional@0", word: "x").isEmpty)
    #expect(try Self.complete(home, ["show"], argument: "positional@0", word: "").count == 3)
  }

  @Test("fish and zsh also get the offers' names, without control characters")
  func tellsNames() async throws {
    let home = try await Self.home()
    #expect(
      try Self.complete(home, ["show"], argument: "positional@0", word: "", shell: "fish")
        == ["110579\tTea", "110580\tJam: plum", "2\tMilk␛[2J"])
    let zsh = try Self.complete(
      home, ["show"], argument: "positional@0", word: "ibotta:2", shell: "zsh")
    #expect(zsh == [#"ibotta\:2:Milk␛[2J"#, " "], "the script leaves the last line out")
  }

  @Test("an id that several feeds have is completed with its feed")
  func tellsFeedsApart() async throws {
    let home = try await Self.home()
    let feed = try home.feed([FeedItem("2", "Milk")], named: "shop.json")
    #expect(try home.offers("feeds", "add", "shop", feed).status == 0)
    #expect(
      try Self.complete(home, ["show"], argument: "positional@0", word: "2")
        == ["ibotta:2", "shop:2"])
  }

  /// Returns bash's completions for a command line that is split into words as bash does it.
  private static func bash(_ home: Home, _ words: [String]) throws -> Home.ShellResult {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let word = words[words.count - 1] == ":" ? "" : words[words.count - 1]
    return try home.shell(
      """
      offers --generate-completion-script bash > script && source ./script
      COMP_WORDS=(offers \(quoted)); COMP_CWORD=\(words.count); COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}
      "$(complete -p offers | sed 's/.*-F \\([^ ]*\\).*/\\1/')" offers '\(word)' '' 2>/dev/null
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
  }

  @Test(
    "bash completes the id after a colon, which it treats as a word of its own",
    arguments: [
      (["ibotta", ":"], ["110579", "110580", "2"]),
      (["ibotta", ":", "1105"], ["110579", "110580"]),
      (["shop", ":", "2"], ["2"]), (["1105"], ["110579", "110580"]),
      (["ibotta:1105"], ["ibotta:110579", "ibotta:110580"]),
    ])
  func bashColon(typed: [String], expected: [String]) async throws {
    let home = try await Self.home()
    let feed = try home.feed([FeedItem("2", "Milk")], named: "shop.json")
    #expect(try home.offers("feeds", "add", "shop", feed).status == 0)
    for command in ["show", "favorite"] {
      let result = try Self.bash(home, [command] + typed)
      #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }
  }

  @Test("feed names are completed, including those of the user's definitions")
  func completesFeeds() async throws {
    let home = try await Self.home()
    let settings = try home.folder.write(
      "feeds:\n  shop: {source: x.json, id: id, fields: {name: name}}\n", to: "own.yaml")
    let found = try Self.complete(
      home, ["sync"], argument: "positional@0", word: "", options: ["--config", settings])
    #expect(found == ["albums", "facts", "ibotta", "movies", "restaurants", "shop"])
    #expect(
      try Self.complete(home, ["list"], argument: "--feed", word: "").contains("movies"))
  }

  @Test("names of users are completed, and searches are those of the user")
  func completesUsers() async throws {
    let home = try await Self.home()
    #expect(try home.offers("user", "add", "ben").status == 0)
    #expect(try home.offers("user", "add", "$(touch made)").status == 0)
    #expect(try home.offers("search", "tea").status == 0)
    #expect(try home.offers("search", "jam", "--user", "ben").status == 0)
    #expect(try Self.complete(home, ["list"], argument: "--user", word: "") == ["owner", "ben"])
    #expect(
      try Self.complete(home, ["user", "remove"], argument: "positional@0", word: "")
        == ["owner", "ben"])
    let words = try Self.complete(
      home, ["search"], argument: "positional@0", word: "", options: ["--user", "ben"])
    #expect(words == ["jam"])
    #expect(
      try Self.complete(home, ["search"], argument: "positional@0", word: "") == ["tea"])
  }

  @Test("without a database, completion prints nothing and creates no file")
  func makesNothing() throws {
    let home = try Home()
    #expect(try Self.complete(home, ["show"], argument: "positional@0", word: "1").isEmpty)
    #expect(try home.shell("ls").output == "shell-errors\nshell-output\n")
  }

  @Test("each shell accepts its generated completion script", arguments: ["bash", "zsh", "fish"])
  func scripts(shell: String) throws {
    let home = try Home()
    let check = try home.shell(
      """
      offers --generate-completion-script \(shell) > script && test -s script || exit 1
      if command -v \(shell) >/dev/null; then \(shell) -n script; fi
      """)
    #expect(check.status == 0, "\(check.errors)")
  }
}
