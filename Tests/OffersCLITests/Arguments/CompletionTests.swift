import OffersTestSupport
import Testing

@Suite("Shell completion")
struct CompletionTests {
  /// Returns the completions that the program prints for a word of a command.
  private static func complete(
    _ home: Home, _ command: [String], argument: String, word: String, options: [String] = []
  ) throws -> [String] {
    let line = ["offers"] + command + options + [word]
    let words =
      ["---completion"] + command + ["--", argument, "\(line.count - 1)", "\(word.count)"] + line
    let result = try home.offers(words)
    #expect((result.status, result.errors) == (0, ""))
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test("feed names are completed, including those of the user's definitions")
  func completesFeeds() throws {
    let home = try Home()
    let settings = try home.folder.write(
      "feeds:\n  shop: {source: x.json, id: id, fields: {name: name}}\n", to: "own.yaml")
    let found = try Self.complete(
      home, ["sync"], argument: "positional@0", word: "", options: ["--config", settings])
    #expect(found == ["albums", "facts", "ibotta", "movies", "restaurants", "shop"])
    #expect(
      try Self.complete(home, ["list"], argument: "--feed", word: "").contains("movies"))
  }

  @Test(
    "words are completed as filters, and behind feed: with the names of feeds",
    arguments: [
      ("rew", ["reward:>=", "reward:<="]), ("fe", ["feed:albums", "feed:facts"]),
      ("-feed:al", ["-feed:albums"]), ("sort:re", ["sort:reward"]), ("coffee", []),
    ])
  func completesFilters(word: String, first: [String]) throws {
    let found = try Self.complete(try Home(), ["list"], argument: "positional@0", word: word)
    #expect(Array(found.prefix(2)) == first)
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
