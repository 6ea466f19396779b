import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("offers serve")
struct ServeCommandTests {
  @Test(
    "the server runs until a signal ends it, and then exits with 0", arguments: [SIGTERM, SIGINT])
  func ends(signal: Int32) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let serving = try Serving(home)
    let asked = try home.shell(
      "curl -s http://127.0.0.1:\(serving.port)/api/v1/offers/ibotta:1; "
        + "curl -s -X PUT -H 'Content-Type: application/json' "
        + "http://127.0.0.1:\(serving.port)/api/v1/offers/ibotta:1/favorite -o /dev/null")
    #expect(asked.output.hasPrefix(#"{"ref":"ibotta:1","#), "\(asked.output)")
    // A client listens to events when the server receives the signal.
    let listener = try ChildProcess(
      ["curl", "-sN", "http://127.0.0.1:\(serving.port)/api/v1/events"])
    _ = try home.shell("curl -s http://127.0.0.1:\(serving.port)/api/v1/health")
    #expect(serving.end(signal) == 0)
    listener.wait()
    #expect(try home.offers("list", "--favorites").output.contains("Tea"))
    #expect(try home.integrity() == "ok\n")
  }

  @Test("an address, token or option that cannot be used is refused with a hint")
  func refusals() throws {
    let home = try Home()
    let open = try home.offers("serve", "--host", "0.0.0.0")
    #expect(open.status == 64)
    #expect(open.errors.contains("nobody could log in"))
    #expect(open.errors.contains("offers user passphrase owner"))
    let proxied = try home.offers(
      "serve", "--port", "0", "--allow-host", "localhost:9000", "--allow-host", "offers.example")
    #expect(proxied.status == 64)
    #expect(proxied.errors.contains("Other machines can reach offers.example"))
    #expect(proxied.errors.contains("offers user passphrase owner"))
    let path = try home.folder.write("0123456789abcdef", to: "token", mode: 0o644)
    let readable = try home.offers("serve", "--token-file", path)
    #expect(readable.status == 64)
    #expect(readable.errors.contains("chmod 600"))
    #expect(try home.offers("serve", "--port", "70000").status == 64)
    #expect(try home.offers("serve", "--refresh", "5s").status == 64)
    #expect(try home.offers("serve", "--refresh", "0m").status == 64)
    for host in ["http://a", "", "a:b", "[a]"] {
      #expect(try home.offers("serve", "--allow-host", host).status == 64, "\(host)")
    }
    let spaced = try home.offers("serve", "--base-path", "/a b")
    #expect(spaced.status == 64)
    #expect(spaced.errors.contains("such as /offers"))
    let half = try home.offers("serve", "--tls-cert", path)
    #expect(half.status == 64)
    #expect(half.errors.contains("--tls-cert and --tls-key go together"))
    let missing = try home.offers("serve", "--tls-cert", path + "x", "--tls-key", path)
    #expect(missing.status == 66)
    #expect(missing.errors.contains("Could not read the certificate"))
    let serving = try Serving(home, "--allow-host", "localhost:9000")
    let taken = try home.offers("serve", "--port", "\(serving.port)")
    #expect(taken.status == 1)
    #expect(taken.errors.contains("Address already in use"))
    // The periodic syncs end with the server that could not listen.
    #expect(try home.offers("serve", "--port", "\(serving.port)", "--refresh", "1h").status == 1)
    #expect(serving.end() == 0)
  }

  @Test("with --json, serve prints its URL for scripts")
  func tells() throws {
    let home = try Home()
    let pipe = Pipe()
    let process = try OffersProgram.start(
      ["serve", "--port", "0", "--json", "--base-path", "offers"], environment: home.environment,
      output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    process.send(SIGTERM)
    #expect(try #require(Home.parse(line)["url"] as? String).hasSuffix("/offers"))
    #expect(line.hasPrefix(#"{"url":"http://127.0.0.1:"#))
    #expect(process.wait() == 0)
  }

  @Test("serve --open opens the page in the browser")
  func opens() throws {
    let home = try Home()
    let browser = home.folder.file("browser")
    try home.folder.write(
      "#!/bin/sh\necho \"$1\" > '\(browser).new' && mv '\(browser).new' '\(browser).seen'\n",
      to: "browser")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
    let pipe = Pipe()
    let process = try OffersProgram.start(
      ["serve", "--port", "0", "--open"],
      environment: home.environment.merging(["BROWSER": browser]) { $1 },
      errors: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    // A server that ends early never opens the browser.
    let deadline = ContinuousClock.now + .seconds(120)
    while access(browser + ".seen", F_OK) != 0, ContinuousClock.now < deadline { usleep(10_000) }
    process.send(SIGTERM)
    #expect(process.wait() == 0)
    #expect(try home.folder.text(of: "browser.seen").hasPrefix("http://127.0.0.1:"))
  }
}
