import Foundation
import OffersTestSupport
import Testing

@Suite("Definitions in the database, and beside them the user's own file")
struct StoredDefinitionTests {
  /// A file of definitions as earlier versions of `feeds add`, `feeds set` and `feeds show --save` wrote it,
  /// with comments of its user.
  private static func oldFile(_ home: Home) -> String {
    """
    # My feeds
    allow-private-network: true
    feeds:
      tea:  # the shop around the corner
        title: Tea Shop
        source: \(home.folder.file("tea.json"))
        every: 2h
        format: json
        id: id
        fields:
          name: name
          price: price
      # Added by the page
      jam:
        source: https://jam.example/list.json
        public-only: true
        id: {made-from: [name]}
        fields:
          name: name
    intervals:
      albums: 90m
      tea: 3h
    currencies:
      tea: EUR

    """
  }

  private static func feed(_ name: String, in home: Home) async throws -> [String: Any] {
    let feeds = try await home.objects("feeds", "feeds")
    return try #require(feeds.first { $0["name"] as? String == name })
  }

  @Test("a file that earlier versions wrote is read as before, and never written")
  func readsOldFile() async throws {
    let home = try Home()
    try home.folder.write(#"[{"id":"1","name":"Green Tea","price":"3.50"}]"#, to: "tea.json")
    let path = ".config/offers/feeds.yaml"
    try home.folder.write(Self.oldFile(home), to: path)
    let synced = try await home.call("sync", "tea")
    #expect(synced.output.hasPrefix("tea: 1 new"), "\(synced.errors)")
    let shown = try await home.call("show", "tea:1", "--json").output
    #expect(shown.contains(#""currency":"EUR""#))
    for (name, seconds, place) in [
      ("tea", 10_800, "file"), ("jam", 86_400, "file"), ("albums", 5400, "shipped"),
    ] {
      let feed = try await Self.feed(name, in: home)
      #expect(feed["every_seconds"] as? Int == seconds)
      #expect(feed["defined_in"] as? String == place)
    }
    let other = try home.feed([FeedItem("1", "Rug")], named: "rug.json")
    try await home.expect("feeds", "add", "rug", other, "--yes")
    try await home.expect("feeds", "set", "jam", "--every", "5h")
    try await home.expect("feeds", "set", "tea", "--every", "5h", status: 64)
    try await home.expect(
      "feeds", "edit", "tea", status: 64, says: ["feeds.yaml, which is yours alone to change."])
    let removed = try await home.call("feeds", "remove", "tea")
    #expect(removed.output.hasPrefix("tea: no longer synced. "))
    #expect(removed.errors.contains("tea is still defined in "))
    #expect(try await home.call("sync", "tea").output.hasPrefix("tea: 0 new"))
    #expect(try home.folder.text(of: path) == Self.oldFile(home))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: home.folder.file(".config/offers"))
        == ["feeds.yaml"])
  }

  @Test("of two definitions with one name that of the file counts, and the commands say so")
  func fileCounts() async throws {
    let home = try Home()
    let source = try home.feed([FeedItem("1", "Tea")], named: "tea.json")
    try await home.expect("feeds", "add", "tea", source, "--yes")
    let shown = try await home.call("feeds", "show", "tea")
    #expect(shown.errors == "tea: defined in the database\n")
    #expect(shown.output.contains("  tea:\n"))
    let config = try home.folder.write(
      "feeds: {tea: {title: Mine, id: id, fields: {name: name}}}\n", to: "feeds.yaml")
    let note = "tea is defined in \(config) and in the database; the file's definition counts"
    let mine = try await home.call("feeds", "show", "tea", "--config", config)
    #expect(mine.output.contains("title: Mine"))
    #expect(mine.errors.contains(note))
    #expect(try await home.call("feeds", "--config", config).errors.contains(note))
    let copy = try home.folder.write(shown.output + "# More\n", to: "copy.yaml")
    let edited = try await home.call(
      "feeds", "edit", "tea", "--from", copy, "--config", config)
    #expect(edited.errors.contains(note), "\(edited.errors)")
    try await home.expect("feeds", "add", "tea", source, "--config", config, status: 64)
    let removed = try await home.call("feeds", "remove", "tea", "--config", config)
    #expect(removed.output.contains("its definition was removed"))
    #expect(removed.errors.contains("tea is still defined in \(config)"))
    try await home.expect("feeds", "show", "tea", status: 66)
    try await home.expect(
      "feeds", "show", "albums", "--save", status: 64, says: ["offers feeds edit NAME"])
  }

  /// Runs `feeds edit tea` with an editor.
  private static func edit(_ home: Home, _ editor: String) async throws -> OffersProgram.Result {
    try await OffersProgram.call(
      ["feeds", "edit", "tea"],
      environment: home.environment.merging([
        "VISUAL": "", "EDITOR": editor, "TMPDIR": home.folder.path,
      ]) { $1 })
  }

  @Test("feeds edit opens the definition in the editor, and stores the text as it is written")
  func edits() async throws {
    let home = try Home()
    let source = try home.feed([FeedItem("1", "Tea")], named: "tea.json")
    try await home.expect("feeds", "add", "tea", source, "--yes")
    let edited = try await Self.edit(home, "sed -i '$a # mine'")
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(edited.errors == "tea: its definition was changed.\n")
    #expect(try await home.call("feeds", "show", "tea").output.hasSuffix("\n# mine\n"))
    #expect(try await Self.edit(home, "true").errors == "tea: nothing was changed.\n")
    let drafts = {
      try home.files
        .filter { $0.hasPrefix("offers-tea-") }
    }
    #expect(try drafts() == [])

    // A mistake is refused with its line, and the text is kept for the next attempt.
    let wrong = try await Self.edit(home, "sed -i 's/    id: .*/    idd: id/'")
    #expect(wrong.status == 64)
    let draft = try #require(try drafts().first)
    #expect(wrong.errors.contains("\(draft):"), "\(wrong.errors)")
    #expect(wrong.errors.contains("“idd”"))
    #expect(wrong.errors.contains("offers feeds edit tea --from "))
    #expect(try await home.call("feeds", "show", "tea").output.contains("    id: "))
    #expect(try await Self.edit(home, "false").status == 64)

    // Nothing else can be stored along with it, such as a permission or another feed.
    for more in ["allow-private-network: true\n", "  jam: {id: id, fields: {name: name}}\n"] {
      let text = "feeds:\n  tea: {id: id, fields: {name: name}}\n" + more
      let path = try home.folder.write(text, to: "more.yaml")
      try await home.expect(
        "feeds", "edit", "tea", "--from", path, status: 64,
        says: ["has to define tea, and nothing else."])
    }
    try await home.expect("feeds", "edit", "nosuch", status: 66)
  }

  @Test("a shipped definition is changed in the database, and comes back when that is removed")
  func editsShipped() async throws {
    let home = try Home()
    #expect(
      try await home.call("feeds", "show", "facts").errors == "facts: ships with the program\n")
    let shipped = try await home.call("feeds", "show", "facts").output
    let path = try home.folder.write(
      shipped.replacing("title: {from: title}", with: "title: My facts"), to: "facts.yaml")
    try await home.expect("feeds", "edit", "facts", "--from", path)
    #expect(try await home.call("feeds", "show", "facts").output.contains("title: My facts"))
    try await home.expect("feeds", "check", "facts", "--from", "sample")
    try await home.expect("feeds", "remove", "facts")
    #expect(try await home.call("feeds", "show", "facts").output == shipped)
  }

  @Test("an export has the definition, and an import reads no address of it unasked")
  func travels() async throws {
    let home = try Home()
    let server = try ScriptedServer(
      Array(repeating: .answer("200 OK", [], #"[{"id":"1","name":"Tea"}]"#), count: 3))
    try await home.expect("feeds", "add", "tea", server.url(), "--yes")
    #expect(server.requests.count == 1)
    let document = try home.folder.write(try await home.call("export").output, to: "kept.json")
    let other = try Home()
    try await other.expect(
      "import", document,
      says: [
        "The definitions and settings of these feeds were left out, because they name what a sync reads: tea."
      ])
    try await other.expect("sync")
    try await other.expect("sync", "tea", status: 66)
    #expect(server.requests.count == 1)
    try await other.expect("import", document, "--accept-sources")
    #expect(try await other.call("sync", "tea").output.hasPrefix("tea: 0 new"))
    #expect(server.requests.count == 2)
    #expect(
      try await other.call("feeds", "show", "tea").output
        == home.call("feeds", "show", "tea").output)
  }

  @Test("a stored definition that cannot be read stops neither other feeds nor the list")
  func survivesInvalid() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.store.open().changeDefinition(
      of: "odd", source: "x", forgettingSource: false
    ) { $0.text = "feeds: {odd: {later: true}}\n" }
    #expect(try await home.call("list").output.contains("Tea"))
    try await home.expect("sync")
    let shown = try await home.call("feeds", "show", "odd")
    #expect(shown.output.contains("later"))
    #expect(shown.errors.contains("Correct it: offers feeds edit NAME"))
    try await home.expect("sync", "odd", status: 64, says: ["the stored definition of odd:1:"])
    #expect(try await home.call("doctor").output.contains("offers feeds edit odd"))
  }
}
