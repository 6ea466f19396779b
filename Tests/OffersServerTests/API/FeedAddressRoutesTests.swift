import Foundation
import HTTPTypes
import OffersCore
import OffersFeeds
import OffersStore
import Testing

@testable import OffersServer

@Suite("Addresses of feeds")
struct FeedAddressRoutesTests {
  /// Adds an address of a user, and returns its secret.
  private static func publish(
    _ subject: FeedAddress.Subject, _ store: OffersDatabase
  ) async throws -> (secret: String, id: FeedAddress.ID) {
    let secret = try APITokenText.randomText()
    let address = try await store.addFeedAddress(of: subject, hash: APITokenText.hash(of: secret))
    return (secret, address.id)
  }

  @Test("the documents are read without a login, with a tag, below a base path, until revoked")
  func documents() async throws {
    let home = try await ServedHome()
    try await home.addUser("Ada", .admin)
    let (secret, id) = try await Self.publish(.feed("ibotta"), home.database)
    let client = try home.client(home.server(isBehindTLS: true, basePath: "/offers"))
    for (name, type) in [
      ("changes.atom", "application/atom+xml; charset=utf-8"),
      ("changes.json", "application/feed+json; charset=utf-8"),
      ("expiries.ics", "text/calendar; charset=utf-8"),
    ] {
      let path = "/offers/out/\(secret)/\(name)"
      let answer = try await client.get(path)
      #expect(answer.status == 200, "\(name): \(answer.text)")
      #expect(answer.headers[.contentType] == type)
      #expect(answer.headers[.cacheControl] == "private, no-cache")
      if name != "expiries.ics" {
        #expect(answer.text.contains("https://localhost\(path)"), "\(answer.text)")
      }
      let tag = try #require(answer.headers[.eTag])
      let same = try await client.get(path, headers: [.ifNoneMatch: tag])
      #expect(same.status == 304)
    }
    // The secret opens nothing else.
    #expect(try await client.bearing(secret).get("/offers/api/v1/offers").status == 401)
    #expect(try await client.get("/offers/out/\(secret)/offers.json").status == 404)
    try await home.database.removeFeedAddress(id)
    #expect(try await client.get("/offers/out/\(secret)/changes.atom").status == 404)
  }

  @Test("unknown addresses are refused, and after some of them with a wait that spares right ones")
  func guesses() async throws {
    let home = try await ServedHome()
    let clock = SteppedClock()
    let (secret, _) = try await Self.publish(.news, home.database)
    let client = try home.client(home.server(clock: clock))
    var statuses: [Int] = []
    for _ in 0..<6 {
      let guess = try APITokenText.randomText()
      statuses.append(try await client.get("/out/\(guess)/changes.atom").status)
    }
    #expect(statuses.first == 404 && statuses.last == 429)
    #expect(try await client.get("/out/\(secret)/changes.atom").status == 200)
    // They count apart from logins.
    try await home.addUser("Ada", .admin)
    let login = try await client.form(
      "/login", "name=ada&passphrase=\(PercentCode.encode(ServedHome.passphrase))")
    #expect(login.status == 303)
  }

  @Test("an address of a watch that was removed is gone, and those of a removed user are unknown")
  func gone() async throws {
    let home = try await ServedHome()
    let ben = try await home.addUser("Ben", .member)
    let store = home.database.bound(to: ben)
    let watch = try await store.putWatch(
      WatchDraft(selection: "sauce", FilterTextParser()), FilterTextParser())
    let (secret, _) = try await Self.publish(.watch(watch.id), store)
    let client = try home.client()
    #expect(try await client.get("/out/\(secret)/expiries.ics").status == 200)
    await #expect(throws: OffersError.self) {
      _ = try await Self.publish(.watch(watch.id), home.database)
    }
    try await store.removeWatch(watch.id)
    #expect(try await client.get("/out/\(secret)/changes.atom").status == 410)
    try await home.database.removeUser(ben.id)
    #expect(try await client.get("/out/\(secret)/changes.atom").status == 404)
  }

  @Test("no log has the secret of an address")
  func log() async throws {
    let home = try await ServedHome()
    let log = RecordedLog()
    let (secret, _) = try await Self.publish(.news, home.database)
    let client = try home.client(home.server(log: log, logsRequests: true, basePath: "/offers"))
    for path in [
      "/out/\(secret)/changes.atom", "/offers/out/\(secret)/changes.json", "/out/\(secret)",
      "/offers/out/\(secret)/more/x", "/out//\(secret)/changes.atom",
    ] {
      _ = try await client.get(path)
    }
    #expect(log.lines.contains { $0.contains("path=/offers/out/…/changes.json") })
    #expect(!log.lines.contains { $0.contains(secret) })
  }
}
