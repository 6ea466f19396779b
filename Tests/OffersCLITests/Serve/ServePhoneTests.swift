import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("offers serve for a phone")
struct ServePhoneTests {
  private static let token = "kE4tqPz0YbW7-mRs2xVdN8uGcJ3hLfA5oTiBw6QyX_1"

  private static func home() async throws -> (home: Home, tokenFile: String) {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let path = try home.folder.write(token, to: "token", mode: 0o600)
    return (home, path)
  }

  /// Runs a server on a terminal until the body has used what it printed there.
  private static func onTerminal(
    _ home: Home, _ arguments: [String], colors: Bool = true, _ body: (String) throws -> Void
  ) throws {
    let words = ([OffersProgram.path, "serve", "--port", "0"] + arguments)
      .map { "'\($0)'" }.joined(separator: " ")
    var environment = OffersProgram.environment(home.environment)
      .merging(["SHELL": "/bin/sh", "TERM": "xterm"]) { $1 }
    environment["NO_COLOR"] = colors ? nil : "1"
    let input = Pipe()
    let output = Pipe()
    let process = try ChildProcess(
      [
        "/usr/bin/script", "--quiet", "--return", "--command", "stty cols 80; exec \(words)",
        "/dev/null",
      ], environment: environment, from: input.fileHandleForReading,
      to: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    defer {
      process.send(SIGTERM)
      process.wait()
    }
    // A piece may end within a character.
    var bytes = Data()
    while bytes.range(of: Data("ten minutes.".utf8)) == nil {
      let piece = output.fileHandleForReading.availableData
      if piece.isEmpty { break }
      bytes += piece
    }
    let text = String(decoding: bytes, as: UTF8.self)
    try body(text.replacing("\r\n", with: "\n"))
  }

  @Test(
    "on a terminal it prints a QR code and a code that lets one phone in",
    .enabled(if: PseudoTerminal.isPresent))
  func invites() async throws {
    let (home, tokenFile) = try await Self.home()
    let arguments = [
      "--host", "0.0.0.0", "--allow-host", "phone.example", "--token-file", tokenFile,
    ]
    try Self.onTerminal(home, arguments) { text in
      let lines = text.split(separator: "\n")
      let port = try #require(lines.first?.split(separator: ":").last)
      #expect(lines.first == "Serving at http://127.0.0.1:\(port)")
      #expect(text.contains("\n  http://phone.example:\(port)\n"))
      #expect(text.contains("\n  http://phone.example:\(port)/pair\n"))
      let drawing = lines.filter { $0.contains("38;5;16;48;5;231m") }
      #expect(drawing.count > 15)
      let blocks = drawing.map { $0.filter { " █▀▄".contains($0) }.count }
      #expect(Set(blocks).count == 1 && blocks[0] <= 80)
      let code = try #require(text.firstMatch(of: /[0-9A-Z]{4}-[0-9A-Z]{4}/)?.output)
      // The second phone is refused.
      let pair = """
        curl -s -o /dev/null -w '%{http_code} ' -H 'Origin: http://127.0.0.1:\(port)' \
        -d code=\(code) http://127.0.0.1:\(port)/pair
        """
      #expect(try home.shell("\(pair); \(pair)").output == "303 401 ")
    }
  }

  @Test(
    "a terminal without colors gets the code as text only", .enabled(if: PseudoTerminal.isPresent))
  func plainTerminal() async throws {
    let (home, tokenFile) = try await Self.home()
    let arguments = ["--allow-host", "phone.example", "--token-file", tokenFile]
    try Self.onTerminal(home, arguments, colors: false) { text in
      #expect(text.contains("/pair\n"))
      #expect(text.contains(#/and type [0-9A-Z]{4}-[0-9A-Z]{4}\. /#))
      #expect(!text.contains("\u{1B}") && !text.contains("█"))
    }
  }

  @Test("a pipe, such as a log, gets the addresses and no code")
  func pipe() async throws {
    let (home, tokenFile) = try await Self.home()
    let serving = try Serving(
      home, "--host", "0.0.0.0", "--allow-host", "phone.example", "--token-file", tokenFile)
    #expect(serving.end() == 0)
    let rest = String(decoding: serving.errors.readDataToEndOfFile(), as: UTF8.self)
    let text = serving.greeting + rest
    #expect(text.contains("\n  http://phone.example:\(serving.port)\n"))
    #expect(!text.contains("pair") && !text.contains(/[0-9A-Z]{4}-[0-9A-Z]{4}/))
  }

  @Test("with a certificate it speaks TLS, and nothing else, on its port")
  func speaksTLS() async throws {
    let (home, tokenFile) = try await Self.home()
    let files = try TestCertificate().write(to: home.folder)
    let serving = try Serving(
      home, "--tls-cert", files.certificate, "--tls-key", files.key, "--token-file", tokenFile)
    #expect(serving.greeting.hasPrefix("Serving at https://127.0.0.1:\(serving.port)\n"))
    func curl(_ arguments: String, scheme: String = "https") throws -> Home.ShellResult {
      try home.shell(
        "curl -s --max-time 60 --cacert '\(files.certificate)' \(arguments) "
          .replacing("URL", with: "\(scheme)://localhost:\(serving.port)"))
    }
    #expect(try curl("URL/api/v1/health").output == #"{"status":"ok"}"#)
    let login = try curl(
      "-i -H 'Origin: https://localhost:\(serving.port)' -d token=\(Self.token) URL/login")
    #expect(login.output.hasPrefix("HTTP/1.1 303 "))
    #expect(login.output.contains("Set-Cookie: __Host-offers-session="))
    #expect(login.output.contains("; Secure; "))
    // A page without TLS, which anybody in the network may have written, is another origin.
    let plain = try curl(
      "-o /dev/null -w '%{http_code}' -H 'Origin: http://localhost:\(serving.port)' "
        + "-d token=\(Self.token) URL/login")
    #expect(plain.output == "403")
    // The connection of plain HTTP is closed: 52 is an empty reply, 56 a reset.
    let http = try curl("URL/api/v1/health", scheme: "http")
    #expect([52, 56].contains(http.status))
    #expect(http.output.isEmpty)
    // Without the certificate, a client trusts nobody.
    let untrusting = try home.shell("curl -s https://localhost:\(serving.port)/api/v1/health")
    #expect(untrusting.status == 60)
    let old = try curl("--tls-max 1.1 URL/api/v1/health")
    #expect(old.status == 35)
    // A request that has a body and one that does not wait for the answer work as over plain HTTP.
    let star = try curl(
      "-X PUT -H 'Authorization: Bearer \(Self.token)' -H 'Content-Type: application/json' "
        + "URL/api/v1/offers/ibotta:1/favorite")
    #expect(star.output.hasPrefix(#"{"changed":true"#))
    #expect(serving.end() == 0)
  }
}
