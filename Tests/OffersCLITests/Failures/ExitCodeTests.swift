import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersCLI

@Suite("Exit codes")
struct ExitCodeTests {
  @Test(
    "Wrong usage exits with 64",
    arguments: [
      ["list", "--nonsense"], ["list", "--limit", "0"], ["list", "--limit", "x"], ["nonsense"],
      ["sync", "ibotta", "other", "--from", "sample"], ["show"], ["favorite"],
      ["sync", "--from", ""], ["sync", "--from", "ftp://e.com/x"], ["list", "--database", ""],
      ["sync", "--due", "--force"],
    ])
  func wrongUsage(arguments: [String]) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try await home.expect(arguments, status: 64, output: "")
    #expect(result.errors != "")
  }

  @Test(
    "A missing offer, feed or file exits with 66",
    arguments: [
      ["show", "999"], ["favorite", "999"], ["list", "--feed", "nofeed"], ["sync", "nofeed"],
      ["sync", "--from", "/nowhere/feed.json"], ["list", "--database", "/nowhere/offers.sqlite"],
      ["status", "--database", "/nowhere/offers.sqlite"],
      ["show", "1", "--database", "/nowhere/offers.sqlite"],
      ["favorite", "1", "--database", "/nowhere/offers.sqlite"],
    ])
  func notFound(arguments: [String]) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try await home.expect(arguments, status: 66, output: "")
    #expect(result.errors.hasPrefix("offers: "))
    #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
  }

  @Test(
    "an unwritable path exits with 1, and an empty path with 64",
    arguments: [
      (["export", "-o", "/nowhere/x"], 1), (["backup", "/nowhere/x"], TestStore.isFile ? 1 : 64),
      (["sync", "--database", "/dev/null/offers.sqlite"], 1),
      (["export", "-o", ""], 64), (["backup", ""], 64), (["sync", "--from", ""], 64),
    ])
  func unwritable(arguments: [String], status: Int) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try await home.call(arguments)
    #expect(Int(result.status) == status)
    #expect(result.errors.hasPrefix("offers: "))
    #expect(result.errors.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
  }

  @Test(
    "a negative value is reported as invalid, not as missing",
    arguments: [
      (["list", "--limit", "-1"], "--limit must be at least 1."),
      (["list", "--expiring", "-1h"], "“-1h” is not a duration."),
      (["list", "--reward-at-least", "-1"], "“-1” is not a reward."),
      (["search", "tea", "--page", "-1"], "--page must be 1 to 1000000."),
      (["list", "--new-since", "-1d"], "“-1d” is not a time."),
      (["changes", "--since", "-1d"], "“-1d” is not a time."),
      (["prune", "--older-than", "-1d"], "“-1d” is not a duration."),
      (["feeds", "set", "ibotta", "--every", "-1h"], "“-1h” is not an interval between syncs."),
      (["serve", "--refresh", "-1h"], "“-1h” is not a duration."),
      (["serve", "--port", "-1"], "--port must be 0 to 65535."),
    ])
  func belowZero(arguments: [String], message: String) async throws {
    let result = try await OffersProgram.expect(
      arguments, environment: try await Home(synced: [FeedItem("1", "Tea")]).environment, status: 64
    )
    #expect(result.errors.hasPrefix("offers: \(message)\n"))
  }

  @Test(
    "a mistake is reported with a suggestion or with the next step",
    arguments: [
      (["lst"], "offers: There is no command “offers lst”.\n        Did you mean list? "),
      (
        ["feeds", "chek"],
        "offers: There is no command “offers feeds chek”.\n        Did you mean check? "
      ),
      (
        ["list", "--feed", "ibota"],
        "offers: There is no feed “ibota”.\n        Did you mean ibotta? "
      ),
      (
        ["sync", "movis"], "offers: There is no feed “movis”.\n        Did you mean movies? "
      ),
      (["show", "110597"], "offers: There is no offer “110597”.\n        Did you mean 110579? "),
      (
        ["favorite", "ibotta:11057"],
        "offers: There is no offer “ibotta:11057”.\n        Did you mean ibotta:110579? "
      ),
      (["show", "999999"], "offers: There is no offer “999999”.\n        See what there is: "),
      (["status", "\u{1B}[31mred\u{7}"], "offers: Unexpected argument '␛[31mred␇'"),
      (
        ["show", "ibota:110579"],
        "offers: There is no offer “ibota:110579”.\n        Did you mean ibotta:110579? "
      ),
      (
        ["list", "--feed", "facts"],
        "offers: The feed facts has not been synced yet.\n        Sync it: offers sync facts"
      ),
      (
        ["search", "tea", "--feed", "facts"],
        "offers: The feed facts has not been synced yet.\n        Sync it: offers sync facts"
      ),
      (
        ["list", "--limit", "5000000000000000000", "--page", "2"],
        "2 offers make 1 page of 5,000,000,000,000,000,000.\n"
      ),
      (["sync", "--qiet"], "offers: Unknown option '--qiet'. Did you mean '--quiet'?"),
      (["import", "offers.json", "--config", "feeds.yaml"], "offers: --config is gone here"),
      (["migrate", "--to", "copy.sqlite", "--config=feeds.yaml"], "offers: --config is gone here"),
    ])
  func suggestions(arguments: [String], expected: String) async throws {
    let home = try await Home(synced: [FeedItem("110579", "Tea"), FeedItem("2", "Jam")])
    let result = try await home.call(arguments)
    #expect(result.errors.hasPrefix(expected), "\(result.errors)")
    #expect((result.status == 0) == (arguments.contains("--page")))
  }

  @Test("An unreadable feed, or a file that is not a database of the program, exits with 1")
  func failed() async throws {
    let home = try Home()
    let truncated = try home.folder.write("[{", to: "truncated.json")
    try await home.expect("sync", "--from", truncated, status: 1)
    try await home.expect("sync", "--from", home.folder.path, status: 1)
    let foreign = try home.folder.write("somebody's diary", to: "diary.txt")
    try await home.expect("sync", "--database", foreign, status: 1)
    #expect(try home.folder.text(of: "diary.txt") == "somebody's diary")
  }

  @Test("Help and the version exit with 0 and go to standard output")
  func help() async throws {
    let home = try Home()
    for arguments in [["--help"], ["--version"], ["sync", "--help"], ["help", "list"], []] {
      let result = try await home.expect(arguments)
      #expect(result.output != "" && result.errors == "")
    }
    #expect(try await home.call("--version").output == Version.current + "\n")
  }

  @Test("A second sync of a feed exits with 11; reads and favorites work; a kill frees the lock")
  func locked() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let pipe = home.folder.file("endless-feed")
    #expect(mkfifo(pipe, 0o600) == 0)
    let holder = try OffersProgram.start(
      ["sync", "--from", pipe], environment: home.environment)
    // Opening the pipe blocks until the sync reads it, so the sync holds the lock from here on.
    let writer = open(pipe, O_WRONLY)
    defer { close(writer) }

    let waiting = try OffersProgram.start(["sync", "--quiet"], environment: home.environment)
    #expect(try await home.call("list").output.contains("Tea"))
    try await home.expect("favorite", "1")
    try await home.expect("status")
    #expect(waiting.wait() == 11)
    #expect(holder.isRunning)

    holder.send(SIGKILL)
    holder.wait()
    try await home.expect("sync", "--quiet")
    #expect(try await home.call("list", "--favorites").output.contains("Tea"))
  }

  @Test("Some failed feeds exit with 3; if all fail, the exit code is their common one, or 1")
  func severalFeeds() {
    let missing = OffersError(.notFound, "")
    let broken = OffersError(.malformedFeed, "")
    #expect(ExitStatus.code(forFailures: [], of: 2) == nil)
    #expect(ExitStatus.code(forFailures: [missing], of: 2) == ExitStatus.someFailed)
    #expect(ExitStatus.code(forFailures: [missing, missing], of: 2) == ExitStatus.notFound)
    #expect(ExitStatus.code(forFailures: [missing, broken], of: 2) == ExitStatus.failed)
    #expect(ExitStatus.code(forFailures: [missing], of: 1) == ExitStatus.notFound)
    #expect(ExitStatus.someFailed.rawValue == 3)
  }

  @Test("A sync of a known and an unknown feed syncs the known one and exits with 3")
  func someFailed() async throws {
    let home = try Home()
    let result = try await home.expect("sync", "nofeed", "ibotta", status: 3)
    #expect(result.output.hasPrefix("ibotta: 64 new"))
    #expect(result.errors.hasPrefix("offers: There is no feed “nofeed”."))
  }

  @Test(
    "Output to a closed stream is reported and exits with 1",
    arguments: [
      "list --json", "list", "export", "search tea", "show 1", "status", "--version", "sync",
    ])
  func closedOutput(command: String) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try home.shell("offers \(command) >&-")
    #expect(result.status == 1)
    #expect(result.errors == "offers: The output could not be written: it is closed.\n")
    // A command that has nothing to print does not report a closed output.
    #expect(try home.shell("offers export -o saved.json >&- 2>&- <&-").status == 0)
    #expect(try home.shell("offers import saved.json --quiet >&-").status == 64)
  }
}
