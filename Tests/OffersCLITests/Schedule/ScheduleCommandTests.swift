import Foundation
import OffersCore
import OffersPlatform
import OffersTestSupport
import Testing

@testable import OffersCLI

/// Uses neither the machine's crontab nor its systemd: fake programs precede them in the search
/// path.
@Suite("Scheduled syncs")
struct ScheduleCommandTests {
  private static let path = #"it's 50% "off"; $(touch made) é"#

  /// Creates a home with a fake `crontab` that stores its lines in the file `tab`, and a fake
  /// `systemctl` that logs its arguments to the file `asked`.
  private static func home(tab: String? = "0 1 * * * backup\n", systemd: Bool = false) throws
    -> Home
  {
    let home = try Home()
    let folder = ShellQuoting.word(home.folder.path)
    try home.folder.write(
      """
      #!/bin/sh
      cd \(folder) || exit 1
      case $1 in
      -l) if [ -e broken ]; then echo 'you are not allowed' >&2; exit 1; fi
        if [ -e tab ]; then cat tab; else echo 'no crontab for ana' >&2; exit 1; fi ;;
      -) cat > new && mv new tab ;;
      esac

      """, to: "bin/crontab", mode: 0o755)
    try home.folder.write(
      """
      #!/bin/sh
      echo "$*" >> \(folder)/asked
      exit \(systemd ? 0 : 1)

      """, to: "bin/systemctl", mode: 0o755)
    if let tab { try home.folder.write(tab, to: "tab") }
    return home
  }

  private static func run(_ words: String, _ home: Home, _ settings: String = "") throws
    -> Home.ShellResult
  {
    try home.shell("PATH=\"$PWD/bin:$PATH\"; \(settings)\noffers schedule \(words)")
  }

  private static func tab(_ home: Home) throws -> [String] {
    try home.folder.text(of: "tab").split(separator: "\n").map(String.init)
  }

  private static func file(_ home: Home) -> String { ".config/offers/schedule.env" }

  /// Runs a line of a crontab in `dash` as cron does, including its treatment of percent signs. See
  /// crontab(5).
  private static func cron(_ line: String, in home: Home) throws -> Home.ShellResult {
    let command = line.dropFirst("*/15 * * * * ".count)
    var text = ""
    var isEscaped = false
    for scalar in command.unicodeScalars {
      if scalar == "%", !isEscaped { break }
      if scalar == "%" { text.unicodeScalars.removeLast() }
      text.unicodeScalars.append(scalar)
      isEscaped = scalar == "\\"
    }
    try home.folder.write(text, to: "command")
    return try home.shell(
      "cd / && env -i HOME=\"$OLDPWD/nowhere\" /bin/dash -c \"$(cat \"$OLDPWD/command\")\"")
  }

  @Test(
    "cron syncs due feeds with the installation's variables, which its crontab line does not show")
  func cron() throws {
    let home = try Self.home()
    let feed = try home.feed([FeedItem("1", "Tea")])
    try home.folder.write(
      "feeds:\n  shop:\n    source: \"\(feed)\"\n    headers: {X: \"{env:SHOP_KEY}\"}\n    id: id\n"
        + "    fields: {name: name}\n", to: "own.yaml")
    let settings = """
      mkdir -p -- '\(Self.path.replacing("'", with: "'\\''"))'; cd -- it*; PATH=$OLDPWD/bin:$PATH
      export HTTPS_PROXY='http://u:p%40&x@proxy' SHOP_KEY='s3cret $(touch made)' OTHER=unused
      export OFFERS_CONFIG=../own.yaml OFFERS_DATABASE='a b.sqlite'
      """
    for _ in 1...2 {
      let installed = try Self.run("install cron", home, settings)
      #expect(installed.status == 0, "\(installed.errors)")
      #expect(!installed.errors.contains("s3cret"))
    }
    let lines = try Self.tab(home)
    #expect(lines.count == 4)
    #expect(lines.first == "0 1 * * * backup")
    #expect(!lines.joined().contains("proxy") && !lines.joined().contains("s3cret"))
    let mode = try home.shell("stat -c %a \(Self.file(home))").output
    #expect(mode == "600\n")
    let variables = try home.folder.text(of: Self.file(home))
    #expect(variables.contains("\nSHOP_KEY=s3cret $(touch made)\n"))
    #expect(variables.contains("\nHTTPS_PROXY=http://u:p%40&x@proxy\n"))
    #expect(!variables.contains("OTHER"))
    // The sync uses the installation's database in any working directory and home.
    #expect(try home.shell("cd it* && OFFERS_DATABASE='a b.sqlite' offers sync").status == 0)
    let ran = try Self.cron(try #require(lines.first { $0.hasPrefix("*/15") }), in: home)
    #expect((ran.status, ran.output, ran.errors) == (0, "", ""))
    #expect(try home.shell("ls made */made nowhere").output == "")
    let shown = try Self.run("show", home).output
    #expect(shown.contains("SHOP_KEY") && !shown.contains("s3cret"))
    #expect(try Self.run("remove", home).status == 0)
    #expect(try home.folder.text(of: "tab") == "0 1 * * * backup\n")
    #expect(try home.shell("ls \(Self.file(home))").status != 0)
  }

  @Test("a path with any printable characters reaches the program unchanged through cron and dash")
  func words() throws {
    let home = try Self.home()
    for sign in (UInt8(0x20)..<0x7F).map({ Unicode.Scalar($0) }) where sign != "\\" {
      for mark in ["", "\u{301}", "\u{200D}"] {
        let text = "a\(sign)\(mark)$(touch made)\(sign)%\(mark)"
        let result = try Self.cron(Crontab.line(["/usr/bin/printf", "%s", text]), in: home)
        #expect(Array(result.output.utf8) == Array(text.utf8), "\(sign)")
        if !mark.isEmpty { break }
      }
    }
    #expect(try home.shell("ls made").status != 0)
    for path in ["/a\\b", "/a\nb", "/a\u{7F}b"] {
      #expect(throws: OffersError.self) { try Crontab.check([path]) }
    }
  }

  @Test("an entry is replaced or removed, and the lines around it stay")
  func replaced() throws {
    let old = "# offers: begin\n*/15 * * * * /x/offers sync\n# offers: end\n"
    let home = try Self.home(tab: "1 1 * * * a\n\(old)2 2 * * * b\n")
    #expect(try Self.run("install cron", home).status == 0)
    let lines = try Self.tab(home)
    #expect(lines.count == 5 && !lines.joined().contains("/x/offers"))
    try home.folder.write("1 1 * * * a\n\(old)2 2 * * * b\n", to: "tab")
    #expect(try Self.run("remove", home).status == 0)
    #expect(try Self.tab(home) == ["1 1 * * * a", "2 2 * * * b"])
    #expect(try Self.run("remove", home).errors == "Nothing is installed.\n")
  }

  @Test("a crontab that cannot be read, or whose entry has no end marker, is left unchanged")
  func refusedCrontab() throws {
    let home = try Self.home()
    try home.folder.write("", to: "broken")
    let refused = try Self.run("install cron", home)
    #expect(refused.status == 1 && refused.errors.contains("you are not allowed"))
    #expect(try home.folder.text(of: "tab") == "0 1 * * * backup\n")
    #expect(
      try home.shell("rm broken; ls \(Self.file(home))").status != 0, "no secrets stay behind")
    let torn = "# offers: begin\n0 1 * * * backup\n"
    try home.folder.write(torn, to: "tab")
    #expect(try Self.run("install cron", home).status == 64)
    #expect(try Self.run("remove", home).status == 64)
    #expect(try home.folder.text(of: "tab") == torn)
  }

  @Test("a value with a line end is refused without printing it, and nothing is installed")
  func lineEnd() throws {
    let home = try Self.home()
    let result = try Self.run("install cron", home, "export NO_PROXY=$'s3cret\\n* * * * * x'")
    #expect(result.status == 64)
    #expect(result.errors.contains("The value of NO_PROXY contains a line end"))
    #expect(!result.errors.contains("s3cret"))
    #expect(try home.folder.text(of: "tab") == "0 1 * * * backup\n")
  }

  @Test("install prefers a running systemd, then cron, and fails if neither is available")
  func choice() throws {
    let reached = try Self.home(systemd: true)
    #expect(try Self.run("install", reached).status == 0)
    let asked = try reached.folder.text(of: "asked")
    #expect(asked.contains("--user daemon-reload\n--user enable --now offers-sync.timer\n"))
    #expect(try reached.folder.text(of: "tab") == "0 1 * * * backup\n")
    let unreached = try Self.home(tab: nil)
    #expect(try Self.run("install", unreached).status == 0)
    #expect(try Self.tab(unreached).count == 3)
    let refused = try Self.run("install systemd", unreached)
    #expect(refused.status == 66 && refused.errors.contains("dbus-user-session"))
    let neither = try unreached.shell(
      "PATH=$(dirname \"$(command -v offers)\"); offers schedule install")
    #expect(neither.status == 66 && neither.errors.contains("apt-get install cron"))
  }

  @Test("install and doctor say what the syncs lack")
  func lacks() async throws {
    let home = try Self.home()
    try home.folder.write("MAILTO=\"\"\n", to: "tab")
    let feed = try home.feed([FeedItem("1", "Tea")])
    try home.folder.write(
      "feeds:\n  shop:\n    source: \"\(feed)\"\n    headers: {X: \"{env:SHOP_KEY}\"}\n    id: id\n"
        + "    fields: {name: name}\n", to: "own.yaml")
    let sync = try home.shell(
      "export SHOP_KEY=x; offers sync shop --config own.yaml --from \(ShellQuoting.word(feed))")
    #expect(sync.status == 0, "\(sync.errors)")
    #expect(try Self.run("show", home).errors.contains("Nothing is installed"))
    let before = try home.shell("PATH=\"$PWD/bin:$PATH\"; offers doctor --config own.yaml").output
    #expect(before.contains(/ok +schedule +nothing is installed/))
    let installed = try Self.run("install cron --config own.yaml", home)
    #expect(installed.status == 0)
    #expect(installed.errors.contains("MAILTO is empty in the crontab"), "\(installed.errors)")
    #expect(installed.errors.contains("problem: shop needs SHOP_KEY, which"))
    let after = try home.shell("PATH=\"$PWD/bin:$PATH\"; offers doctor --config own.yaml")
    #expect(after.status == 1)
    #expect(after.output.contains(/warning +schedule +MAILTO is empty/))
    #expect(after.output.contains(/problem +schedule +shop needs SHOP_KEY/))
    // The entry of another home folder is not this one's.
    let other = try home.shell("PATH=\"$PWD/bin:$PATH\"; HOME=$PWD/other offers doctor").output
    #expect(other.contains(/ok +schedule +nothing is installed/))
    let again = try Self.run("install cron --config own.yaml", home, "export SHOP_KEY=x")
    #expect(!again.errors.contains("SHOP_KEY, which"))
  }

  @Test("where no mail can arrive, install tries the default channel")
  func triesChannel() throws {
    let home = try Self.home()
    try home.folder.write("MAILTO=\"\"\n", to: "tab")
    try home.folder.write("#!/bin/sh\ncat > \(home.folder.path)/told\n", to: "tell", mode: 0o755)
    let none = try Self.run("install cron", home)
    #expect(none.errors.contains("Or be told over a channel: offers channel --help"))
    #expect(none.output == "")
    #expect(try home.offers("channel", "add", "command", home.folder.file("tell")).status == 0)
    let told = try Self.run("install cron", home)
    #expect(told.errors.contains("and the channel command tells you the news"), "\(told.errors)")
    #expect(told.status == 0 && told.output == "command: delivered\n")
    #expect(try home.folder.text(of: "told").contains("\"title\""))
    let health = try home.shell("PATH=\"$PWD/bin:$PATH\"; offers doctor").output
    #expect(health.contains(/ok +schedule +cron syncs .*the channel command tells you/))
    try home.folder.write("#!/bin/sh\nexit 1\n", to: "tell", mode: 0o755)
    let failed = try Self.run("install cron", home)
    #expect(failed.status == 0 && failed.errors.contains("command: "), "\(failed.errors)")
  }

  @Test("on a terminal, install offers to add a channel", .enabled(if: PseudoTerminal.isPresent))
  func offersChannel() throws {
    let home = try Self.home()
    try home.folder.write("MAILTO=\"\"\n", to: "tab")
    try home.folder.write("#!/bin/sh\ncat > \(home.folder.path)/told\n", to: "tell", mode: 0o755)
    let path = "\(home.folder.path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    func install(_ answer: String) throws -> (text: String, status: Int32) {
      try PseudoTerminal.result(
        ["schedule", "install", "cron"], in: home, variables: ["PATH": path],
        typing: answer + "\n", after: "Channel [none]: ")
    }
    let refused = try install("pigeon coop")
    #expect(refused.status == 0 && refused.text.contains("pigeon"), "\(refused.text)")
    #expect(try install("").text.hasSuffix("Channel [none]: \n"))
    let added = try install("command \(home.folder.path)/tell")
    #expect(added.status == 0 && added.text.contains("command: delivered"), "\(added.text)")
    #expect(try home.folder.text(of: "told").contains("\"title\""))
    let again = try PseudoTerminal.run(
      ["schedule", "install", "cron"], in: home, variables: ["PATH": path])
    #expect(again.contains("command: delivered") && !again.contains("[none]"))
  }

  @Test("installing one scheduler removes the other, and the unit has the quoted paths")
  func systemd() throws {
    let home = try Self.home(systemd: true)
    #expect(try Self.run("install cron", home).status == 0)
    let settings =
      "export OFFERS_DATABASE=\"$PWD/a 50% \\\"b\\\" é/x.sqlite\" HTTPS_PROXY=http://s3cret"
    #expect(try Self.run("install systemd", home, settings).status == 0)
    #expect(try home.folder.text(of: "tab") == "0 1 * * * backup\n")
    let unit = try home.folder.text(of: ".config/systemd/user/offers-sync.service")
    #expect(unit.contains("\nExecStart=:\"/") && unit.contains("\"schedule\" \"run\" \"/"))
    #expect(unit.contains("/a 50%% \\\"b\\\" é\"\n"))
    #expect(!unit.contains("s3cret") && !unit.contains("COMMAND"))
    let check = try home.shell(
      """
      command -v systemd-analyze > /dev/null || exit 0
      systemd-analyze --user verify .config/systemd/user/offers-sync.service 2>&1 |
        grep 'offers-sync'
      """)
    #expect(check.output == "")
    #expect(try Self.run("show", home).output.hasPrefix("systemd  /"))
    #expect(try Self.run("install cron", home).status == 0)
    #expect(try home.shell("ls .config/systemd/user/*").output == "")
    #expect(try Self.run("remove", home).errors == "Removed from cron.\n")
  }

  @Test("arguments in a unit are escaped bytewise, and paths that systemd rejects are refused")
  func unitWords() throws {
    #expect(SystemdTimer.word(#"a b\"%$'"#) == #""a b\\\"%%$'""#)
    let marked = SystemdTimer.word("\"\u{301}%\u{301}\\\u{301}")
    #expect(Array(marked.utf8) == Array("\"\\\"\u{301}%%\u{301}\\\\\u{301}\"".utf8))
    #expect(throws: OffersError.self) { try SystemdTimer.check(["/a\nb"], database: "/x") }
    #expect(throws: OffersError.self) { try SystemdTimer.check(["/a'b"], database: "/x") }
    #expect(throws: OffersError.self) { try SystemdTimer.check(["/a"], database: "/x\r") }
    try SystemdTimer.check(["/a b", "schedule", "run", "/it's"], database: "/x")
  }

  @Test("a file of variables that others can read, or with an invalid line, is refused")
  func environmentFile() async throws {
    let home = try Home()
    let file = EnvironmentFile(path: home.folder.file("own folder/x.env"))
    #expect(try file.read() == nil)
    let variables = [
      EnvironmentFile.Variable(name: "A", value: "1=2 '\"$x\\ %\r"), .init(name: "B_1", value: ""),
      .init(name: "C", value: "=\u{301}"),
    ]
    try file.write(variables)
    #expect(try file.read() == variables)
    #expect(throws: OffersError.self) { try file.write([.init(name: "A", value: "1\r\n2")]) }
    let error = #expect(throws: OffersError.self) {
      try file.write([.init(name: "1A", value: "s3cret")])
    }
    #expect(error?.message == "“1A” is not a name of a variable.")
    #expect(try file.read() == variables)
    for (text, mode) in [("A=1\n", "640"), ("A=1\nnonsense s3cret\n", "600"), ("=s3cret", "600")] {
      try home.folder.write(text, to: "x.env")
      let run = try home.shell("chmod \(mode) x.env && offers schedule run x.env")
      #expect(run.status == 64 && !run.errors.contains("s3cret"), "\(run.errors)")
    }
    try await home.expect("schedule", "run", "missing.env", status: 66)
    #expect(try home.shell("mkfifo p && offers schedule run p").status == 64)
  }
}
