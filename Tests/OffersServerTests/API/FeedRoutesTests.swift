import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("Feeds over the API")
struct FeedRoutesTests {
  @Test("a feed is subscribed and unsubscribed, and keeps its offers")
  func subscription() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    for (method, name, didChange) in [
      (HTTPRequest.Method.delete, "ibotta", true), (.delete, "ibotta", false),
      (.put, "ibotta", true), (.put, "ibotta", false), (.put, "facts", true),
      (.delete, "facts", true),
    ] {
      let answer = try await client.write(method, "feeds/\(name)/subscription")
      #expect(answer.status == 200)
      #expect(try answer.object["changed"] as? Bool == didChange, "\(method) \(name)")
      let feed = try #require(try answer.object["feed"] as? [String: Any])
      #expect(feed["subscribed"] as? Bool == (method == .put))
    }
    #expect(try await client.get("offers?feed=ibotta").object["total"] as? Int == 64)
    #expect(try await client.write(.put, "feeds/nothing/subscription").status == 404)
    #expect(try await client.get("feeds/ibota").text.contains("Did you mean ibotta?"))
  }

  @Test("taking a feed up makes no source of the place that an import says it was read from")
  func namesNoSource() async throws {
    struct Document: ExportRecordSource {
      func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
        var feed = ExportedFeed()
        feed.name = "ibotta"
        feed.source = "https://evil.example/"
        try body(.feed(feed))
      }
    }
    for isByPage in [false, true] {
      let home = try await ServedHome(feeds: [])
      _ = try await home.database.importRecords(from: Document(), feeds: ["ibotta"])
      if isByPage {
        #expect(try await home.send("/feeds/ibotta", "subscribed=1").status == 303)
      } else {
        let client = try home.client()
        #expect(try await client.write(.put, "feeds/ibotta/subscription").status == 200)
      }
      #expect(try await home.database.findSyncState(of: "ibotta")?.source?.text == "sample")
    }
  }

  @Test("values of a feed's address are in no answer; a form with them hidden changes nothing")
  func hidesValues() async throws {
    let home = try await ServedHome()
    let address = "https://x.example/o.json?api_key=S3cr3tK3y"
    try await home.database.record(
      SyncRun(
        feed: "ibotta", source: address, outcome: .failed, bytes: 0, startedAt: .now,
        durationSeconds: 0,
        error: OffersError(
          .sourceFailed, "\(address) answered 500.",
          hint: Hint("Or.", command: "offers sync ibotta --from '\(address)'"))),
      remember: ChosenSource(address, origin: .remote), fetch: nil)
    let client = try home.client()
    for path in [
      "feeds", "feeds/ibotta", "sync", "/settings", "/settings/feeds", "/", "/feeds/ibotta",
    ] {
      #expect(!(try await client.get(path).text.contains("S3cr3tK3y")), "\(path)")
    }
    let feed = try #require(try await client.get("feeds/ibotta").object["source"] as? String)
    #expect(feed == "https://x.example/o.json?api_key={hidden}")
    let settings = try await client.get("/settings/feeds").text
    #expect(settings.contains("api_key=…"))
    #expect(!settings.contains("{hidden}"))
    for shown in ["api_key={hidden}", "api_key=…"] {
      let sent =
        "every=7200&source=" + PercentCode.encode("https://x.example/o.json?\(shown)")
      #expect(try await home.send("/feeds/ibotta", sent).status == 303)
      #expect(try await home.database.findSyncState(of: "ibotta")?.source?.text == address)
    }
    let edited = "source=" + PercentCode.encode("https://y.example/o.json?api_key=…")
    #expect(try await home.send("/feeds/ibotta", edited).status == 400)
  }

  @Test("how often a feed is synced is set, and set back")
  func interval() async throws {
    let home = try await ServedHome()
    let client = try home.client(home.server())
    for (body, changed) in [
      (#"{"every_seconds":7200}"#, true), (#"{"every_seconds":7200}"#, false),
    ] {
      let answer = try await client.write(.put, "feeds/ibotta/interval", body)
      #expect(answer.status == 200, "\(answer.text)")
      #expect(try answer.object["changed"] as? Bool == changed)
      let feed = try #require(try answer.object["feed"] as? [String: Any])
      #expect(feed["every_seconds"] as? Int == 7200)
    }
    let back = try await client.write(.delete, "feeds/ibotta/interval")
    #expect((try back.object["feed"] as? [String: Any])?["every_seconds"] as? Int == 86_400)
    for body in ["", "{}", #"{"every_seconds":"1"}"#, #"{"every_seconds":true}"#] {
      #expect(try await client.write(.put, "feeds/ibotta/interval", body).status == 400)
    }
    #expect(
      try await client.write(.put, "feeds/none/interval", #"{"every_seconds":60}"#).status == 404)
  }

  @Test("the list has all feeds, with their states")
  func list() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let feeds = try await client.get("feeds").objects("feeds")
    let names = feeds.compactMap { $0["name"] as? String }
    #expect(names == ["albums", "facts", "ibotta", "movies", "restaurants"])
    #expect(feeds[2]["subscribed"] as? Bool == true)
    #expect(feeds[2]["current"] as? Int == 64)
    #expect(feeds[3]["searchable"] as? Bool == true)
  }
}
