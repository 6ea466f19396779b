import Foundation
import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@testable import OffersCLI

/// The root of the file system is a folder of the test.
@Suite("Whether scheduled syncs run and their news arrive")
struct ScheduleHealthTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func health(_ feeds: [Feed] = [], _ yaml: String? = nil) throws -> ScheduleHealth {
    ScheduleHealth(
      feeds: feeds, definitions: try yaml.map { try FeedConfiguration(yaml: $0, name: "own.yaml") },
      database: "/home/ana/offers.sqlite", root: folder.path)
  }

  private static func lines(_ text: String) -> [[UInt8]] {
    text.split(separator: "\n").map { Array($0.utf8) }
  }

  private static func text(_ findings: [Finding]) -> [String] {
    findings.map {
      "\($0.level.rawValue): \($0.message)" + ($0.hint.map { " → " + $0.printed } ?? "")
    }
  }

  @Test("the mail goes to the last address before the entry, and nowhere if that is empty")
  func address() throws {
    let unsent = Self.text(try health().cron([]))
    #expect(unsent.count == 1)
    #expect(unsent.first?.hasPrefix("warning: cron finds no mail program") == true)
    #expect(
      unsent.first?.contains("apt-get install msmtp-mta. Or be told over a channel: offers") == true
    )
    try folder.write("", to: "usr/sbin/sendmail", mode: 0o755)
    let entry = "# offers: begin\n*/15 * * * * /x schedule run /y\n# offers: end\n"
    for (text, expected) in [
      ("MAILTO=ana@a.example\n", "ana@a.example"),
      ("MAILTO=\"\"\nMAILTO = 'b@b.example' \n0 1 * * * x\n", "b@b.example"),
    ] {
      let found = try health().cron(Self.lines(text + entry + "MAILTO=late@c.example\n"))
      #expect(
        found.map(\.message) == ["cron syncs the feeds that are due, and mails news to \(expected)"]
      )
    }
    for text in ["MAILTO=\"\"\n", "MAILTO=\n", "MAILTO=x\n MAILTO = ''\n"] {
      let found = try health().cron(Self.lines(text + entry))
      #expect(found.map(\.level) == [.warning])
      #expect(found.first?.message.hasPrefix("MAILTO is empty") == true)
      #expect(found.first?.hint?.printed.contains("crontab -e") == true)
    }
    var told = try health()
    told.channels = ["phone"]
    let line = "cron syncs the feeds that are due, and "
    #expect(
      Self.text(told.cron(Self.lines("MAILTO=\n"))) == [
        "ok: \(line)the channel phone tells you the news"
      ])
    told.channels = ["a", "b", "c"]
    #expect(
      Self.text(told.cron(Self.lines("MAILTO=\n"))) == [
        "ok: \(line)the channels a, b and c tell you the news"
      ])
    #expect(Crontab.mailAddress(in: Self.lines("#MAILTO=x\nOTHER=1\n")) == nil)
  }

  @Test("a timer that is not active, or that ends with the login, is reported")
  func systemd() throws {
    #expect(try health().systemd(isActive: false).map(\.level) == [.problem])
    let found = Self.text(try health().systemd(isActive: true))
    #expect(found.first?.contains("loginctl enable-linger") == true)
    #expect(found.first?.contains("journalctl --user -u offers-sync") == true)
    let user = try #require(getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) })
    try folder.write("", to: "var/lib/systemd/linger/\(user)")
    #expect(try health().systemd(isActive: true).map(\.level) == [.ok])
  }

  @Test("a timer of the package or a line of the crontab is a schedule, too")
  func others() throws {
    let line = Self.lines(
      "# offers sync\nMAILTO=a@b.example\n5 * * * * /usr/bin/offers sync --due\n")
    #expect(try health().findOther(Array(line.dropLast())) == nil)
    #expect(try health().findOther(line)?.message == "a line of your crontab syncs the feeds")
    let timer = "timers.target.wants/offers-sync.timer"
    try folder.write("", to: "etc/systemd/system/\(timer)")
    var server = try health()
    for (path, isFound) in [
      ("/home/ana/offers.sqlite", false), ("/var/lib/offers/offers.sqlite", true), (nil, true),
    ] {
      server.database = path
      #expect((server.findOther([]) != nil) == isFound, "\(path ?? "")")
    }
    try folder.write("", to: "etc/systemd/user/\(timer)")
    server.database = "/home/ana/offers.sqlite"
    #expect(server.findOther([])?.message.contains("the package's timer of systemd") == true)
  }

  @Test("variables that subscribed feeds need are reported if they are not stored, no others")
  func variables() throws {
    let yaml = """
      feeds:
        shop:
          source: "https://a.example/?key={env:SHOP_KEY}"
          headers: {X: "{env:SHOP_TOKEN}"}
          search: "https://a.example/?q={query}&k={env:SEARCH_KEY}"
          id: id
          fields: {name: name}
        other:
          source: "https://b.example/?key={env:OTHER_KEY}"
          id: id
          fields: {name: name}

      """
    func feed(_ name: String, _ source: String? = nil) -> Feed {
      Feed(
        name: name, source: "x", currentCount: 0, goneCount: 0, favoriteCount: 0, lastRun: nil,
        lastSuccessAt: nil, chosenSource: source)
    }
    let found = Self.text(try health([feed("shop"), feed("gone")], yaml).variables(["HOME"]))
    #expect(
      found == [
        "problem: shop needs SHOP_KEY, SHOP_TOKEN, which the scheduled syncs do not have → Set it and "
          + "install again: export SHOP_KEY=VALUE; export SHOP_TOKEN=VALUE; offers schedule install"
      ])
    let named = Self.text(
      try health([feed("shop", "https://c.example/")], yaml).variables(["SHOP_KEY"]))
    #expect(named.count == 1 && named.first?.contains("shop needs SHOP_TOKEN,") == true)
    #expect(try health([feed("shop")], yaml).variables(["SHOP_KEY", "SHOP_TOKEN"]).isEmpty)
    #expect(try health([feed("shop")]).variables([]).isEmpty)
  }
}
