import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("The manual page")
struct ManualPageTests {
  @Test("it lists every command with every option that the help shows")
  func isComplete() throws {
    let home = try Home()
    let page = try home.offers("manual").output
    #expect(page.hasPrefix(".TH OFFERS 1 "))
    let help = try home.offers("--help").output
    let commands = help.matches(of: /\n  ([a-z]+) {2,}/).map { String($0.output.1) }
    #expect(commands.count > 8)
    for command in commands where command != "help" {
      #expect(page.contains(".SS \"offers \(command)"), "\(command)")
      let options = try home.offers(command, "--help").output.matches(of: /\n  (--[a-z-]+)/)
      for option in options.map({ String($0.output.1) })
      where !["--help", "--version"].contains(option) {
        #expect(page.contains(option.replacing("-", with: "\\-")), "\(command) \(option)")
      }
    }
    #expect(page.contains(".SH EXIT CODES"))
    #expect(page.contains(".SS \"offers feeds add"))
  }

  @Test("groff formats it without warnings")
  func isSound() throws {
    let home = try Home()
    let check = try home.shell(
      """
      offers manual > offers.1
      if command -v groff >/dev/null; then groff -man -Tutf8 -ww offers.1 >/dev/null; fi
      """)
    #expect((check.status, check.errors) == (0, ""))
  }

  @Test("texts that troff would read as requests or escapes are printed literally")
  func escapes() throws {
    var page = try ManualPage(
      description: #"""
        {"serializationVersion":0,"command":{"commandName":"offers","abstract":".dots \\ and 'x'.",
        "discussion":"First.\n\nEXAMPLES\n  .TH offers\n  'so x\n"}}
        """#,
      version: "1")
    let lines = page.text().split(separator: "\n")
    #expect(lines.contains(#"offers \- dots \e and 'x'"#))
    #expect(lines.contains("  .TH offers"))
    #expect(!lines.contains { $0.hasPrefix("'") })
  }

  @Test(
    "a character with a meaning in troff is escaped even before a combining mark",
    arguments: ["\u{301}", "\u{200D}"])
  func escapesMarked(mark: String) throws {
    var page = try ManualPage(
      description: """
        {"serializationVersion":0,"command":{"commandName":"offers","abstract":"x",
        "discussion":".\(mark)so /etc/passwd\\n\\n'\(mark)so\\r\\n\\r\\na\\\\\(mark)fB\\"\(mark)b"}}
        """,
      version: "1")
    let text = Array(page.text().utf8)
    for wanted in ["\n\\&.\(mark)so", "\n\\&'\(mark)so", "a\\e\(mark)fB\\(dq\(mark)b"] {
      #expect(text.firstRange(of: wanted.utf8) != nil, "\(wanted)")
    }
  }
}
