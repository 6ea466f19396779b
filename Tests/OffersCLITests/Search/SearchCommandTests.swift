import Foundation
import OffersTestSupport
import Testing

@Suite("offers search")
struct SearchCommandTests {
  private static let items = [
    FeedItem("1", "Café Lumière® Ground Coffee", "$3.50 Cash Back"),
    FeedItem("2", "Green Tea", "5% Cash Back", terms: "Limit 2. Not good with coffee creamer."),
    FeedItem("3", "Rye Bread", nil),
  ]

  private static func home() async throws -> Home { try await Home(synced: items) }

  @Test("search prints a table, best match first, and nothing else")
  func table() async throws {
    let result = try await Self.home().call("search", "COFFEE")
    #expect(
      result.output == """
           ID        REWARD           NAME
           ibotta:1  $3.50 Cash Back  Café Lumière® Ground Coffee
           ibotta:2  5% Cash Back     Green Tea

        """)
    #expect(result.errors == "" && result.status == 0)
  }

  @Test("For a typo, the words that were probably meant are proposed on standard error")
  func typo() async throws {
    let home = try await Self.home()
    let result = try await home.call("search", "cofee", "grund")
    #expect(result.errors == "Nothing found for “cofee grund”; did you mean “coffee ground”?\n")
    #expect(result.output == "" && result.status == 0)
    try await home.expect("search", "cofee", "--exit-status", status: 66)
  }

  @Test("A search without results fails only with --exit-status")
  func nothing() async throws {
    let home = try await Self.home()
    for (options, status) in [([], 0), (["--exit-status"], 66)] as [([String], Int32)] {
      for words in [["xylophone"], ["xylophone", "--feed", "ibotta"]] {
        let result = try await home.call(["search"] + words + options)
        #expect(result.status == status && result.output == "")
        #expect(result.errors.hasPrefix("Nothing found for “xylophone”"))
      }
    }
    try await home.expect("search", "tea", "--exit-status")
    #expect(
      try await home.call("search", "🙂").errors
        == "“🙂” contains no letter or digit to search for.\n")
    #expect(
      try await home.call("search", "tea", "--page", "4").errors
        == "Nothing found on page 4 for “tea”.\n")
  }

  @Test("matching favorites that are gone or expired are counted, whatever else was found")
  func leftOutFavorites() async throws {
    let home = try await Self.home()
    try await home.call("favorite", "1", "3")
    _ = try home.feed([FeedItem("2", "Green Tea", "5% Cash Back", terms: "Not with coffee.")])
    try await home.call("sync", "--quiet", "--accept-removals")
    let note = "1 favorite that is gone matches. To see it, add --favorites.\n"
    let found = try await home.call("search", "coffee")
    #expect(found.output.contains("ibotta:2") && !found.output.contains("ibotta:1"))
    #expect(found.errors == note)
    #expect(
      try await home.call("search", "lumiere").errors
        == "Nothing found for “lumiere”.\n" + note)
    for words in [["lumiere", "--favorites"], ["tea"], ["xylophone"], ["tea", "--page", "2"]] {
      let result = try await home.call(["search"] + words)
      #expect(!result.errors.contains("favorite that"), "\(words)")
    }
  }

  @Test("--forget removes one recent search, by its number or by its words")
  func forgets() async throws {
    let home = try await Self.home()
    for words in ["tea", "coffee", "rye bread"] { _ = try await home.call("search", words) }
    let forgot = try await home.call("search", "2!", "--forget")
    #expect(forgot.errors == "Forgot the search “coffee”.\n")
    #expect(forgot.output == "" && forgot.status == 0)
    let rest = try await home.callDocument("search", "rye", "bread", "--forget", "--json")
    #expect((rest["searches"] as? [[String: Any]])?.map { $0["words"] as? String } == ["tea"])
    for words in ["coffee", "7!"] {
      try await home.expect("search", words, "--forget", status: 66, says: ["There is no"])
    }
    try await home.expect("search", "tea", "--feed", "ibotta", "--forget", status: 66)
    try await home.expect("search", "--forget", status: 64)
    #expect(try await home.call("search").output.contains("tea"))
  }

  @Test("The JSON has the offers, the positions of the matches, and the searched words")
  func document() async throws {
    let home = try await Self.home()
    let typo = try await home.callDocument("search", "grene", "coffee")
    #expect(typo["words"] as? String == "grene coffee")
    #expect(typo["corrected_words"] as? String == "green coffee")
    #expect((typo["offers"] as? [Any])?.isEmpty == true)
    let document = try await home.callDocument("search", "green", "coffee", "--limit", "1")
    #expect(
      Set(document.keys) == [
        "words", "corrected_words", "feed", "page", "has_more", "source", "error", "offers",
      ])
    #expect(document["corrected_words"] is NSNull)
    #expect(document["source"] as? String == "store")
    #expect(document["has_more"] as? Bool == false && document["page"] as? Int == 1)
    let offer = try #require((document["offers"] as? [[String: Any]])?.first)
    #expect(offer["ref"] as? String == "ibotta:2")
    let matches = try #require(offer["matches"] as? [[String: Any]])
    #expect(matches.map { $0["field"] as? String } == ["name", "terms"])
    #expect(matches.map { $0["ranges"] as? [[Int]] } == [[[0, 5]], [[23, 29]]])
    #expect(matches.allSatisfy { $0["index"] is NSNull })
    let nothing = try await home.expect("search", "xylophone", "--json")
    #expect(try (Home.parse(nothing.output)["offers"] as? [Any])?.isEmpty == true)
  }

  @Test("A search with too many words or characters is refused, and no server is asked")
  func tooLong() async throws {
    let home = try await Self.home()
    for options in [[], ["--feed", "movies"], ["--favorites"]] {
      let words = Array(repeating: "tea", count: 51)
      try await home.expect(
        ["search"] + options + words, status: 64,
        says: ["A search has at most 50 words; this text has 51.", "Search for fewer words."],
        output: "")
      try await home.expect(
        ["search"] + options + [String(repeating: "x", count: 1001)], status: 64,
        says: ["A search has at most 1,000 characters; this text has more."])
    }
  }

  @Test("Any word can be searched for, even one that begins with a hyphen")
  func anyWord() async throws {
    let home = try await Self.home()
    for words in [
      ["-coffee"], ["--", "--coffee"], ["coffee", "--", "--json"], ["-c"], ["-"], ["--", "-h"],
      ["\"coffee"], ["coffee*"], ["coffee AND"], ["'"], ["C++"], ["12 oz."], ["☕"], [""], ["%"],
    ] {
      try await home.expect(["search"] + words)
    }
    #expect(try await !home.call("search", "-coffee").output.contains("ibotta:1 "))
  }

  @Test(
    "Invalid options are wrong usage",
    arguments: [
      ["tea", "--limit", "0"], ["tea", "--limit", "1001"], ["tea", "--page", "0"],
      ["tea", "--page", "x"], ["tea", "--all"], ["tea", "--all", "--page", "2"], ["tea", "--jsn"],
      ["tea", "--feed", "ibotta", "--all"],
    ])
  func wrongUsage(words: [String]) async throws {
    let home = try await Self.home()
    try await home.expect(["search"] + words, status: 64, output: "")
  }

  @Test("An unknown feed, an unknown search number and a missing database exit with 66")
  func notThere() async throws {
    let home = try await Self.home()
    for words in [["tea", "--feed", "nobody"], ["7!"]] {
      try await home.expect(["search"] + words, status: 66)
    }
    let empty = try Home()
    try await empty.expect("search", "tea", status: 66)
    try await empty.expect("search", status: 66)
  }

  @Test("Recent searches with results are stored and can be repeated by number")
  func recent() async throws {
    let home = try await Self.home()
    #expect(try await home.call("search").errors.hasPrefix("No searches yet."))
    for words in ["rye", "tea", "xylophone", "cofee", "coffee", "Rye"] {
      try await home.call("search", words)
    }
    #expect(
      try await home.call("search").output == """
        NO  FEED  WORDS
        1!  –     Rye
        2!  –     coffee
        3!  –     tea

        """)
    let picked = try await home.call("search", "3!")
    #expect(picked.output.contains("Green Tea"))
    #expect(try await home.callDocument("search", "1!")["words"] as? String == "tea")
    let searches = try await home.callDocument("search")["searches"] as? [[String: Any]]
    #expect(searches?.map { $0["words"] as? String } == ["tea", "Rye", "coffee"])
    #expect(searches?.map { $0["number"] as? Int } == [1, 2, 3])
  }

  @Test("A database without write permission can still be searched")
  func readOnly() async throws {
    let home = try await Self.home()
    try await home.call("search", "tea")
    // Root can write despite the permissions; the search is then an ordinary one.
    let result = try home.shell("chmod a-w . offers.sqlite*; offers search coffee; chmod u+w .")
    #expect(result.output.contains("Green Tea") && result.status == 0)
  }

  @Test("A sync may skip the search index, and the next search builds it")
  func noIndex() async throws {
    let home = try Home()
    try await home.expect("sync", "--quiet", "--no-index", "--from", home.feed(Self.items))
    #expect(try await home.call("search", "tea").output.contains("Green Tea"))
    for item in ["Oat", "Wheat"] {
      let feed = try home.feed(Self.items + [FeedItem("9", item)])
      try await home.call("sync", "--quiet", "--no-index", "--from", feed)
    }
    // The feed is unchanged, but the sync builds the index.
    #expect(try await home.call("sync").output.contains("9 unchanged") == false)
    #expect(try await home.call("search", "wheat").output.contains("Wheat"))
  }

  @Test(
    "A terminal shows matches in bold, and an excerpt if the name does not match",
    .enabled(if: PseudoTerminal.isPresent))
  func terminal() async throws {
    let home = try await Self.home()
    let terminal = ["TERM": "xterm-256color", "NO_COLOR": ""]
    func show(_ words: String..., columns: Int = 80, variables: [String: String] = [:]) throws
      -> String
    {
      try PseudoTerminal.run(
        ["search"] + words, in: home, columns: columns,
        variables: terminal.merging(variables) { $1 })
    }
    let bold = "\u{1B}[1m"
    let plain = "\u{1B}[0m"
    let faint = "\u{1B}[2m"
    #expect(
      try show("coffee", columns: 50) == """
        \(bold)   ID        REWARD       NAME\(plain)
           ibotta:1  $3.50 Cash…  Café Lumière® Ground \(bold)Co\(plain)…
           ibotta:2  5% Cash Ba…  Green Tea
           \(faint)Terms\(plain): …good with \(bold)coffee\(plain) creamer.

        """)
    let wide = try show("cafe", "lumiere")
    #expect(wide.contains("\(bold)Café\(plain) \(bold)Lumière\(plain)® Ground Coffee"))
    #expect(try show("ground", columns: 48).contains("Café Lumière® \(bold)Ground\(plain) Co…\n"))
    for variable in [["TERM": "dumb"], ["NO_COLOR": "1"]] {
      let shown = try show("coffee", variables: variable)
      #expect(!shown.contains("\u{1B}") && shown.contains("Terms: Limit 2. Not good with coffee"))
    }
  }
}
