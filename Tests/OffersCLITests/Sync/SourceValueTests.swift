import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Values in the addresses of sources")
struct SourceValueTests {
  private static let key = "S3cr3tK3y"
  private static let tea = #"[{"id":"1","name":"Tea"}]"#

  @Test("are shown by no command, in no error and no export but that of the named source")
  func hidden() async throws {
    let home = try Home()
    let server = try ScriptedServer([
      .answer("200 OK", [], Self.tea), .answer("500 Failure", [], "no"),
      .answer("404 Not Found", [], "no"),
    ])
    let address = server.url() + "?api_key=\(Self.key)&n=1"
    let shown = server.url() + "?api_key={hidden}&n={hidden}"
    let first = try await home.expect("sync", "ibotta", "--from", address)
    #expect(!(first.output + first.errors).contains(Self.key))
    for words in [["sync", "ibotta"], ["sync", "ibotta", "--json"]] {
      let failed = try await home.call(words)
      #expect(failed.status != 0)
      #expect(!(failed.output + failed.errors).contains(Self.key), "\(words): \(failed.errors)")
    }
    try await home.call("favorite", "ibotta:1")
    for words in [
      ["status"], ["status", "--json"], ["feeds"], ["feeds", "--json"], ["doctor"],
      ["doctor", "--json"], ["changes"], ["changes", "--json"], ["export", "--favorites"],
    ] {
      let result = try await home.call(words)
      #expect(!(result.output + result.errors).contains(Self.key), "\(words)")
    }
    for command in ["status", "feeds"] {
      let feeds = try await home.objects("feeds", command)
      let feed = try #require(feeds.first { $0["name"] as? String == "ibotta" })
      #expect(feed["source"] as? String == shown)
    }
    // The next sync reads the named source.
    #expect(server.requests.allSatisfy { $0.contains(Self.key) })
    let all = try await home.call("export").output
    #expect(all.components(separatedBy: Self.key).count == 2, "the chosen source only")
  }

  @Test("a hidden address is not read: its values have to be written again")
  func notRead() async throws {
    let home = try Home()
    try await home.expect(
      "sync", "ibotta", "--from", "https://x.example/?api_key={hidden}", status: 64,
      says: ["has hidden values"])
  }

  @Test("a replaced address is in no export, and is no source of the machine that imports it")
  func replaced() async throws {
    let home = try Home()
    let server = try ScriptedServer([
      .answer("200 OK", [], Self.tea), .answer("200 OK", [], Self.tea),
    ])
    try await home.call("sync", "ibotta", "--from", server.url() + "?api_key=\(Self.key)")
    try await home.call("sync", "ibotta", "--from", server.url())
    try await home.call("favorite", "ibotta:1")
    for options in [[], ["--favorites"]] {
      let text = try await home.call(["export"] + options).output
      #expect(!text.contains(Self.key))
      #expect(!options.isEmpty == !text.contains("\"source\":\"\(server.url())"))
    }
    // As an older version wrote it, without the named source.
    let text = try await home.call("export", "--favorites").output
      .replacing(/"chosen_source":"[^"]*"/, with: "\"chosen_source\":null")
      .replacing(/"source":"[^"]*"/, with: "\"source\":\"https://x.example/?k=\(Self.key)\"")
    let other = try Home()
    let result = try other.offers("import", "-", input: text)
    #expect(result.status == 0)
    for words in [["status"], ["feeds"], ["status", "--json"], ["feeds", "--json"], ["export"]] {
      let told = try await other.call(words).output
      #expect(!told.contains(Self.key), "\(words)")
      if words != ["export"] { #expect(!told.contains("x.example"), "\(words)") }
    }
  }
}
