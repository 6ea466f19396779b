import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("offers list: formats and columns")
struct ListFormatTests {
  private static func list(_ home: Home, _ words: String...) async throws -> String {
    let result = try await OffersProgram.call(["list"] + words, environment: home.environment)
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
      let result = try await OffersProgram.call(["list"] + words, environment: home.environment)
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
    let line = try await OffersProgram.call(
      ["list", "--format", "ndjson"] + words, environment: home.environment)
    #expect(line.output == parts + "\n")
    let document = try await OffersProgram.call(
      ["list", "--json"] + words, environment: home.environment)
    #expect(document.output == #"{"offers":["# + parts + "]}\n")
    let lines = try await Self.list(home, "--format", "ndjson").split(separator: "\n")
    let offers = try #require(try await home.callDocument("list")["offers"] as? [[String: Any]])
    #expect(lines.count == 5)
    for (line, offer) in zip(lines, offers) {
      #expect(
        try NSDictionary(dictionary: Home.parse(String(line))) == NSDictionary(dictionary: offer))
    }
  }

  @Test("an offer with all columns requested equals the offer of the whole document")
  func allColumns() async throws {
    let home = try await ListFilterTests.home()
    let whole = try #require(try await home.callDocument("list")["offers"] as? [[String: Any]])
    let names = OfferColumn.allCases.map(\.rawValue).filter { !$0.hasPrefix("reward_") }
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
    let names = OfferColumn.allCases.map(\.rawValue)
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
    #expect(try await run("json").output == #"{"offers":[]}"# + "\n")
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
    let names = OfferColumn.allCases.map(\.rawValue).joined(separator: ",")
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
      ("a\"\u{301},b", "\"a\"\"\u{301},b\""), ("\r", "\"'\r\""), (" a ", " a "), ("\"", "\"\"\"\""),
      ("=1+1", "'=1+1"), ("+1", "'+1"), ("@a", "'@a"), ("\t=1", "'\t'=1"), ("\r=1", "\"'\r'=1\""),
      ("\n=1", "\"'\n'=1\""), ("-1+1", "'-1+1"), ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
      ("=a,\"b\"", "\"'=a,\"\"b\"\"\""), ("-", "'-"), ("-1.", "'-1."), ("-1,5", "\"'-1,5\""),
      ("-12", "-12"), ("-12.50", "-12.50"), ("-1e-05", "-1e-05"), ("1-2", "1-2"), (" =1", " =1"),
      ("a;=1", "a;'=1"), ("a,@x", "\"a,'@x\""), ("a\t+1", "a\t'+1"), ("\0=1", "'\0=1"),
      ("a\n=1", "\"a\n'=1\""), ("a\n- b", "\"a\n- b\""),
    ])
  func quotes(value: String, written: String) {
    let printer = SeparatedPrinter([.name], .csv, now: .now)
    let bytes = Array(printer.record([value, ""]).utf8)
    #expect(bytes == Array("\(written),\r\n".utf8))
  }

  @Test("no value of a list begins like a formula, unless the user allows that")
  func formulas() async throws {
    let home = try await Home(synced: [
      FeedItem("1", "=HYPERLINK(1)", "-5%"), FeedItem("2", "Tea", "@x"),
    ])
    for (format, tab, end) in [("csv", ",", "\r\n"), ("tsv", "\t", "\n")] {
      let words = ["--format", format, "--columns", "name,reward"]
      func table(_ quote: String) -> String {
        ["name\(tab)reward", "\(quote)=HYPERLINK(1)\(tab)\(quote)-5%", "Tea\(tab)\(quote)@x"]
          .map { $0 + end }.joined()
      }
      #expect(
        try OffersProgram.run(["list"] + words, environment: home.environment).output == table("'"))
      #expect(
        try OffersProgram.run(["list", "--allow-formulas"] + words, environment: home.environment)
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
