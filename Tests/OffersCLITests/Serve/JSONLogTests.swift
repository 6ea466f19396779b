import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("--log-format json")
struct JSONLogTests {
  /// The lines of a text, each of which is a JSON object with a time, a level and a message.
  private static func lines(_ text: String) throws -> [[String: Any]] {
    let lines = try text.split(separator: "\n").map { try Home.parse(String($0)) }
    for line in lines {
      #expect(line["time"] is String && line["level"] is String && line["message"] is String)
    }
    return lines
  }

  @Test("all that a server prints is JSON: its address, requests, and who did what")
  func serves() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let serving = try Serving(home, "--log-format", "json", "--access-log")
    _ = try home.shell(
      """
      curl -s -H 'Content-Type: application/json' -d '{}' http://127.0.0.1:\(serving.port)/api/v1/sync
      """)
    #expect(serving.end() == 0)
    let rest = String(decoding: serving.errors.readDataToEndOfFile(), as: UTF8.self)
    let lines = try Self.lines(serving.greeting + rest)
    #expect(lines.first?["message"] as? String == "Serving at http://127.0.0.1:\(serving.port)")
    #expect(lines.first?["url"] as? String == "http://127.0.0.1:\(serving.port)")
    let sync = try #require(lines.first { $0["message"] as? String == "sync started" })
    let request = try #require(lines.first { $0["message"] as? String == "request" })
    #expect(sync["user"] as? String == "owner")
    #expect(sync["client"] as? String == "127.0.0.1")
    #expect((sync["request"] as? String)?.count ?? 0 > 15)
    #expect(sync["request"] as? String == request["request"] as? String)
  }

  @Test(
    "errors are JSON, those of the parser too",
    arguments: [
      ["serve", "--log-format=json", "--port", "70000"],
      ["serve", "--log-format", "json", "--refresh", "5s"],
      ["sync", "--log-format", "json", "--nonsense"], ["sync", "nowhere", "--log-format", "json"],
      ["restore", "--log-format", "json", "nowhere"],
      ["import", "nowhere", "--log-format", "json"],
    ])
  func errors(arguments: [String]) async throws {
    let home = try Home()
    let result = try await home.call(arguments)
    #expect(result.status != 0)
    let lines = try Self.lines(result.errors)
    #expect(lines.last?["level"] as? String == "error")
  }

  @Test("notes are JSON without styles, and other commands print as before")
  func notes() async throws {
    let home = try Home()
    let synced = try await home.call(
      "sync", "ibotta", "--from", "sample", "--log-format", "json")
    let lines = try Self.lines(synced.errors)
    #expect(lines.contains { ($0["message"] as? String)?.contains("built-in sample") == true })
    #expect(try await home.call("show", "nothing").errors.hasPrefix("offers: "))
  }

  @Test("commands that replace data or change rights tell the system's log who ran them")
  func systemLog() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let log = try DatagramListener(home.folder.file("log"))
    func call(_ arguments: String..., status: Int32 = 0) async throws -> OffersProgram.Result {
      let result = try await OffersProgram.call(
        arguments,
        environment: home.environment.merging([
          "SSH_CONNECTION": "192.0.2.7 50000 192.0.2.1 22", "SUDO_USER": "maria",
        ]) { $1 }, systemLog: home.folder.file("log"))
      #expect(result.status == status, "\(result.errors)")
      return result
    }
    func line() -> String {
      (log.receive(milliseconds: 0) ?? "none").replacing(#/offers\[\d+\]/#, with: "offers[1]")
        .replacing(#/request=[0-9a-f]{16} /#, with: "")
    }
    let end = "client=192.0.2.7 user=maria"
    _ = try await call("user", "add", "ben", "--role", "viewer")
    #expect(line() == "<85>offers[1]: user added account=ben role=viewer \(end)")
    _ = try await call("token", "add", "home automation", "--scope", "sync")
    #expect(line() == "<85>offers[1]: token added name=“home automation” scope=sync \(end)")
    let export = home.folder.file("export.json")
    _ = try await call("export", "-o", export)
    let imported = try await call("import", export, "--log-format", "json")
    #expect(line() == "<85>offers[1]: imported file=\(export) \(end)")
    let last = try #require(try Self.lines(imported.errors).last)
    #expect(last["message"] as? String == "imported")
    #expect(last["user"] as? String == "maria")
    _ = try await call("user", "add", "ben", status: 64)
    _ = try await call("sync", "--due")
    _ = try await call("list")
    #expect(line() == "none")
  }
}
