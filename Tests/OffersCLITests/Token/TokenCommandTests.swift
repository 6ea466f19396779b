import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("offers token")
struct TokenCommandTests {
  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("token new makes a private file with a random token, in folders that it makes")
  func makes() async throws {
    let home = try Home()
    let path = home.folder.file("new folder/token")
    let result = try await home.call("token", "new", path)
    #expect((result.status, result.errors) == (0, ""))
    #expect(result.output.contains("offers serve --host ADDRESS --token-file '\(path)'"))
    let text = try home.folder.text(of: "new folder/token")
    #expect(text.wholeMatch(of: /[A-Za-z0-9_-]{43}\n/) != nil)
    #expect(!result.output.contains(text.dropLast()))
    #expect(try Self.mode(path) == 0o600)
    #expect(try Self.mode(home.folder.file("new folder")) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: home.folder.file("new folder"))
    #expect(names == ["token"])
    let other = try await home.callDocument("token", "new", home.folder.file("other"), "--json")
    #expect(other["bits"] as? Int == 256)
    #expect(other["path"] as? String == home.folder.file("other"))
    #expect(other.count == 2)
    #expect(try home.folder.text(of: "other") != text)
  }

  @Test("token new overwrites nothing")
  func keeps() async throws {
    let home = try Home()
    let path = try home.folder.write("mine", to: "token")
    try await home.expect("token", "new", path, status: 64, says: ["exists already"])
    #expect(try home.folder.text(of: "token") == "mine")
    try await home.expect("token", "new", home.folder.path, status: 64)
    try await home.expect("token", "new", "/proc/token", status: 1)
    try await home.expect("token", "new", status: 64)
  }

  @Test("serve accepts a new token, and refuses a chosen one and options that cannot be meant")
  func serves() async throws {
    let home = try Home()
    let path = home.folder.file("token")
    try await home.expect("token", "new", path)
    let serving = try Serving(
      home, "--token-file", path, "--behind-tls", "--trusted-proxy", "127.0.0.1",
      "--trusted-proxy", "fd00::/8")
    func ask(_ arguments: String) async throws -> String {
      try home.shell(
        "curl -s -o /dev/null -w '%{http_code}' \(arguments) "
          + "http://127.0.0.1:\(serving.port)/api/v1/feeds"
      ).output
    }
    #expect(try await ask("-H \"Authorization: Bearer $(cat '\(path)')\"") == "200")
    #expect(try await ask("") == "401")
    #expect(
      try await ask("-H 'Authorization: Bearer wrong' -H 'X-Forwarded-For: 192.0.2.7'") == "401")
    #expect(serving.end() == 0)
    // The line is printed without --verbose, in the format that the documented filter reads.
    let log = String(decoding: serving.errors.readDataToEndOfFile(), as: UTF8.self)
    let line = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d warning login refused client=192\.0\.2\.7 status=401/
    #expect(log.contains(line), "\(log)")
    // The failed attempt was stored before the end.
    let database = try await home.store.open()
    #expect(try await database.fetchAttempts().map(\.network) == ["192.0.2.7", "overall"])
    try await database.close()
    try home.folder.write("passwordpassword", to: "token")
    try await home.expect(
      "serve", "--token-file", path, status: 64,
      says: ["A token is generated, not chosen. Make another: offers token new"])
    for options in [
      ["--trusted-proxy", "proxy.example"], ["--trusted-proxy", "0.0.0.0/0"],
      ["--auth-header", "X-Forwarded-User"],
      ["--auth-header", "Cookie", "--trusted-proxy", "127.0.0.1"],
    ] {
      try await home.expect(["serve", "--port", "0"] + options, status: 64)
    }
  }

  @Test("the documented filter of fail2ban matches the log lines of refused logins, and no others")
  func filter() throws {
    let page = try DocumentPage("Sources/OffersServer/OffersServer.docc/Operating.md").text
    let rule = try #require(page.firstMatch(of: /failregex = (.*)/)).output.1
    // fail2ban removes the time, and <ADDR> stands for any address.
    let pattern = try Regex(String(rule).replacing("<ADDR>", with: "([0-9a-fA-F:.]+)"))
    func address(_ line: String) -> String? {
      line.firstMatch(of: pattern)?.output[1].substring.map { String($0) }
    }
    #expect(address(" warning login refused client=192.0.2.7 status=401") == "192.0.2.7")
    #expect(address(" warning login refused client=2001:db8::7 status=429") == "2001:db8::7")
    // As fail2ban reads it from the journal.
    #expect(
      address(
        "host offers[12]: 2026-11-25 00:18:10 warning login refused client=192.0.2.7 status=401")
        == "192.0.2.7")
    for line in [
      " warning login refusals not logged count=120",
      " warning something login refused client=192.0.2.7 status=401",
      " warning login refused client=192.0.2.7 status=401 x",
    ] {
      #expect(address(line) == nil, "\(line)")
    }
  }
}
