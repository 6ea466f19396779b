import OffersTestSupport
import Testing

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
      #expect(page.contains(".SH \"offers \(command)\""), "\(command)")
      let options = try home.offers(command, "--help").output.matches(of: /\n  (--[a-z-]+)/)
      for option in options.map({ String($0.output.1) })
      where !["--help", "--version"].contains(option) {
        #expect(page.contains(option.replacing("-", with: "\\-")), "\(command) \(option)")
      }
    }
    #expect(page.contains("EXIT CODES"))
    #expect(page.contains(".SH \"offers feeds add\""))
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
}
