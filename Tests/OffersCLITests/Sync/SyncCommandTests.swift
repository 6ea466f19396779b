import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("offers sync")
struct SyncCommandTests {
  @Test("The first sync reads the built-in sample and says how to choose another source")
  func firstSync() async throws {
    let home = try Home()
    let result = try await home.expect("sync")
    #expect(
      home.stable(result.output)
        == "ibotta: 64 new, 0 changed, 0 gone, 0 back, 0 unchanged, 0 skipped in TIME\n")
    #expect(
      result.errors == """
        These are the built-in sample offers. To read your own feed:
          offers sync ibotta --from URL-OR-FILE

        """)
  }

  @Test("A source that worked is read again by the next sync, which reports what changed")
  func rememberedSource() async throws {
    let home = try Home()
    let path = try home.feed([FeedItem("1", "Tea"), FeedItem("2", "Milk"), FeedItem("3", "Jam")])
    try await home.expect("sync", "--from", path)
    _ = try home.feed([FeedItem("1", "Green tea"), FeedItem("2", "Milk"), FeedItem("4", "Rice")])
    let result = try await home.call("sync")
    #expect(
      home.stable(result.output)
        == "ibotta: 1 new, 1 changed, 1 gone, 0 back, 1 unchanged, 0 skipped in TIME\n")
    #expect(result.errors == "")
    _ = try home.feed([FeedItem("1", "Tea"), FeedItem("2", "Milk"), FeedItem("3", "Jam")])
    #expect(
      home.stable(try await home.call("sync").output)
        == "ibotta: 0 new, 1 changed, 1 gone, 1 back, 1 unchanged, 0 skipped in TIME\n")
  }

  @Test("A relative path is stored as an absolute one, so that later syncs work from any folder")
  func relativePath() throws {
    let home = try Home()
    _ = try home.feed([FeedItem("1", "Tea")])
    #expect(try home.shell("offers sync --from feed.json").status == 0)
    #expect(try home.shell("cd / && offers sync").status == 0)
  }

  @Test("A source that failed is not remembered")
  func failedSource() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect("sync", "--from", home.folder.file("nowhere.json"), status: 66)
    // It is the failure of the command, not of the feed.
    let status = try await home.call("status").output
    #expect(status.contains("updated just now") && !status.contains("nowhere"))
    #expect(home.stable(try await home.call("sync").output).contains("1 unchanged"))
  }

  @Test("A sync of several feeds has a line for each with news, and one in total, without zeros")
  func severalFeeds() async throws {
    let home = try Home()
    let names = ["a", "b", "c"]
    try home.folder.write(
      "feeds:\n"
        + names.map {
          "  \($0): {source: \"\(home.folder.file($0 + ".json"))\", id: id, fields: {name: name}}\n"
        }.joined(), to: "feeds.yaml")
    func sync() async throws -> String {
      home.stable(
        try await home.call("sync", "a", "b", "c", "--config", home.folder.file("feeds.yaml"))
          .output)
    }
    for name in names { _ = try home.feed([FeedItem("1", "Tea")], named: name + ".json") }
    #expect(
      try await sync()
        == "a: 1 new in TIME\nb: 1 new in TIME\nc: 1 new in TIME\n"
        + "3 feeds, 3 offers: 3 new in TIME\n")
    #expect(try await sync() == "3 feeds, 3 offers: nothing new in TIME\n")
    _ = try home.feed([FeedItem("1", "Green tea"), FeedItem("2", "Jam")], named: "b.json")
    try home.folder.write("{", to: "c.json")
    #expect(
      try await sync()
        == "b: 1 new, 1 changed in TIME\n"
        + "3 feeds, 3 offers: 1 new, 1 changed in TIME; 1 failed\n")
  }

  @Test("Standard input is read with -, and not remembered")
  func standardInput() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let result = try home.offers(
      "sync", "--from", "-", input: #"[{"id":"1","name":"Tea"},{"id":"2","name":"Milk"}]"#)
    #expect(
      home.stable(result.output)
        == "ibotta: 1 new, 1 changed, 0 gone, 0 back, 0 unchanged, 0 skipped in TIME\n")
    #expect(
      home.stable(try await home.call("sync").output)
        == "ibotta: 0 new, 1 changed, 1 gone, 0 back, 0 unchanged, 0 skipped in TIME\n")
  }

  @Test("Offers from standard input that replaced the sample are held back, too")
  func heldInput() async throws {
    let home = try Home()
    func feed(_ count: Int) -> String {
      "[\((1...count).map { #"{"id":"\#($0)","name":"Tea"}"# }.joined(separator: ","))]"
    }
    try await home.expect("sync")
    #expect(try home.offers("sync", "--from", "-", input: feed(100)).status == 0)
    let last = try home.offers("sync", "--from", "-", input: feed(3))
    #expect(last.status == 1)
    #expect(last.errors.contains("The removal of 97 of 100 offers is held back, and"))
    let listed = try await home.callDocument("list", "--limit", "200")["offers"] as? [Any]
    #expect(listed?.count == 100)
  }

  @Test("A dry run without a database reads the source that the definitions give the feed")
  func dryRunWithoutDatabase() async throws {
    let home = try Home()
    let source = try home.feed([FeedItem("1", "Tea"), FeedItem("2", "Milk")])
    let definitions = try home.define("ibotta", from: source, #"items: "", fields: {name: name}"#)
    let document = try await home.callDocument("sync", "--dry-run", "--config", definitions)
    let runs = try #require(document["runs"] as? [[String: Any]])
    #expect(runs.map { $0["new"] as? Int } == [2])
    #expect(!home.exists(home.database))
  }

  @Test("A feed from standard input is not replaced by the sample; its next sync needs a source")
  func keepsStandardInput() async throws {
    let home = try Home()
    let feed = [FeedItem("1", "Tea"), FeedItem("2", "Milk")]
    let text = String(decoding: try JSONEncoder().encode(feed), as: UTF8.self)
    #expect(try home.offers("sync", "--from", "-", input: text).status == 0)
    for arguments in [["sync"], ["sync", "--accept-removals"], ["sync", "--force", "--dry-run"]] {
      let result = try await home.expect(arguments, status: 66)
      #expect(
        result.errors == """
          offers: ibotta was read from standard input, and has no source of its own.
                  Nothing was changed. Name one: offers sync ibotta --from URL-OR-FILE

          """)
    }
    let due = try await home.expect("sync", "--due", "--explain")
    #expect(due.errors == "")
    #expect(
      due.output == """
        ibotta: has no source of its own; offers sync ibotta --from URL-OR-FILE gives it one

        """)
    #expect(try await home.call("show", "2").output.contains("Milk"))
    try await home.expect("sync", "--from", home.feed(feed))
    #expect(try await home.call("sync").output.contains("2 unchanged"))
    // The sample can still be named explicitly.
    #expect(try home.offers("sync", "--from", "-", input: text).status == 0)
    #expect(try await home.call("sync", "--from", "sample").output.hasPrefix("ibotta: 64 new"))
  }

  @Test("A sync from another source keeps the waiting time that the feed's server asked for")
  func leavesWhatTheServerAskedFor() async throws {
    let own = (1...20).map { FeedItem("\($0)", "Tea \($0)") }
    let text = String(decoding: try JSONEncoder().encode(own), as: UTF8.self)
    let server = try ScriptedServer([
      .answer("200 OK", [#"ETag: "1""#], text),
      .answer("429 Too Many Requests", ["Retry-After: 3600"], ""),
      .answer("200 OK", [], text),
    ])
    let home = try Home()
    try await home.expect("sync", "--from", server.url())
    try await home.expect("sync", status: 1)
    let other = try home.feed((101...120).map { FeedItem("\($0)", "Milk") }, named: "other.json")
    try await home.expect(
      "sync", "ibotta", "--from", other, status: 1, says: ["--from \(other) --accept-removals"])
    #expect(try await home.call("status").output.contains("--from \(other) --accept-removals"))
    for input in [nil, text] {
      if input != nil {
        let replaced = try home.offers("sync", "--from", "-", "--accept-removals", input: input)
        #expect(replaced.status == 0)
      }
      #expect(try await home.call("sync").output.contains("put off: "))
      #expect(server.requests.count == 2)
    }
    // The stored offers no longer come from the document that the validators belong to.
    try await home.expect("sync", "--force")
    #expect(server.requests.last?.lowercased().contains("if-none-match") == false)
  }

  @Test("After another source changed offers, the feed's own document is fetched in full")
  func readsItsOwnAnew() async throws {
    func text(_ items: [FeedItem]) throws -> String {
      String(decoding: try JSONEncoder().encode(items), as: UTF8.self)
    }
    let own = (1...40).map { FeedItem("\($0)", "Tea \($0)") }
    let server = try ScriptedServer([
      .answer("200 OK", [#"ETag: "1""#], try text(own)), .answer("200 OK", [], try text(own)),
    ])
    let home = try Home()
    try await home.expect("sync", "--from", server.url())
    // The other source lacks most offers and renames one.
    let other = try home.feed([FeedItem("1", "Milk")] + own[1..<10], named: "other.json")
    try await home.expect("sync", "ibotta", "--from", other, status: 1)
    #expect(try await home.call("show", "1").output.contains("Milk"))
    try await home.expect("sync")
    #expect(server.requests.last?.lowercased().contains("if-none-match") == false)
    #expect(try await home.call("show", "1").output.contains("Tea 1"))
  }

  @Test("A sync without subscribed feeds says so")
  func nothingToSync() async throws {
    let home = try Home()
    try await home.expect("sync")
    try await home.call("feeds", "remove", "ibotta")
    let result = try await home.expect("sync", output: "")
    #expect(result.errors == "No feed is subscribed. See all feeds: offers feeds\n")
    let due = try await home.expect("sync", "--due", output: "")
    #expect(due.errors == "")
  }

  @Test("--quiet prints nothing on success, and errors on failure")
  func quiet() async throws {
    let home = try Home()
    let good = try await home.call("sync", "--quiet")
    #expect(good.output == "" && good.errors == "" && good.status == 0)
    let odd = try await home.call("sync", "--quiet", "--from", home.feed([FeedItem("1", nil)]))
    #expect(odd.output == "")
    #expect(odd.errors.contains("None of the 1 records"))
  }

  @Test("Invalid records are skipped and listed, and valid ones are stored")
  func skippedRecords() async throws {
    let home = try Home()
    let path = try home.folder.write(
      #"[{"id":"1","name":"Tea"},{"name":"no id"},7,{"id":"3","name":"Jam","terms":["a"]}]"#,
      to: "odd-records.json")
    let result = try await home.expect("sync", "--from", path)
    #expect(
      home.stable(result.output)
        == "ibotta: 2 new, 0 changed, 0 gone, 0 back, 0 unchanged, 2 skipped in TIME\n")
    #expect(
      result.errors == """
          record 2 skipped: no id
          record 3 skipped: a number, expected an object
          record 4 repaired: terms is a list, left out

        """)
  }

  @Test("The first five problems of records are listed, and the rest are counted")
  func manySkippedRecords() async throws {
    let home = try Home()
    let items = [FeedItem("1", "Tea")] + (0..<30).map { FeedItem(nil, "Offer \($0)") }
    let lines = try await home.call("sync", "--from", home.feed(items)).errors.split(
      separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.last == "  and 25 more")
  }

  @Test("A truncated feed fails, names the byte, and removes nothing")
  func truncated() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let path = try home.folder.write(#"[{"id":"2","name":"Mi"#, to: "truncated.json")
    let result = try await home.expect("sync", "--from", path, status: 1, output: "")
    #expect(
      result.errors == """
        offers: ibotta: The document ends too early, at byte 21 in record 1.
                Nothing was changed. It may have been cut off on the way: sync again.

        """)
    #expect(try await home.call("list").output.contains("Tea"))
  }

  @Test("--json prints a single document with the runs")
  func json() async throws {
    let home = try Home()
    let path = try home.feed([FeedItem("1", "Tea")])
    let result = try await home.call("sync", "--json", "--from", path)
    #expect(
      home.stable(result.output)
        == #"{"runs":[{"feed":"ibotta","outcome":"updated","new":1,"changed":0,"gone":0,"back":0,"#
        + #""unchanged":0,"skipped":0,"bytes":SIZE,"duration_seconds":TIME,"error":null,"held":null}]}"#
        + "\n")
    #expect(result.errors == "")
    let runs = try #require(try Home.parse(result.output)["runs"] as? [[String: Any]])
    #expect(
      Set(try #require(runs.first).keys) == [
        "feed", "outcome", "new", "changed", "gone", "back", "unchanged", "skipped", "bytes",
        "duration_seconds", "error", "held",
      ])
  }

  @Test("--json reports a failure with a code, a message and a hint, even for an unknown feed")
  func jsonOfFailures() throws {
    let home = try Home()
    let truncated = try home.folder.write("[", to: "truncated.json")
    for (arguments, code, status) in [
      (["ibotta", "--from", truncated], "malformedFeed", Int32(1)), (["nofeed"], "notFound", 66),
    ] {
      let result = try home.shell(
        "offers sync --json " + arguments.joined(separator: " "), mergingErrors: false)
      let runs = try #require(try Home.parse(result.output)["runs"] as? [[String: Any]])
      let error = try #require(runs.first?["error"] as? [String: Any])
      #expect(Set(error.keys) == ["code", "message", "hint"])
      #expect(error["code"] as? String == code)
      #expect(runs.first?["outcome"] as? String == "failed")
      #expect(result.status == status)
    }
  }

  @Test("A server that asked for no requests is only asked again with --force")
  func force() async throws {
    let server = try ScriptedServer([
      .answer("200 OK", [], #"[{"id":"1","name":"Tea"}]"#),
      .answer("429 Too Many Requests", ["Retry-After: 3600"], ""),
      .answer("429 Too Many Requests", ["Retry-After: 3600"], ""),
      .answer("200 OK", [], #"[{"id":"1","name":"Green tea"}]"#),
    ])
    let home = try Home()
    try await home.expect("sync", "--from", server.url())
    // The second round passes options, which the argument parser handles.
    for (request, options) in [(2, []), (3, ["--force", "--verbose"])] {
      try await home.expect(["sync"] + options, status: 1)
      #expect(server.requests.count == request)
      #expect(try await home.call("sync").output.contains("put off: "))
      let due = try await home.call("sync", "--due")
      #expect(due.output == "" && due.errors == "" && due.status == 0)
      #expect(server.requests.count == request)
    }
    let result = try await home.expect("sync", "--force")
    #expect(
      home.stable(result.output)
        == "ibotta: 0 new, 1 changed, 0 gone, 0 back, 0 unchanged, 0 skipped in TIME\n")
    #expect(server.requests.count == 4)
  }

  @Test(
    "A first import on a full disk stores nothing, and the next import stores all offers",
    .aboutFile,
    arguments: [(850, "offers.sqlite could not be written"), (1500, "a temporary file in")])
  func fullDiskAtFirst(count: Int, message: String) async throws {
    let home = try Home()
    let offers = (1...count).map {
      #"{"id":"\#($0)","name":"Tea \#($0)","description":"\#(String(repeating: "green ", count: 350))"}"#
    }
    let feed = try home.folder.write("[\(offers.joined(separator: ","))]", to: "feed.json")
    let sync = "sync --quiet --no-index --from \(feed)"
    let refused = try home.shell("trap '' XFSZ; ulimit -f 2048; offers \(sync)")
    #expect(refused.status == 1)
    #expect(refused.errors.contains(message), "\(refused.errors)")
    #expect(try await home.call("list", "--json").output.hasPrefix("{\"offers\":[],"))
    #expect(try home.shell("offers \(sync)").status == 0)
    #expect(try await home.call("show", "\(count)").output.contains("Tea \(count)"))
    try await home.expect("doctor")
  }
}
