import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("offers user passphrase and offers token")
struct LoginCommandTests {
  private static func tokens(_ home: Home, _ words: String...) async throws -> [String] {
    let result = try await home.call(["token", "list", "--json"] + words)
    let document = try Home.parse(result.output)
    return (document["tokens"] as? [[String: Any]] ?? []).map {
      "\($0["user"] ?? "") \($0["name"] ?? "") \($0["scope"] ?? "")"
    }
  }

  @Test("a passphrase is read from standard input, and is in no file of the database")
  func passphrase() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect("user", "add", "ben")
    let text = "correct horse battery"
    #expect(
      try await home.call("user", "passphrase", input: text + "\n").output
        == "owner: passphrase set\n")
    #expect(
      try await home.call("user", "passphrase", "BEN", "--json", input: text + "\n").output
        == #"{"user":"ben","passphrase":true}"# + "\n")
    for name in try home.files
    where name.contains("sqlite") {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: home.folder.file(name)))
      #expect(bytes.firstRange(of: Data(text.utf8)) == nil)
    }
    #expect(
      try await home.call("user", "passphrase", "ben", "--remove").output
        == "ben: passphrase removed\n"
    )
  }

  @Test(
    "a weak passphrase and none are refused, with the reason",
    arguments: [
      ("\n", "No passphrase was given."), ("short\n", "at least 10 characters"),
      ("aaaaaaaaaaaaaaaa\n", "too weak"), ("ownerowner12\n", "too weak"),
      (String(repeating: "long words ", count: 100) + "\n", "more than 1024 bytes"),
    ])
  func weak(input: String, reason: String) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect(
      "user", "passphrase", status: 64, says: [reason], output: "", input: input)
  }

  @Test("a token is printed once, listed without its text, and revoked")
  func tokens() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect("user", "add", "ben", "--role", "viewer")
    let made = try await home.call("token", "add", "kitchen")
    #expect(made.output.hasPrefix("offers_"))
    #expect(made.output.count == 51)
    #expect(made.errors == "Keep it: it is not shown again.\n")
    let document = try await home.callDocument(
      "token", "add", "sync", "--scope", "sync", "--expires", "90d", "--user", "ben")
    #expect((document["token"] as? String)?.hasPrefix("offers_") == true)
    #expect(document["expires_at"] as? String != nil)
    #expect(try await Self.tokens(home) == ["owner kitchen read", "ben sync sync"])
    #expect(try await Self.tokens(home, "--user", "ben") == ["ben sync sync"])
    let list = try await home.call("token", "list").output
    #expect(list.hasPrefix("NAME     USER   SCOPE  EXPIRES"))
    #expect(!list.contains("offers_"))
    try await home.expect("token", "revoke", "sync", status: 66)
    #expect(
      try await home.call("token", "revoke", "sync", "--user", "ben").output == "sync: revoked\n")
    #expect(try await home.call("token", "revoke", "kitchen").output == "kitchen: revoked\n")
    #expect(
      try await home.call("token").errors
        == "There are no API tokens. Make one: offers token add NAME\n")
  }

  @Test("a token above its user's role tells so; a name that is taken or invalid is refused")
  func refusals() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect("user", "add", "ben", "--role", "viewer")
    let high = try await home.call("token", "add", "all", "--scope", "admin", "--user", "ben")
    #expect(
      high.errors.contains("ben is a viewer, so that the token gives the right “favorites” only"))
    for (words, reason) in [
      (["all", "--user", "ben"], "There is a token “all” already."),
      ([""], "is no name for a token"), (["x", "--scope", "root"], "There is no scope “root”"),
      (["x", "--expires", "soon"], "“soon”"),
    ] {
      try await home.expect(["token", "add"] + words, status: 64, says: [reason])
    }
    #expect(try await Self.tokens(home) == ["ben all admin"])
  }

  @Test("an export of all users has neither passphrases nor tokens, nor anything made from them")
  func exportsNoSecrets() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    try await home.expect("user", "add", "ben")
    let text = "correct horse battery"
    try await home.expect("user", "passphrase", "ben", input: text + "\n")
    let token = try await home.call("token", "add", "kitchen", "--user", "ben").output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let database = try await home.store.open()
    let session = [UInt8](repeating: 0xAB, count: 32)
    try await database.putSession(
      Session(
        id: session, user: User.ownerID, fingerprint: nil, createdAt: Date(), lastSeenAt: Date(),
        peer: "192.0.2.77", userAgent: "SecretBrowser"), on: .token)
    let users = try await database.fetchUsers()
    let ben = try #require(users.last)
    let passphrase = try #require(try await database.findPassphrase(of: ben.id))
    let export = try await home.call("export", "--all-users").output
    #expect(export.contains(#""name":"ben""#))
    for secret in [text, token, "192.0.2.77", "SecretBrowser", "kitchen"] {
      #expect(!export.contains(secret), "\(secret)")
    }
    for bytes in [passphrase.salt, passphrase.hash, session] {
      let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
      #expect(!export.lowercased().contains(hexadecimal))
      #expect(!export.contains(Data(bytes).base64EncodedString().prefix(12)))
    }
  }

  @Test("status and doctor tell of sessions, tokens and failed attempts, and warn of guessing")
  func logins() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    func logins() async throws -> [String: Int]? {
      (try await home.callDocument("status")["database"] as? [String: Any])?["logins"]
        as? [String: Int]
    }
    #expect(try await !home.call("status", "--verbose").output.contains("\nLogins "))
    #expect(try await !home.call("doctor").output.contains("  logins "))
    try await home.expect("token", "add", "kitchen")
    let database = try await home.store.open()
    // The second login removes the session that expired before it.
    for (number, seen) in [Date() - 31 * 86_400, Date()].enumerated() {
      try await database.putSession(
        Session(
          id: [UInt8](repeating: UInt8(number), count: 32), user: User.ownerID, fingerprint: nil,
          createdAt: seen, lastSeenAt: seen, peer: "", userAgent: ""), on: .token)
    }
    var attempts = LoginAttempts(network: "192.0.2.1")
    for _ in 0..<8 { attempts.fail(at: Date()) }
    var account = LoginAttempts(network: LoginAttempts.account("ben"))
    account.fail(at: Date())
    try await database.putAttempts([attempts, account], removing: [])
    let text = "1 session, 1 API token; 8 failed attempts in 24 hours, 1 network waits"
    #expect(try await home.call("status", "--verbose").output.contains("\nLogins    \(text)\n"))
    #expect(
      try await logins()
        == ["sessions": 1, "tokens": 1, "failed_attempts": 8, "waiting_networks": 1])
    let found = try await home.call("doctor").output
    #expect(found.contains(/\nok +logins +1 session, 1 API token; 8 failed/))
    for _ in 0..<97 { attempts.fail(at: Date()) }
    try await database.putAttempts([attempts], removing: [])
    #expect(
      try await home.call("doctor").output.contains(/\nwarning +logins +1 session.* → Look for/))
    try await home.expect("doctor")
  }
}
