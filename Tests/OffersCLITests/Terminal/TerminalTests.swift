import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Text layout on a terminal")
struct TerminalTests {
  private static let names = [
    "Sunrise™ Tea® Café Crème – " + String(repeating: "long ", count: 20),
    String(repeating: "日本茶", count: 20), String(repeating: "🍓🫖", count: 20),
    String(repeating: "e\u{301}", count: 100), "Short",
    "👩‍🍳👩‍🍳👩‍🍳 family cook " + String(repeating: "🇯🇵", count: 40),
  ]

  /// Returns the columns of a text from `names`, independently of the program's own rules.
  private static func columns(_ line: Substring) -> Int {
    line.reduce(0) { total, character in
      total + ("日本茶🍓🫖👩‍🍳🇯🇵".contains(character) ? 2 : 1)
    }
  }

  private func home() async throws -> Home {
    let items = Self.names.enumerated().map { FeedItem("\($0)", $1, $0 == 4 ? $1 : nil) }
    return try await Home(synced: items + [FeedItem("9", "Reward", Self.names[0])])
  }

  @Test(
    "No line of a table is wider than the terminal", .enabled(if: PseudoTerminal.isPresent),
    arguments: [80, 50, 120])
  func tableOnTerminal(width: Int) async throws {
    let shown = try PseudoTerminal.run(["list"], in: try await home(), columns: width)
    let lines = shown.split(separator: "\n")
    #expect(lines.count == 8)
    for line in lines { #expect(Self.columns(line) <= width, "\(line)") }
    #expect(lines.contains { Self.columns($0) >= width - 1 && $0.hasSuffix("…") })
  }

  @Test("Without a terminal, nothing is truncated")
  func tableWithoutTerminal() async throws {
    let output = try await home().offers("list").output
    for name in Self.names {
      let whole = name.last == " " ? String(name.dropLast()) : name
      #expect(output.contains(whole))
    }
  }

  @Test("A card wraps its lines at the terminal's width", .enabled(if: PseudoTerminal.isPresent))
  func cardOnTerminal() async throws {
    let words = String(repeating: "Kaffee und Kuchen ", count: 30)
    let home = try await Home(synced: [FeedItem("1", "Tea", description: words, terms: words)])
    let shown = try PseudoTerminal.run(["show", "1"], in: home, columns: 50)
    for line in shown.split(separator: "\n") { #expect(Self.columns(line) <= 50, "\(line)") }
  }

  @Test(
    "The width of a text is the number of columns that terminals use for it",
    arguments: [
      ("", 0), ("Tea", 3), ("Café", 4), ("Cafe\u{301}", 4), ("™®©–…★", 6), ("日本", 4), ("ﾃｨ", 2),
      ("🍓", 2), ("👩‍🍳", 2), ("🇯🇵", 2), ("☀\u{FE0F}", 2), ("한국", 4), ("１", 2),
    ])
  func width(text: String, columns: Int) {
    #expect(DisplayText.width(text) == columns)
  }

  @Test(
    "A text is truncated to a number of columns with an ellipsis, between characters",
    arguments: [
      ("Tea", 3, "Tea"), ("Teapot", 4, "Tea…"), ("Tea pot", 5, "Tea…"), ("日本茶", 5, "日本…"),
      ("日本茶", 4, "日…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("Tea", 1, "…"),
      ("Tea", 0, ""),
    ])
  func fit(text: String, columns: Int, result: String) {
    #expect(DisplayText.fit(text, columns) == result)
    #expect(DisplayText.width(DisplayText.fit(text, columns)) <= columns)
  }

  @Test(
    "Lines are wrapped at spaces, paragraphs are kept, and a long word gets its own line",
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("a\n\nb", 10, ["a", "", "b"]), ("", 10, [""]),
      ("supercalifragilistic is", 5, ["supercalifragilistic", "is"]),
      ("日本 日本 日本", 9, ["日本 日本", "日本"]),
    ])
  func wrap(text: String, columns: Int, lines: [String]) {
    #expect(DisplayText.wrap(text, columns) == lines)
  }

  @Test(
    "Line breaks and control characters are replaced to form a single plain line",
    arguments: [
      ("a\nb", "a b"), ("a\r\nb", "a␍ b"), ("a\rb", "a␍b"), ("a\tb", "a b"), ("\u{1B}[0m", "␛[0m"),
      ("\u{9B}0m", "\u{FFFD}0m"), ("\u{202E}abc", "\u{FFFD}abc"), ("\u{7F}", "␡"),
      ("a\u{2028}b", "a\u{FFFD}b"), ("👩‍🍳", "👩‍🍳"), ("Café™", "Café™"),
    ])
  func oneLine(text: String, result: String) {
    #expect(DisplayText.oneLine(text) == result)
  }

  @Test("A table's columns are aligned by display width, numbers to the right")
  func table() {
    let rows = [["日本", "7"], ["Tea", "1,200"]]
    let table = Table(
      columns: [.text("NAME"), .right("N")],
      sample: rows, totalWidth: nil)
    #expect(table.header == "NAME      N")
    #expect(rows.map(table.line) == ["日本      7", "Tea   1,200"])
  }

  @Test("A narrow terminal truncates texts, but never ids", arguments: [20, 30, 46, 47, 80])
  func narrowTable(width: Int) {
    let rows = [["ibotta:110579", "$0.75 Cash Back", "A long name of a thing"]]
    let table = Table(
      columns: [.whole("ID"), .text("REWARD"), .text("NAME")], sample: rows, totalWidth: width)
    let lines = table.line(rows[0]).split(separator: "\n")
    #expect(lines[0].hasPrefix("ibotta:110579"))
    #expect((lines.count > 1) == (width < 47))
    for line in lines { #expect(DisplayText.width(String(line)) <= width) }
    #expect(table.header.split(separator: "\n").count == lines.count)
  }

  @Test(
    "a number with its unit is never truncated, the words around it are",
    arguments: [
      ("Up to $1,250.00 Cash Back", 17, "Up to $1,250.00…"),
      ("Up to $1,250.00 Cash Back", 12, "…$1,250.00…"), ("Up to $1,250.00", 4, "$1,250.00"),
      ("$0.75 Cash Back", 6, "$0.75…"), ("price 1 299,00 kr each", 12, "1 299,00 kr…"),
      ("from CHF 12.90", 10, "…CHF 12.90"), ("1,200", 2, "1,200"), ("Free shipping", 6, "Free…"),
      ("5% Cash Back", 3, "5%…"), (String(repeating: "9", count: 60), 5, "9999…"),
    ])
  func keepsNumbers(text: String, width: Int, fitted: String) {
    #expect(DisplayText.fitNumber(text, width) == fitted)
  }

  @Test("a narrow table has the whole prices and counts", arguments: 20...60)
  func narrowNumbers(width: Int) {
    let rows = [
      ["a:1", "Up to $1,250.00 Cash Back", "Ana, Ben, Cem", "1,234,567", "A name of a thing"],
      ["a:2", "$0.75", "Ana", "3", "Tea"],
    ]
    let table = Table(
      columns: [
        .whole("ID"), Table.Column(title: "REWARD", hasNumber: true), .text("SHARED BY"),
        .right("OFFERS"), .text("NAME"),
      ], sample: rows, totalWidth: width)
    let text = table.line(rows[0])
    #expect(text.contains("$1,250.00") && text.contains("1,234,567"), "\(text)")
    for line in text.split(separator: "\n") { #expect(DisplayText.width(String(line)) <= width) }
  }

  @Test("ids that are too long for the terminal get their own lines, with the columns aligned")
  func longIDs() {
    let columns: [Table.Column] = [.whole(" "), .whole("ID"), .text("REWARD"), .text("NAME")]
    let rows = [
      ["★", "restaurants:the-copper-ladle-17e21bc5", "–", "The Copper Ladle"],
      [" ", "restaurants:blue-heron-fish-house-16f891b5", "$1.00", "Blue Heron"],
    ]
    let wide = Table(columns: columns, sample: rows, totalWidth: 80)
    #expect(wide.header == "   ID                                          REWARD  NAME")
    #expect(
      wide.line(rows[0])
        == "★  restaurants:the-copper-ladle-17e21bc5       –       The Copper Ladle")
    let narrow = Table(columns: columns, sample: rows, totalWidth: 40)
    #expect(narrow.header == "   ID\n    REWARD  NAME")
    #expect(
      rows.map(narrow.line) == [
        "★  restaurants:the-copper-ladle-17e21bc5\n    –       The Copper Ladle",
        "   restaurants:blue-heron-fish-house-16f891b5\n    $1.00   Blue Heron",
      ])
  }

  @Test("addresses are shortened in the middle, so that their ends tell them apart")
  func shortensAddresses() {
    let rows = [
      ["albums", "https://feeds.example.com/api/v2/us/music/most-played/100/albums.json"],
      ["movies", "https://feeds.example.com/api/v2/us/movies/popular/100/movies.json"],
    ]
    let table = Table(
      columns: [.whole("FEED"), Table.Column(title: "SOURCE", isCutInMiddle: true)], sample: rows,
      totalWidth: 40)
    let lines = rows.map(table.line)
    #expect(
      lines[0].hasPrefix("albums  https://f") && lines[0].hasSuffix("…played/100/albums.json"))
    #expect(lines[1].hasSuffix("100/movies.json"))
    for line in lines { #expect(DisplayText.width(line) == 40) }
  }

  @Test("a name keeps 24 columns before the columns beside it keep theirs", arguments: 46...90)
  func keepsNames(width: Int) {
    let name = "Scotch-Brite Scrub Dots Non-Scratch Scrub Sponge"
    let rows = [["ibotta:110579", "Up to $12.00 Cash Back on each", name]]
    let table = Table(
      columns: [.whole("ID"), .text("REWARD"), .text("NAME")], sample: rows, totalWidth: width)
    let line = table.line(rows[0]).split(separator: "\n").last.map(String.init) ?? ""
    #expect(line.contains(name.prefix(23)), "\(line)")
  }

  @Test("ids that are addresses get their own line below a whole row")
  func splitsOffAddresses() {
    let rows = [
      [
        "2026-11-25 10:49", "new", "old:https://itunes.example.com/us/album/rise/id655774977?uo=2",
        "$1.00", "Rise",
      ]
    ]
    let table = Table(
      columns: [.whole("WHEN"), .whole("KIND"), .whole("ID"), .text("REWARD"), .text("NAME")],
      sample: rows, totalWidth: 50)
    #expect(table.header == "WHEN              KIND  REWARD  NAME\n    ID")
    #expect(
      table.line(rows[0])
        == "2026-11-25 10:49  new   $1.00   Rise\n    \(rows[0][2])")
  }

  @Test("one long id gets its own line and does not narrow the columns of the others")
  func longID() {
    let columns: [Table.Column] = [.whole("ID"), .text("REWARD"), .text("NAME")]
    let long = "restaurants:" + String(repeating: "x", count: 40)
    let rows = [
      ["ibotta:1", "$1.00 Cash Back", "Green Tea of the very best quality"], [long, "–", "Bar"],
    ]
    let table = Table(columns: columns, sample: rows, totalWidth: 80)
    #expect(table.line(rows[0]).hasSuffix("$1.00 Cash Back  Green Tea of the very best quality"))
    #expect(table.line(rows[1]) == long + "\n          –                Bar")
  }

  @Test("no line of any table exceeds the terminal's width, except for cells that are kept whole")
  func anyTable() {
    var state: UInt64 = 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    func text(_ longest: Int) -> String {
      (0..<random(longest)).map { _ in ["a", "é", "日", "™", " ", "b"][random(6)] }.joined()
    }
    for _ in 0..<400 {
      let columns = (0...random(6)).map { _ in
        let kind = random(4)
        return Table.Column(title: text(10), isRight: kind == 0, isWhole: kind == 1)
      }
      let rows = (0...random(5)).map { _ in
        columns.map { _ in text([4, 12, 60][random(3)]) }
      }
      let width = 20 + random(140)
      let table = Table(columns: columns, sample: rows, totalWidth: width)
      for (row, line) in [(columns.map(\.title), table.header)] + rows.map({ ($0, table.line($0)) })
      {
        let whole = zip(columns, row).filter(\.0.isWhole).map { DisplayText.width($1) }
        for part in line.split(separator: "\n") {
          let limit = max(width, 4 + (whole.max() ?? 0))
          #expect(DisplayText.width(String(part)) <= limit, "\(width): \(row)")
        }
        for (column, cell) in zip(columns, row) where column.isWhole && cell.contains("a") {
          #expect(line.contains(cell.trimmingCharacters(in: .whitespaces)), "\(width): \(row)")
        }
      }
    }
  }

  @Test(
    "Control-C ends each prompt at once, and nothing is changed",
    .enabled(if: PseudoTerminal.isPresent), .timeLimit(.minutes(1)),
    arguments: [
      (["user", "passphrase"], "New passphrase of owner: "),
      (["feeds", "remove", "ibotta", "--offers"], "[y/N] "),
      (["user", "remove", "ben"], "[y/N] "),
    ])
  func interrupts(words: [String], prompt: String) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.call("user", "add", "ben")
    let shown = try PseudoTerminal.result(words, in: home, typing: "\u{3}", after: prompt)
    #expect(shown.status == 130, "\(shown.text)")
    #expect(try await home.call("user", "list").output.contains("ben"))
    #expect(try await home.call("list").output.contains("Tea"))
  }
}
