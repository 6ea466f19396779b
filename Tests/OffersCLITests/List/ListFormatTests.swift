import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("offers list: formats and columns")
struct ListFormatTests {
  private static func list(_ home: Home, _ words: String...) async throws -> String {
    let result = try await home.call(["list"] + words)
    #expect(result.errors == "", "\(words)")
    return result.output
  }

  @Test("a table shows the requested columns in the requested order")
  func table() async throws {
    let home = try await ListFilterTests.home()
    #expect(
      try await Self.list(
        home, "--columns", "Name, reward-minor-units,retailer,ref", "--limit", "5")
          == """
          NAME                REWARD MINOR UNITS  RETAILER   ID
          Äpple Juice 10 oz.                 150  Wal-Mart®  shop:1
          apple Juice 2 oz.                    –  Target     shop:2
          Zwieback                           300  Target     shop:3
          Tea | Milk, "both"                   –  –          shop:4
          Bread                                –  –          shop:5

          """)
  }

  @Test("a table includes the column that its filter or order refers to")
  func usualColumns() async throws {
    let home = try await ListFilterTests.home()
    func head(_ words: String...) async throws -> String {
      let result = try await home.call(["list"] + words)
      return result.output.split(separator: "\n").first.map(String.init) ?? ""
    }
    #expect(try await head("--expiring", "48h").contains("REWARD  EXPIRES AT        NAME"))
    #expect(try await head("--sort", "expiry").contains("  EXPIRES AT  "))
    #expect(try await head("--new-since", "1d").contains("  FIRST SEEN AT     NAME"))
  }

  @Test("json prints one document and ndjson one line per offer, with all or some members")
  func json() async throws {
    let home = try await ListFilterTests.home()
    #expect(try await Self.list(home, "--format", "json") == Self.list(home, "--json"))
    let parts =
      #"{"name":"Zwieback","reward":{"role":"reward","text":"$3.00","kind":"amount","#
      + #""minor_units":300,"currency":"USD","percent":null,"up_to":false},"reward_percent":null,"categories":[],"#
      + #""favorite":false,"latitude":null}"#
    let words = [
      "--columns", "name,reward,reward_percent,categories,favorite,latitude", "--sort", "reward",
      "--limit", "1",
    ]
    let line = try await home.call(["list", "--format", "ndjson"] + words)
    #expect(line.output == parts + "\n")
    let document = try await home.call(["list", "--json"] + words)
    #expect(document.output.hasPrefix(#"{"offers":["# + parts + #"],"total":5,"#))
    let lines = try await Self.list(home, "--format", "ndjson").split(separator: "\n")
    let offers = try await home.objects("offers", "list")
    #expect(lines.count == 5)
    for (line, offer) in zip(lines, offers) {
      #expect(
        try NSDictionary(dictionary: Home.parse(String(line))) == NSDictionary(dictionary: offer))
    }
  }

  @Test("an offer with all columns requested equals the offer of the whole document")
  func allColumns() async throws {
    let home = try await ListFilterTests.home()
    let whole = try await home.objects("offers", "list")
    let names = OfferColumn.listed.map(\.rawValue).filter { !$0.hasPrefix("reward_") }
    let parts = try await home.callDocument("list", "--columns", names.joined(separator: ","))
    let offers = try #require(parts["offers"] as? [[String: Any]])
    #expect(NSArray(array: whole) == NSArray(array: offers))
  }

  @Test("CSV follows RFC 4180 and begins with a header record")
  func csv() async throws {
    let home = try await ListFilterTests.home()
    #expect(
      try await Self.list(
        home, "--format", "csv", "--columns", "name,description,categories,gone_at")
        == "name,description,categories,gone_at\r\n"
        + "Äpple Juice 10 oz.,,Food; Drinks,\r\napple Juice 2 oz.,,Drinks,\r\nZwieback,,,\r\n"
        + "\"Tea | Milk, \"\"both\"\"\",\"One\ntwo\tthree\",,\r\nBread,,,\r\n")
    let all = try await Self.list(home, "--format", "csv", "--limit", "1")
    let names = OfferColumn.listed.map(\.rawValue)
    #expect(all.components(separatedBy: "\r\n")[0] == names.joined(separator: ","))
    #expect(all.components(separatedBy: "\r\n").count == 3)
  }

  @Test("TSV has one line per offer, whatever its texts contain")
  func tsv() async throws {
    let home = try await ListFilterTests.home()
    #expect(
      try await Self.list(
        home, "--format", "tsv", "--columns", "ref,description,favorite", "--sort", "feed")
        == "ref\tdescription\tfavorite\nshop:1\t\tfalse\nshop:2\t\tfalse\nshop:3\t\tfalse\n"
        + "shop:4\tOne two three\tfalse\nshop:5\t\tfalse\n")
  }

  @Test("Markdown output escapes characters that have a meaning in Markdown")
  func markdown() async throws {
    let home = try await ListFilterTests.home()
    #expect(
      try await Self.list(
        home, "--format", "markdown", "--sort", "name", "--columns", "ref,reward_percent,name")
          == """
          | ID | REWARD PERCENT | NAME |
          | --- | --: | --- |
          | shop:2 | 5 | apple Juice 2 oz. |
          | shop:1 | – | Äpple Juice 10 oz. |
          | shop:5 | – | Bread |
          | shop:4 | 8 | Tea \\| Milk, "both" |
          | shop:3 | – | Zwieback |

          """)
    #expect(
      MarkdownPrinter.escaped(#"<b>a|b\|*_`[x](y)&amp;~é"#)
        == #"\<b\>a\|b\\\|\*\_\`\[x\](y)\&amp;\~é"#)
  }

  @Test("an empty list is a valid document of its format; only table and markdown print a note")
  func empty() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    func run(_ format: String) async throws -> OffersProgram.Result {
      try await home.call("list", "--favorites", "--format", format, "--columns", "ref,name")
    }
    #expect(
      try await run("json").output == #"{"offers":[],"total":0,"next_page":null,"held":[]}"# + "\n")
    #expect(try await run("ndjson").output == "")
    #expect(try await run("csv").output == "ref,name\r\n")
    #expect(try await run("tsv").output == "ref\tname\n")
    #expect(try await run("markdown").output == "| ID | NAME |\n| --- | --- |\n")
    for format in ["table", "markdown"] {
      #expect(
        try await run(format).errors == "No favorites yet. Star an offer with: offers favorite ID\n"
      )
    }
    for format in ["json", "ndjson", "csv", "tsv"] { #expect(try await run(format).errors == "") }
    #expect(
      try await Home(synced: []).call("list").errors
        == "No offers yet. Read a feed with: offers sync\n")
  }

  @Test("a list that spans several database pages has one header, in every format")
  func manyPages() async throws {
    let home = try await Home(synced: (1...1203).map { FeedItem("\($0)", "Offer \($0)") })
    let lines = [
      "csv": 1204, "tsv": 1204, "ndjson": 1203, "markdown": 1205, "json": 1, "table": 1204,
    ]
    for (format, count) in lines {
      for sort in ["feed", "reward"] {
        let output = try await Self.list(
          home, "--format", format, "--sort", sort, "--limit", "1203")
        #expect(output.utf8.count { $0 == 0x0A } == count, "\(format) \(sort)")
      }
    }
  }

  @Test(
    "no line is wider than the terminal, and columns that do not fit are named",
    .enabled(if: PseudoTerminal.isPresent), arguments: [40, 80, 200])
  func terminal(width: Int) async throws {
    let home = try await ListFilterTests.home()
    let names = OfferColumn.listed.map(\.rawValue).joined(separator: ",")
    let shown = try PseudoTerminal.run(["list", "--columns", names], in: home, columns: width)
    for line in shown.split(separator: "\n") where !line.hasPrefix("No room for") {
      #expect(DisplayText.width(String(line)) <= width, "\(line)")
    }
    #expect(shown.contains("No room for"))
    let reversed = try PseudoTerminal.run(
      ["list", "--columns", "name,description,retailer,ref"], in: home, columns: width)
    for line in reversed.split(separator: "\n") {
      #expect(DisplayText.width(String(line)) <= width, "\(line)")
    }
    #expect(reversed.contains("shop:4"))
  }

  @Test(
    "no format prints a feed's control codes on a terminal", .enabled(if: PseudoTerminal.isPresent),
    arguments: ListFormat.allCases)
  func hostile(format: ListFormat) async throws {
    let name = "Tea\u{1B}[2J\u{7}\u{9B}31m\u{1B}]0;x\u{7}\u{85}\u{7F}\rX\tY"
    let home = try await Home(synced: [FeedItem("1", name, name, description: name)])
    let shown = try PseudoTerminal.run(["list", "--format", format.rawValue], in: home)
    for scalar in shown.unicodeScalars {
      let isSafe = !(0..<0x20).contains(scalar.value) && !(0x7F..<0xA0).contains(scalar.value)
      #expect(isSafe || "\n\t\r".unicodeScalars.contains(scalar), "\(scalar.value)")
    }
    #expect(!shown.contains("\rX"))
  }

  @Test(
    "a CSV value is quoted correctly even if a combining mark follows a quote",
    arguments: [
      ("a\"\u{301},b", "\"a\"\"\u{301},b\""), ("\r", "\"\r\""), (" a ", " a "), ("\"", "\"\"\"\""),
      ("1-2", "1-2"), (" =1", " =1"),
    ])
  func quotes(value: String, written: String) {
    let printer = SeparatedPrinter([.name], .csv, now: .now)
    let bytes = Array(printer.record([value, ""]).utf8)
    #expect(bytes == Array("\(written),\r\n".utf8))
  }

  @Test(
    "a quote precedes what a spreadsheet runs: a formula, a call, a program, another sheet",
    arguments: [
      ("=1+1", "'=1+1"), ("@a", "'@a"), ("-1+1", "'-1+1"), ("+1-555-0100", "'+1-555-0100"),
      ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"), ("+A1", "'+A1"), ("-Tea", "'-Tea"),
      ("- Tea", "'- Tea"), ("--A1", "'--A1"), ("-$A$1", "'-$A$1"), ("-(1)", "'-(1)"),
      ("\t=1", "\t'=1"), ("\r=1", "\r'=1"), ("\r\n=1", "\r\n'=1"), ("\0=1", "\0'=1"),
      ("\u{FF1D}1", "'\u{FF1D}1"), ("a;=1", "a;'=1"), ("a,=1", "a,'=1"), ("a\n=1", "a\n'=1"),
      ("a\r\n@SUM(A1)", "a\r\n'@SUM(A1)"), ("a;+cmd|x", "a;'+cmd|x"), ("a,-B!A1", "a,'-B!A1"),
      ("-1E0+HYPERLINK (A1)", "'-1E0+HYPERLINK (A1)"), ("-1:1+A1", "'-1:1+A1"),
      ("-{1}+A1", "'-{1}+A1"),
    ])
  func runnable(value: String, written: String) {
    #expect(Array(SpreadsheetFormula.disarmed(value).utf8) == Array(written.utf8))
  }

  @Test(
    "a number, a list, a name or a line end gets no quote",
    arguments: [
      "-12", "-12.50", "-1e-05", "-1,5", "-1.", "+1", "-5%", "-5 %", "-$5.00", "-20% on coffee",
      "+49 30 1234", "-", "=", "+", "@ 5 pm", "- 20 % off", "a\n- b", "a\r\n-Any size", "a,@shop",
      "Buy one:\r\n\r\n• Tea\r\n• Jam\r\n", "a\t+1", "8,-", "ends; - not", "1 = 1", "",
    ])
  func harmless(value: String) {
    #expect(SpreadsheetFormula.disarmed(value).utf8.elementsEqual(value.utf8))
  }

  @Test("amounts are decimal numbers in their currencies, and --bom begins the file for Excel")
  func amounts() async throws {
    let home = try await Home(synced: [
      FeedItem("1", "Tea", "$8.00 Cash Back"), FeedItem("2", "Jam", "5%"),
      FeedItem("3", "Rice", "JPY 1,200"), FeedItem("4", "Oil", "1,234.5 KWD"),
    ])
    let words = ["--columns", "id,reward_amount,reward_currency"]
    let lines = [
      "id,reward_amount,reward_currency", "1,8.00,USD", "2,,", "3,1200,JPY", "4,1234.500,KWD",
    ]
    let table = lines.map { $0 + "\r\n" }.joined()
    func list(_ options: String...) async throws -> OffersProgram.Result {
      try await home.call(["list"] + words + options)
    }
    #expect(try await list("--format", "csv").output == table)
    #expect(try await list("--format", "csv", "--bom").output == "\u{FEFF}" + table)
    #expect(try await list("--format", "tsv", "--bom").output.hasPrefix("\u{FEFF}id\t"))
    #expect(try await list("--json").output.contains(#""reward_amount":8.00,"#))
    for options in [["--bom"], ["--bom", "--json"], ["--bom", "--format", "markdown"]] {
      try await home.expect(["list"] + options, status: 64, output: "")
    }
  }

  @Test("the JSON of a list has the total, the next page, and what is held back")
  func rest() async throws {
    let offers = (1...30).map { FeedItem("\($0)", "Tea") }
    let home = try await Home(synced: offers)
    func rest(_ words: String...) async throws -> [String: Any] {
      try await home.callDocument(["list"] + words)
    }
    let first = try await rest("--limit", "20")
    #expect(first["total"] as? Int == 30 && first["next_page"] as? Int == 2)
    #expect((first["held"] as? [Any])?.isEmpty == true)
    let last = try await rest("--limit", "20", "--page", "2")
    #expect((last["offers"] as? [Any])?.count == 10)
    #expect(last["total"] as? Int == 30 && last["next_page"] is NSNull)
    let whole = try await rest()
    #expect(whole["total"] as? Int == 30 && whole["next_page"] is NSNull)
    _ = try home.feed(Array(offers.prefix(10)))
    let synced = try await home.callDocument("sync")
    let run = try #require((synced["runs"] as? [[String: Any]])?.first)
    let held = try #require(run["held"] as? [String: Any])
    #expect(Set(held.keys) == ["missing", "current", "since", "until"])
    #expect(held["missing"] as? Int == 20 && held["current"] as? Int == 30)
    let feeds = try #require(try await rest("--limit", "1")["held"] as? [[String: Any]])
    #expect(feeds.map { $0["feed"] as? String } == ["ibotta"])
    #expect(feeds.first?["missing"] as? Int == 20)
    #expect(try (await rest("--favorites")["held"] as? [Any])?.isEmpty == true)
  }

  @Test("no value of a list begins like a formula, unless the user allows that")
  func formulas() async throws {
    let home = try await Home(synced: [
      FeedItem("1", "=HYPERLINK(1)", "-5%"), FeedItem("2", "Tea", "@x"),
    ])
    for (format, tab, end) in [("csv", ",", "\r\n"), ("tsv", "\t", "\n")] {
      let words = ["--format", format, "--columns", "name,reward"]
      func table(_ quote: String) -> String {
        ["name\(tab)reward", "\(quote)=HYPERLINK(1)\(tab)-5%", "Tea\(tab)\(quote)@x"]
          .map { $0 + end }.joined()
      }
      #expect(
        try home.offers(["list"] + words).output == table("'"))
      #expect(
        try home.offers(["list", "--allow-formulas"] + words)
          .output == table(""))
    }
  }

  @Test("piped, CSV keeps the feed's control characters")
  func exact() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea\u{1B}[2J\r\n\"Milk")])
    let bytes = Array(try await Self.list(home, "--format", "csv", "--columns", "name").utf8)
    #expect(bytes == Array("name\r\n\"Tea\u{1B}[2J \"\"Milk\"\r\n".utf8))
  }
}
