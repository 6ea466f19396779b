import Foundation
import Hummingbird
import OffersCore
import OffersStore
import Synchronization
import Testing

@testable import OffersServer

@Suite("Every route for every kind of visitor")
struct AccessMatrixTests {
  /// The right that each route requires; nil for a route that needs no login.
  private static let routes: [String: Right?] = {
    let groups: [(right: Right?, names: [String])] = [
      (
        nil,
        [
          "GET /api/v1/health", "GET /api/v1/ready", "GET /assets/{name}", "GET /favicon.ico",
          "GET /login", "GET /login/oidc/callback", "GET /manifest.webmanifest",
          "GET /out/{secret}/{document}", "GET /pair",
          "POST /login", "POST /login/oidc", "POST /logout", "POST /pair",
        ]
      ),
      (
        .read,
        [
          "GET /", "GET /all", "GET /api/v1/changes", "GET /api/v1/events", "GET /api/v1/favorites",
          "GET /api/v1/feeds", "GET /api/v1/feeds/{name}", "GET /api/v1/hidings",
          "GET /api/v1/household",
          "GET /api/v1/images/{ref}", "GET /api/v1/news", "GET /api/v1/offers",
          "GET /api/v1/offers/{ref}", "GET /api/v1/offers/{ref}/history", "GET /api/v1/offline",
          "GET /api/v1/offline/offers", "GET /api/v1/openapi.json",
          "GET /api/v1/proposals/{number}/images/{index}", "GET /api/v1/push", "GET /api/v1/search",
          "GET /api/v1/searches", "GET /api/v1/sync", "GET /changes", "GET /favorites",
          "GET /feeds/{name}", "GET /household", "GET /map/**", "GET /notices", "GET /offers/{ref}",
          "GET /offline",
          "GET /search", "GET /settings", "GET /settings/about", "GET /settings/browser",
          "GET /settings/devices", "GET /settings/feeds", "GET /settings/hidden",
          "GET /settings/people", "GET /sw.js", "GET /watches",
          "GET /web", "GET /welcome",
        ]
      ),
      (
        .favorites,
        [
          "DELETE /api/v1/hidings", "POST /hidings", "PUT /api/v1/hidings",
          "DELETE /api/v1/offers/{ref}/favorite", "DELETE /api/v1/offers/{ref}/share",
          "DELETE /api/v1/push", "DELETE /api/v1/searches", "POST /api/v1/framing",
          "POST /api/v1/push", "POST /api/v1/push/test", "POST /identity",
          "POST /identity/remove", "POST /offers/{ref}/favorite", "POST /offers/{ref}/share",
          "POST /pairing", "POST /passphrase", "POST /searches/forget", "POST /sessions/{id}/end",
          "POST /sessions/end-others", "POST /tokens", "POST /tokens/{id}/revoke",
          "POST /watches", "POST /watches/{id}/pause", "POST /watches/{id}/remove",
          "PUT /api/v1/news/seen", "PUT /api/v1/notices/seen", "PUT /api/v1/offers/{ref}/favorite",
          "PUT /api/v1/offers/{ref}/share",
        ]
      ),
      (
        .sync,
        [
          "DELETE /api/v1/feeds/{name}/subscription", "GET /settings/add-feed",
          "POST /api/v1/feeds", "POST /api/v1/proposals", "POST /api/v1/sync", "POST /feeds/{name}",
          "POST /settings/add-feed", "POST /sync", "PUT /api/v1/feeds/{name}/subscription",
        ]
      ),
      (
        .admin,
        [
          "DELETE /api/v1/feeds/{name}/interval", "GET /users", "POST /users", "POST /users/{id}",
          "POST /users/{id}/log-out", "PUT /api/v1/feeds/{name}/interval",
        ]
      ),
    ]
    return Dictionary(
      uniqueKeysWithValues: groups.flatMap { group in group.names.map { ($0, group.right) } })
  }()

  /// The routes that an API token may not use, whatever its scope.
  private static let sessionOnly: Set<String> = [
    "POST /identity", "POST /identity/remove", "POST /pairing", "POST /passphrase",
    "POST /sessions/{id}/end", "POST /sessions/end-others", "POST /tokens",
    "POST /tokens/{id}/revoke",
  ]

  /// A kind of visitor: the fields that show it, and its right; nil for one who is refused.
  private struct Kind {
    let name: String
    let fields: HTTPFields
    let right: Right?
    var isToken = false
  }

  /// The texts that only answers to Otto may contain.
  private static let secrets = ["Ottokar", "Ottos Suche", "otto-token", "Browser of Ottokar"]

  private static func home(_ clock: SteppedClock) async throws -> (ServedHome, [Kind]) {
    let home = try await ServedHome()
    let now = clock.now
    let database = home.database
    let owner = try await database.fetchOwner()
    let viewer = try await home.addUser("Vera", .viewer)
    let member = try await home.addUser("Max", .member)
    let admin = try await home.addUser("Ada", .admin)
    let other = try await home.addUser("Ottokar", .member)
    let others = database.bound(to: other)
    _ = try await others.setFavorites(named: ["ibotta:900117", "ibotta:900118"], to: true)
    try await others.noteSearch(RecentSearch(words: "Ottos Suche", searchedAt: now))
    _ = try await home.cookie(of: other, at: now)
    _ = try await home.bearer(of: other, .admin, named: "otto-token", at: now)
    let revoked = try await home.cookie(of: member, at: now)
    let value = String(revoked.dropFirst("offers-session=".count))
    try await database.endSessions([try SessionCookie.sessionID(of: value)])
    let gone = try await home.addUser("Gonzo", .admin)
    let removed = try await home.cookie(of: gone, at: now)
    try await database.removeUser(gone.id)
    func session(_ name: String, _ user: User, _ right: Right) async throws -> Kind {
      Kind(name: name, fields: [.cookie: try await home.cookie(of: user, at: now)], right: right)
    }
    func token(
      _ name: String, _ user: User, _ scope: Right, _ right: Right?, expiresAt: Date? = nil
    ) async throws -> Kind {
      let field = try await home.bearer(
        of: user, scope, named: name, at: now, expiresAt: expiresAt)
      return Kind(name: name, fields: [.authorization: field], right: right, isToken: true)
    }
    return (
      home,
      [
        Kind(name: "nobody", fields: [:], right: nil),
        try await session("viewer", viewer, .favorites),
        try await session("member", member, .sync),
        try await session("admin", admin, .admin),
        try await session("owner", owner, .admin),
        Kind(name: "revoked session", fields: [.cookie: revoked], right: nil),
        Kind(name: "removed user", fields: [.cookie: removed], right: nil),
        try await token("read token of an admin", admin, .read, .read),
        try await token("admin token of a viewer", viewer, .admin, .favorites),
        try await token("expired token", admin, .admin, nil, expiresAt: now + 1),
        Kind(
          name: "forged token", fields: [.authorization: "Bearer \(try APITokenText.make())"],
          right: nil),
      ]
    )
  }

  /// The path of a route, with values for its parameters.
  private static func path(_ template: String) -> String {
    let values = [
      "{ref}": "ibotta:900117", "/feeds/{name}": "/feeds/ibotta", "{name}": "styles.css",
      "{number}": "1", "{index}": "0", "{id}": "999999", "**": "x.js",
    ]
    // The longer patterns first, so that the name of a feed is not that of an asset.
    return values.keys.sorted { $0.count > $1.count }.reduce(template) { path, name in
      path.replacingOccurrences(of: name, with: values[name] ?? "")
    }
  }

  @Test("a route answers those with its right, and nobody else; no answer has another user's data")
  func matrix() async throws {
    let clock = SteppedClock()
    let (home, kinds) = try await Self.home(clock)
    let server = try home.server(clock: clock)
    let names = server.responder().routes.names
    #expect(Set(names) == Set(Self.routes.keys))
    for name in names where name != "GET /api/v1/events" {
      let parts = name.split(separator: " ").map(String.init)
      let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
      let required = Self.routes[name] ?? nil
      for kind in kinds {
        // The waits after forged tokens pass.
        clock.advance(by: 3601)
        // A logout would end the session, and the routes behind it be refused.
        var fields = name == "POST /logout" ? [:] : kind.fields
        let isAPI = parts[1].hasPrefix("/api/")
        if method != .get {
          fields.append(contentsOf: isAPI ? [.contentType: "application/json"] : ServedHome.form)
        }
        let query = name.contains("/search ") || parts[1].hasSuffix("/search") ? "?q=sauce" : ""
        let refs = parts[1].hasSuffix("/offline/offers") ? "?refs=ibotta:900117" : ""
        let sent = fields
        // A server of its own for each answer, so that what one changes does not change the next.
        let answer = try await home.client(server).send(
          method, Self.path(parts[1]) + query + refs, headers: sent,
          body: method == .get ? nil : isAPI ? "{}" : "subscribed=1")
        let place = "\(name) by \(kind.name): \(answer.status)"
        #expect(answer.status < 500 || name.contains("images"), "\(place)")
        if let required {
          if kind.right == nil {
            #expect(answer.status == 401, "\(place)")
          } else if let right = kind.right, right < required {
            #expect(answer.status == 403, "\(place)")
          } else if kind.isToken, Self.sessionOnly.contains(name) {
            #expect(answer.status == 403, "\(place)")
          } else {
            #expect(![401, 403].contains(answer.status), "\(place)")
          }
        }
        // The page of users, which a form with a mistake gets as well, names all users to an admin.
        let isOfUsers = kind.right == .admin && name.hasSuffix(" /users")
        for secret in Self.secrets where !isOfUsers {
          #expect(!answer.text.contains(secret), "\(place)")
        }
      }
    }
    // Nobody has changed what is Otto's.
    let database = home.database.bound(to: try await home.database.fetchUser(named: "Ottokar"))
    #expect(try await database.countOffers(OfferQuery(favoritesOnly: true)) == 2)
  }

  /// A change of the access of a user while the body of their request is on its way.
  private enum Ending: String, CaseIterable {
    case logout, revocation, demotion, removal, passphrase

    var usesToken: Bool { self == .revocation }
    /// The status of the answer, for a user who is an admin no more.
    var status: Int { self == .demotion ? 403 : 401 }

    func happen(to user: User, in database: OffersDatabase) async throws {
      switch self {
      case .logout:
        try await database.endSessions(
          try await database.fetchSessions().filter { $0.user == user.id }.map(\.id))
      case .revocation:
        for token in try await database.fetchTokens(of: user.id) {
          try await database.revokeToken(token.id)
        }
      case .demotion: try await database.changeUser(user.id, name: nil, role: .viewer)
      case .removal: try await database.removeUser(user.id)
      case .passphrase: try await database.setPassphrase(nil, of: user.id, keeping: nil)
      }
    }
  }

  @Test("what has ended while a body was on its way lets no route change anything")
  func lateBodies() async throws {
    let clock = SteppedClock()
    let home = try await ServedHome()
    let server = try home.server(clock: clock)
    let eve = try await home.addUser("Eve", .member)
    let bodies = [
      "/tokens": "name=made&scope=read&days=30", "/users": "name=Mallory&role=admin",
      "/users/{id}": "role=admin", "/offers/{ref}/favorite": "favorite=1",
      "/offers/{ref}/share": "share=1",
      "/passphrase": "new=seven+green+trams&again=seven+green+trams",
    ]
    var count = 0
    for name in server.responder().routes.names where !name.hasPrefix("GET ") {
      guard let required = Self.routes[name] ?? nil else { continue }
      let parts = name.split(separator: " ").map(String.init)
      let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
      let isAPI = parts[1].hasPrefix("/api/")
      for ending in Ending.allCases {
        if ending == .demotion, required == .favorites { continue }
        // The waits after revoked tokens pass.
        clock.advance(by: 3601)
        count += 1
        let user = try await home.database.addUser(named: "Admin \(count)", role: .admin)
        let isToken = ending.usesToken
        var fields: HTTPFields = isAPI ? [.contentType: "application/json"] : ServedHome.form
        fields[isToken ? .authorization : .cookie] =
          isToken
          ? try await home.bearer(of: user, .admin, named: "late", at: clock.now)
          : try await home.cookie(of: user, at: clock.now)
        let sent = fields
        let hasCome = Mutex(false)
        let answer = try await home.client(server).send(
          method,
          Self.path(parts[1]).replacingOccurrences(of: "/users/999999", with: "/users/\(eve.id)"),
          headers: sent, body: isAPI ? "{}" : bodies[parts[1]] ?? "subscribed=1"
        ) {
          hasCome.withLock { $0 = true }
          await #expect(throws: Never.self) {
            try await ending.happen(to: user, in: home.database)
          }
        }
        #expect(hasCome.withLock { $0 }, "\(name) \(ending)")
        #expect(answer.status == ending.status, "\(name) after \(ending): \(answer.status)")
      }
    }
    let users = try await home.database.fetchUsers()
    #expect(!users.contains { $0.name == "Mallory" })
    #expect(users.first { $0.id == eve.id }?.role == .member)
    #expect(try await home.database.fetchTokens(of: nil).allSatisfy { $0.name == "late" })
    #expect(try await home.database.countHousehold() == 0)
    #expect(try await home.database.fetchUsersWithPassphrase() == [eve.id])
  }

  @Test("a star is in the answers to its user only, be they cached or not")
  func cached() async throws {
    let clock = SteppedClock()
    let home = try await ServedHome()
    let (his, hers) = (
      try await home.cookie(ofNew: "Max", .member, at: clock.now),
      try await home.cookie(ofNew: "Vera", .member, at: clock.now)
    )
    let client = try home.client(home.server(clock: clock))
    let star = try await client.by(his).write(.put, "offers/ibotta:900117/favorite", "{}")
    #expect(star.status == 200)
    var tags: Set<String> = []
    for _ in 0..<2 {
      for (cookie, count) in [(his, 1), (hers, 0)] {
        let list = try await client.by(cookie).get("favorites")
        #expect(try #require(try list.object["favorites"] as? [String]).count == count)
        tags.insert(try #require(list.headers[.eTag]))
        let page = try await client.by(cookie).get("/favorites")
        #expect(page.text.contains("900117") == (count == 1))
        // A tag of one user gives the other no 304.
        let offer = try await client.by(cookie).get("offers/ibotta:900117")
        #expect(try offer.object["favorite"] as? Bool == (count == 1))
        let tag = try #require(offer.headers[.eTag])
        let other = try await client.get(
          "offers/ibotta:900117",
          headers: [.cookie: cookie == his ? hers : his, .ifNoneMatch: tag])
        #expect(other.status == 200)
      }
    }
    #expect(tags.count == 2)
  }

  @Test("a slash at the end of a path, which the router ignores, changes no right")
  func slashes() async throws {
    let clock = SteppedClock()
    let (home, kinds) = try await Self.home(clock)
    let reader = try #require(kinds.first { $0.name == "read token of an admin" })
    let client = try home.client(home.server(clock: clock))
    for (name, required) in Self.routes where required.map({ $0 > .read }) == true {
      let parts = name.split(separator: " ").map(String.init)
      let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
      var fields = reader.fields
      let isAPI = parts[1].hasPrefix("/api/")
      if method != .get {
        fields.append(contentsOf: isAPI ? [.contentType: "application/json"] : ServedHome.form)
      }
      let answer = try await client.send(
        method, Self.path(parts[1]) + "/", headers: fields, body: method == .get ? nil : "")
      #expect(answer.status == 403, "\(name)/: \(answer.status)")
    }
  }
}
