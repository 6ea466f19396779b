import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The settings of an OpenID provider")
struct OpenIDSettingsTests {
  private func settings(
    _ issuer: String = "https://login.example", id: String = "offers", secretFile: String? = nil
  ) throws -> OpenIDSettings {
    try OpenIDSettings(
      issuer: issuer, clientID: id, secretFile: secretFile,
      transport: ScriptedProvider(SteppedClock()))
  }

  @Test(
    "an https URL, or an http URL of this machine, is an issuer",
    arguments: [
      ("https://login.example", "login.example", "https://login.example"),
      ("https://a.example/realms/home/", "a.example", "https://a.example/realms/home"),
      ("http://127.0.0.1:8000/o", "127.0.0.1:8000", "http://127.0.0.1:8000/o"),
      ("http://[::1]:8000", "[::1]:8000", "http://[::1]:8000"),
      ("http://localhost", "localhost", "http://localhost"),
    ])
  func issuers(text: String, host: String, base: String) throws {
    let settings = try settings(text)
    #expect(settings.issuer == text)
    #expect(settings.host == host)
    #expect(settings.discoveryURL == base + "/.well-known/openid-configuration")
  }

  @Test(
    "other issuers are refused",
    arguments: [
      "", "login.example", "http://login.example", "ftp://login.example", "https://",
      "https://login.example?x=1", "https://login.example#x", "https://user@login.example",
      "http://127.0.0.1.evil.example", "https://login.example/\u{e9}", "https://a b",
      "https://login.example/" + String(repeating: "a", count: 1024),
    ])
  func refusedIssuers(text: String) {
    let error = #expect(throws: OffersError.self) { try settings(text) }
    #expect(error?.code == .invalidRequest)
  }

  @Test(
    "requests to a provider go by https, to one on this machine also by http",
    arguments: [
      ("https://login.example/token", true, true), ("http://127.0.0.1:8000/token", false, true),
      ("http://localhost/token", false, true), ("http://[::1]/token", false, true),
      ("http://login.example/token", false, false), ("http://10.0.0.5/token", false, false),
      ("http://127.0.0.1.evil.example/token", false, false),
      ("http://localhost@evil.example/token", false, false),
      ("HTTP://login.example/token", false, false), ("ftp://127.0.0.1/token", false, false),
    ])
  func endpoints(url: String, isAllowed: Bool, isAllowedHere: Bool) {
    #expect(ProviderURL.isAllowed(url, mayBeLoopback: false) == isAllowed)
    #expect(ProviderURL.isAllowed(url, mayBeLoopback: true) == isAllowedHere)
  }

  @Test("a client id is one line of printable ASCII", arguments: ["", "a\nb", "\u{e9}"])
  func refusedIDs(id: String) {
    let error = #expect(throws: OffersError.self) { try settings(id: id) }
    #expect(error?.code == .invalidRequest)
  }

  @Test("the secret is read from a file that only its owner can read")
  func secrets() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("s3cret\n", to: "secret")
    func setMode(_ mode: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    try setMode(0o600)
    #expect(try settings(secretFile: path).secret == "s3cret")
    try setMode(0o640)
    let open = #expect(throws: OffersError.self) { try settings(secretFile: path) }
    #expect(open?.message.contains("may read the client secret") == true)
    try setMode(0o600)
    for text in ["", "\n", "two\nlines", "\u{e9}", String(repeating: "a", count: 1025)] {
      _ = try folder.write(text, to: "secret")
      try setMode(0o600)
      let error = #expect(throws: OffersError.self) { try settings(secretFile: path) }
      #expect(error?.code == .invalidRequest, "\(text.prefix(10))")
      #expect(error?.message.contains("s3cret") == false)
    }
    let missing = #expect(throws: OffersError.self) {
      try settings(secretFile: folder.file("none"))
    }
    #expect(missing?.code == .notFound)
  }
}
