import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("offers watch, channel and notices")
struct WatchCommandTests {
  private static let items = [
    FeedItem("1", "Alpha Coffee", "$3.00"), FeedItem("2", "Green Tea", "$3.00"),
    FeedItem("3", "Coffee Pods", "$1.00"),
  ]

  /// Changes the feed so that one offer is new, and another one enters.
  private static func change(_ home: Home) throws {
    _ = try home.feed([
      items[0], items[1], FeedItem("3", "Coffee Pods", "$2.50"),
      FeedItem("4", "Iced Coffee", "$4.00"),
    ])
  }

  /// A program that appends each message to a file.
  private static func teller(_ home: Home, exit code: Int = 0) throws -> String {
    let path = try home.folder.write(
      "#!/bin/sh\ncat >> '\(home.folder.path)/told'\nexit \(code)\n", to: "tell")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// A home with a watch, and with the channel `desk`, whose program has failed to deliver a notice.
  private static func failing() async throws -> Home {
    let home = try await Home(synced: items)
    try await home.call("watch", "add", "coffee", "--name", "Morning")
    try await home.call("channel", "add", "command", teller(home, exit: 7), "--name", "desk")
    try change(home)
    let synced = try await home.call("sync")
    #expect(synced.status == 0 && synced.errors.contains("The channel desk failed"))
    return home
  }

  @Test("what a watch finds is told over a channel, once")
  func tells() async throws {
    let home = try await Home(synced: Self.items)
    let added = try await home.call("watch", "add", "coffee", "reward:>=2")
    #expect(
      added.output.hasPrefix(
        "watch 1: coffee reward:>=2, match\n  Selects 1 offer now: Alpha Coffee\n"))
    #expect(added.errors.contains("offers channel --help"))
    try await home.expect(
      "channel", "add", "command", Self.teller(home), output: "command: added\n")
    try Self.change(home)
    let synced = try await home.call("sync")
    #expect(synced.output.contains("Iced Coffee is a new match: $4.00 (ibotta:4)\n"))
    #expect(synced.output.contains("Coffee Pods is a new match: $2.50 (ibotta:3)\n"))
    let told = try String(contentsOfFile: home.folder.file("told"), encoding: .utf8)
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(told.utf8)) as? [String: Any])
    #expect((document["entries"] as? [[String: Any]])?.count == 2)
    try await home.call("sync")
    #expect(try String(contentsOfFile: home.folder.file("told"), encoding: .utf8) == told)
    let waiting = try await home.call("notices", "--state", "waiting")
    #expect(waiting.output.isEmpty && waiting.status == 0)
    let shown = try await home.call("watch", "show", "1")
    #expect(shown.output.contains("ibotta:4  Iced Coffee is a new match: $4.00"))
  }

  @Test("a channel that fails keeps what waits, and --retry delivers it")
  func fails() async throws {
    let home = try await Self.failing()
    #expect(try await home.call("notices").output.hasPrefix("desk: 1 notice waiting, next attempt"))
    _ = try Self.teller(home)
    let retried = try await home.call("notices", "--retry")
    #expect(retried.output == "desk: delivered 1 notice\n" && retried.status == 0)
    let tested = try await home.call("channel", "test")
    #expect(tested.output == "desk: delivered\n")
  }

  @Test("a sync delivers what waits even if its feed fails or has nothing new")
  func deliversAfterFailure() async throws {
    for isBroken in [true, false] {
      let home = try await Home(synced: Self.items)
      try await home.call("watch", "add", "coffee")
      try await home.call("channel", "add", "command", Self.teller(home, exit: 7))
      try Self.change(home)
      try await home.call("sync")
      _ = try Self.teller(home)
      // A channel that is set up again is tried at once.
      try await home.call("channel", "edit", "command", "--make-default")
      let delivered = try await home.call("notices", "--state", "delivered")
      #expect(!delivered.output.contains("Iced Coffee"))
      if isBroken { _ = try home.folder.write("[", to: "feed.json") }
      #expect(try await (home.call("sync").status != 0) == isBroken)
      #expect(
        try await home.call("notices", "--state", "delivered").output.contains("Iced Coffee"))
    }
  }

  @Test("a watch of all offers is imported again, and none is added twice")
  func allOffers() async throws {
    let home = try await Home(synced: Self.items)
    try await home.expect("watch", "add", "--rule", "at-least $5")
    try await home.expect(
      "watch", "add", "--rule", "at-least $5", status: 64, says: ["already", "offers watch edit 1"])
    _ = try home.folder.write(try await home.expect("export").output, to: "export.json")
    let other = try Home()
    try await other.expect("import", home.folder.file("export.json"))
    #expect(try await other.expect("watch").output.contains("at-least $5"))
  }

  @Test("a server looks at its notices when the next is due, and every few minutes")
  func servedWaits() async throws {
    let home = try await Home(synced: Self.items)
    let database = try await home.store.open()
    let idle = ServedNotices(database: database, log: Log())
    #expect(await idle.waitSeconds() == 300)
    try await home.call("watch", "add", "coffee")
    try await home.call("channel", "add", "command", Self.teller(home, exit: 7))
    try Self.change(home)
    try await home.call("sync")
    let next = try #require(try await database.fetchChannel(named: nil).nextAttemptAt)
    for (before, wait) in [(100.0, 100.0), (5, 30), (-60, 30), (1000, 300)] {
      let served = ServedNotices(database: database, log: Log()) { next - before }
      #expect(await served.waitSeconds() == wait)
    }
  }

  @Test("a server that is woken delivers at once")
  func servedWakes() async throws {
    let home = try await Self.failing()
    let database = try await home.store.open()
    try await database.retryDeliveries()
    func until(_ body: (UserChannel) -> Bool) async throws {
      let end = ContinuousClock.now + .seconds(60)
      while try await !body(database.fetchChannel(named: nil)), ContinuousClock.now < end {
        await Task.yield()
      }
      #expect(try await body(database.fetchChannel(named: nil)))
    }
    let served = ServedNotices(database: database, log: Log())
    let running = Task { await served.run() }
    try await until { $0.failureCount == 1 }
    _ = try Self.teller(home)
    try await database.retryDeliveries()
    served.wake()
    try await until { $0.deliveredAt != nil }
    running.cancel()
    await running.value
  }

  @Test("a secret is moved into a private file, and removed with its channel")
  func secrets() async throws {
    let home = try await Home(synced: Self.items)
    let added = try await home.call(
      "channel", "add", "gotify", "https://push.example.org", "--option", "token=A.secret", "--json"
    )
    #expect(added.status == 0 && !added.output.contains("A.secret"))
    let path = home.folder.file(".config/offers/channels.env")
    let secrets = try String(contentsOfFile: path, encoding: .utf8)
    #expect(secrets.contains(/^OFFERS_CHANNEL_GOTIFY_2D[0-9A-F]{8}_TOKEN=A.secret\n$/))
    let taken = try await home.call(
      "channel", "add", "gotify", "https://b.example", "--option", "token=B")
    #expect(taken.status == 64 && taken.errors.contains("--name NAME"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == secrets)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    for command in [["channel", "--json"], ["notices", "--json"], ["export"]] {
      #expect(try await !home.call(command).output.contains("A.secret"))
    }
    try await home.expect("channel", "remove", "gotify", output: "gotify: removed\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).isEmpty)
  }

  @Test("a secret that no channel can have changes nothing, and those of a removed user go")
  func changedSecrets() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("user", "add", "ben")
    let path = home.folder.file(".config/offers/channels.env")
    func secrets() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
    try await home.call(
      "channel", "add", "telegram", "4711", "--option",
      "token=123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "--user", "ben")
    let before = try secrets()
    #expect(before.contains("ew11"))
    let refused = try await home.call(
      "channel", "edit", "telegram", "--option", "token=bad", "--user", "ben")
    #expect(refused.status == 64 && !refused.output.contains("changed"))
    #expect(try secrets() == before)
    try await home.call("user", "remove", "ben", "--yes", "--no-export")
    #expect(try secrets().isEmpty)
  }

  @Test("a name that no offer has is noted, and watched or hidden all the same")
  func unknownNames() async throws {
    let home = try await Home(synced: Self.items)
    for command in [["watch", "add"], ["hide"]] {
      let added = try await home.call(command + ["retailer:Targt"])
      #expect(added.status == 0 && added.errors.contains("No offer has a retailer."))
    }
    let unsynced = try await home.call("watch", "add", "feed:albums")
    #expect(unsynced.status == 66 && unsynced.errors.contains("offers sync albums"))
  }

  @Test("mistakes are named with the next step, and change nothing")
  func mistakes() async throws {
    let home = try await Home(synced: Self.items)
    let plain = try home.folder.write("", to: "plain")
    for (arguments, status, text) in [
      (["watch", "add", "coffee", "--rule", "at-lest 2"], 64, "Did you mean at-least?"),
      (["watch", "add", "reward:2"], 64, "needs >= or <="),
      (["watch", "add", "coffee", "--repeat", "dayly"], 64, "daily"),
      (["watch", "remove", "9"], 66, "offers watch list"),
      (["watch", "edit", "9", "--rule", "best"], 66, "offers watch list"),
      (["channel", "add", "ntfi", "x"], 64, "ntfy"),
      (["channel", "add", "ntfy", "ntfy.sh/mine"], 64, "does not begin with https://"),
      (["channel", "add", "webpush"], 64, "offers serve"),
      (["watch", "add"], 64, "each new offer of all feeds"),
      (["channel", "add", "command", "no-such-program"], 64, "There is no program"),
      (["channel", "add", "command", "/bin/cat /dev/null"], 64, "words of their own"),
      (["channel", "add", "command", home.folder.path], 64, "is a folder"),
      (["channel", "add", "command", plain], 64, "chmod +x"),
      (["channel", "add", "command", "x", "--quiet", "25-7"], 64, "22:00-7:00"),
      (["channel", "add", "command", "x", "--option", "a"], 64, "NAME=VALUE"),
      (["channel", "test", "desk"], 66, "There is no channel"),
      (["notices", "--state", "lots"], 64, "lost"),
    ] as [([String], Int32, String)] {
      try await home.expect(arguments, status: status, says: [text])
    }
    #expect(try await home.call("watch").output.isEmpty)
    #expect(try await home.call("channel").output.isEmpty)
  }

  @Test("--retry that fails says so and fails, and doctor names the channel with what to do")
  func retryFails() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("watch", "add", "coffee", "--name", "Morning")
    try await home.call("channel", "add", "command", Self.teller(home, exit: 7), "--name", "desk")
    let none = try await home.call("notices", "--retry")
    #expect(none.status == 0 && none.errors.contains("Nothing waits."))
    try Self.change(home)
    try await home.call("sync")
    let failed = try await home.call("notices", "--retry")
    #expect(failed.status == 1 && failed.output.isEmpty)
    #expect(failed.errors.contains("The channel desk failed: tell exited with status 7."))
    let doctor = try await home.call("doctor")
    #expect(
      doctor.output.contains("channel desk") && doctor.output.contains("offers notices --retry"))
    #expect(
      try await home.call("notices").output.contains(
        "Iced Coffee is a new match: $4.00 (watch 1: Morning)"))
    let cut = try await home.call("notices", "--limit", "1", "--json")
    #expect(cut.output.contains(#""watch_name":"Morning""#))
  }

  @Test("a paused channel is a problem of the status, too")
  func pausedInStatus() async throws {
    let home = try await Self.failing()
    #expect(try await !home.call("status").output.contains("desk"))
    let database = try await home.store.open()
    let channel = try await database.fetchChannel(named: "desk")
    let message = try #require(
      try await database.claimMessage(of: channel.id, at: Date() + 86_400))
    try await database.finish(message, .ended(reason: "The token is revoked."), at: Date())
    let status = try await home.call("status")
    #expect(
      status.output.contains(
        """

        channel desk is paused, 1 notice waiting: The token is revoked. Set it up again: \
        offers channel edit desk

        """))
    #expect(try await home.objects("channels", "status").count == 1)
  }

  @Test("the program of a channel is kept by its absolute path, and its arguments as they are")
  func program() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("channel", "add", "command", "--", "cat", "a b", "--json")
    let words = try await home.call("channel", "--json").output
    #expect(words.contains(/"words":\["\/[a-z\/]*bin\/cat"\]/))
  }

  @Test("what waits for the end of quiet hours says so, and a cut list says how many there are")
  func quiet() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("watch", "add", "coffee")
    let always = Calendar.current.component(.hour, from: Date())
    try await home.call(
      "channel", "add", "command", Self.teller(home), "--quiet",
      "\((always + 23) % 24):00-\((always + 2) % 24):00")
    _ = try home.feed(Self.items + (4...6).map { FeedItem("\($0)", "Coffee \($0)", "$2.00") })
    try await home.call("sync")
    let shown = try await home.call("notices", "--limit", "2")
    #expect(shown.output.hasPrefix("command: 3 notices waiting until "))
    #expect(shown.output.contains(": quiet hours\n"))
    #expect(shown.errors.contains("2 of 3. All: offers notices --limit 3"))
  }

  @Test("notices are read by feed readers and calendars")
  func feeds() async throws {
    let home = try await Home(synced: Self.items)
    try await home.call("favorite", "3")
    try Self.change(home)
    try await home.call("sync")
    let atom = try await home.call("notices", "--format", "atom").output
    #expect(atom.contains("<title>Coffee Pods is up: $2.50, was $1.00</title>"))
    #expect(
      try await home.call("notices", "--format", "ics").output.hasPrefix("BEGIN:VCALENDAR\r\n"))
    try await home.expect("notices", "--format", "rss", status: 64, says: ["atom"])
  }

  @Test("addresses are printed once, listed without their secret, and revoked")
  func addresses() async throws {
    let home = try await Home(synced: Self.items)
    let base = "https://offers.example.org/deals"
    let published = try await home.call("notices", "publish", "--base", base + "/")
    let urls = published.output.split(separator: "\n").map(String.init)
    #expect(urls.count == 3 && urls.allSatisfy { $0.hasPrefix(base + "/out/") })
    #expect(
      urls.map { $0.split(separator: "/").last } == [
        "changes.atom", "changes.json", "expiries.ics",
      ])
    let secret = try #require(urls[0].split(separator: "/").dropLast().last)
    #expect(secret.count == 43 && published.errors.contains("offers notices revoke 1"))
    let listed = try await home.call("notices", "addresses", "--json")
    #expect(listed.output.contains("\"subject\":\"news\"") && !listed.output.contains(secret))
    try await home.expect("notices", "revoke", "1", output: "1: revoked\n")
    try await home.expect("notices", "revoke", "1", status: 66, says: ["offers notices addresses"])
    for (arguments, status) in [
      (["--watch", "9"], 66), (["--feed", "none"], 66), (["--base", "here"], 64),
      (["--watch", "1", "--feed", "ibotta"], 64),
    ] as [([String], Int32)] {
      try await home.expect(["notices", "publish"] + arguments, status: status)
    }
  }
}
