import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OffersCore
import Synchronization

/// Decides whom a request is from, and keeps the sessions of browsers.
struct VisitorAuthentication: Sendable {
  /// The interval at which the time of a session's or a token's last use is stored, in seconds.
  static let noteSeconds = APIToken.noteSeconds

  /// Whether browsers reach the server by https only.
  let isSecure: Bool
  let cookie: SessionCookie
  let attempts: LoginGuard
  /// The codes with which phones log in.
  let pairings: PairingCodes
  let users: UserList
  /// The OpenID provider at which people log in; nil for none.
  let provider: OpenIDProvider?
  let passphrases: PassphraseHasher
  /// The browsers and networks from which users have logged in.
  let browsers: KnownBrowsers
  /// Whether other machines can reach the server.
  private let isOpenToOthers: Bool
  /// The field in which trusted proxies name the user of a request; nil for none.
  private let userHeader: UserHeader?
  private let proxies: TrustedProxies
  private let tokens: TokenFile?
  let store: any ServerDependencies.Store
  let now: @Sendable () -> Date
  private let logger: Logger
  private let memory = Memory()

  /// The state that the gate keeps in memory between requests.
  private final class Memory: Sendable {
    /// The version of the token whose foreign sessions were removed.
    let sweptVersion = Mutex(0)
    /// The version whose sweep has failed, which is logged once.
    let failedVersion = Mutex(0)
    /// When the last use of a session or a token was noted, by the SHA-256 of its secret. So a slow
    /// database does not gather a write for each request.
    let notedAt = Mutex<[[UInt8]: Date]>([:])
  }

  /// - Parameters:
  ///   - access: the token file, with which the owner is known, and the trusted proxies.
  ///   - basePath: the path below which browsers send cookies.
  ///   - pairings: the codes with which phones log in.
  ///   - isOpenToOthers: whether other machines can reach the server.
  ///   - content: the store of users, sessions and attempts, and the clock.
  ///   - logger: is told of refused attempts and of changes of the token.
  init(
    _ access: ServerAccess, basePath: BasePath, pairings: PairingCodes, isOpenToOthers: Bool,
    content: ServerDependencies, logger: Logger
  ) {
    isSecure = access.isSecure
    passphrases = PassphraseHasher(cost: access.passphraseCost)
    let cookies = CookieScope(isSecure: access.isSecure, basePath: basePath)
    browsers = KnownBrowsers(content.store, cookies: cookies)
    cookie = SessionCookie(scope: cookies)
    provider = access.openID.map {
      OpenIDProvider($0, keys: content.store, cookies: cookies, now: content.now)
    }
    userHeader = access.userHeader
    proxies = access.proxies
    self.pairings = pairings
    self.isOpenToOthers = isOpenToOthers
    attempts = LoginGuard(content.store, now: content.now, logger: logger)
    users = UserList(content.store)
    tokens = access.token
    store = content.store
    now = content.now
    self.logger = logger
  }

  /// Whether a token file is used.
  var hasTokenFile: Bool { tokens != nil }

  /// Whether requests must show whom they are from: on a server that other machines can reach or
  /// that has a token, and as soon as there is a user besides the owner.
  ///
  /// - Throws: `OffersError` if the users cannot be read.
  func requiresLogin() async throws -> Bool {
    if requiresLoginOfAll { return true }
    return try await users.fetch().areSeveral
  }

  /// Whether a login is required whoever the users are.
  private var requiresLoginOfAll: Bool {
    isOpenToOthers || tokens != nil || userHeader != nil
  }

  /// Finds out whom a request is from: by a bearer token, or else by the cookie of a session. The
  /// cookie does not count in a request with a bearer token. A field `Authorization` of another
  /// scheme is left to a proxy that asks for a password. A trusted proxy that names the user comes before both.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - client: the client's address.
  ///   - peer: the other end of the connection.
  /// - Returns: nil for a stranger.
  /// - Throws: `Problem` with status 403 for a user that only the proxy knows, with status 401 or 429 for
  ///   a wrong bearer token, with 503 for one that may be that of the token file while that cannot be
  ///   used; `OffersError` if the store cannot be read.
  func findVisitor(
    of request: Request, from client: Peer, by peer: Peer
  ) async throws -> Visitor? {
    let version = await currentVersion()
    let users = try await users.fetch()
    guard requiresLoginOfAll || users.areSeveral else {
      return Visitor(users.owner, .thisMachine)
    }
    if let userHeader, proxies.contains(peer),
      let name = try userHeader.user(in: request.headers)
    {
      guard let user = users.find(exactly: name) else {
        throw Problem(
          .forbidden, "There is no user “\(name.prefix(80))” here.",
          hint: "The name must be that of the proxy, byte by byte. On the server's machine: "
            + "offers user add NAME", code: .notFound)
      }
      return Visitor(user, .proxy, hasHousehold: users.areSeveral)
    }
    if let shown = request.bearerToken {
      let visitor = try await findVisitor(showing: shown, version, users)
      guard let visitor else {
        if tokens != nil, version == nil { throw Self.unavailable }
        throw Self.refusal(wait: await attempts.fail(client))
      }
      await attempts.succeed(client)
      return visitor
    }
    return try await findSession(of: request, version).flatMap { session in
      users.find(session.user).map {
        Visitor($0, .session(session), hasHousehold: users.areSeveral)
      }
    }
  }

  private func findVisitor(
    showing shown: String, _ version: TokenFile.Version?, _ users: UserList.Users
  ) async throws -> Visitor? {
    if let version, try version.token.isToken(shown) {
      return Visitor(
        users.owner, .tokenFile(version: version.number), hasHousehold: users.areSeveral)
    }
    guard APITokenText.isToken(shown) else { return nil }
    let hash = try APITokenText.hash(of: shown)
    guard let token = try await store.findToken(hash: hash), !token.isExpired(at: now()),
      let user = users.find(token.user)
    else { return nil }
    return Visitor(user, .apiToken(token, hash: hash), hasHousehold: users.areSeveral)
  }

  /// Whether a visitor would still be known, with the same right.
  ///
  /// - Throws: `OffersError` if the store cannot be read.
  func isWelcome(_ visitor: Visitor) async throws -> Bool {
    let users = try await users.fetch()
    guard let user = users.find(visitor.user.id), user.role == visitor.user.role else {
      return false
    }
    switch visitor.proof {
    case .thisMachine: return !requiresLoginOfAll && !users.areSeveral
    case .terminal, .proxy: return true
    case .tokenFile(let number): return await currentVersion()?.number == number
    case .apiToken(_, let hash):
      return try await store.findToken(hash: hash).map { !$0.isExpired(at: now()) } ?? false
    case .session(let session):
      let version = await currentVersion()
      return try await store.findSession(session.id).map { try isValid($0, version) } ?? false
    }
  }

  /// The valid session whose cookie a request has; nil if there is none.
  func findSession(of request: Request) async throws -> Session? {
    try await findSession(of: request, await currentVersion())
  }

  /// The user of the session whose cookie has a value; nil if there is none.
  func findUser(showing value: String) async throws -> User? {
    guard let session = try await store.findSession(try SessionCookie.sessionID(of: value)) else {
      return nil
    }
    return try await users.fetch().find(session.user)
  }

  /// Ends the sessions of all cookies of a request.
  func endSessions(of request: Request) async throws {
    try await store.endSessions(
      cookie.values(in: request.headers).map(SessionCookie.sessionID(of:)))
  }

  func findSession(of request: Request, _ version: TokenFile.Version?) async throws -> Session? {
    for value in cookie.values(in: request.headers) {
      if let session = try await store.findSession(try SessionCookie.sessionID(of: value)),
        try isValid(session, version)
      {
        return session
      }
    }
    return nil
  }

  /// Whether a stored session is valid: it has not expired, and the token with which it began has
  /// not changed.
  private func isValid(_ session: Session, _ version: TokenFile.Version?) throws -> Bool {
    if session.isExpired(at: now()) { return false }
    if session.fingerprint == nil { return true }
    return try version?.token.hasMade(session) ?? false
  }

  /// The token of the token file that is valid now; nil without a file, or while it cannot be used.
  /// Sessions that were made with another one are removed when a change is noticed, so that they
  /// stay ended if the other token returns.
  func currentVersion() async -> TokenFile.Version? {
    guard let version = tokens?.current(now: now(), logger: logger) else { return nil }
    // Only the first request that sees a new version removes the sessions of other tokens, because that
    // write may have to wait for another process. The other requests continue without waiting.
    let isChosen = memory.sweptVersion.withLock { swept in
      defer { swept = version.number }
      return swept != version.number
    }
    guard isChosen else { return version }
    do {
      let foreign = try await store.fetchSessions().filter {
        try $0.fingerprint != nil && !version.token.hasMade($0)
      }
      try await store.endSessions(foreign.map(\.id))
    } catch {
      // These sessions are not valid anyway. The next request tries again.
      memory.sweptVersion.withLock { $0 = 0 }
      let isFirst = memory.failedVersion.withLock { failed in
        defer { failed = version.number }
        return failed != version.number
      }
      if isFirst {
        logger.error(
          "sessions of the previous token not removed", metadata: ["error": "\(error)"])
      }
    }
    return version
  }

  /// Notes that a session or an API token was used, every ten minutes.
  ///
  /// - Parameters:
  ///   - visitor: the visitor of the request.
  ///   - request: the request, which has the session's cookie.
  /// - Returns: the `Set-Cookie` field by which the browser keeps the cookie for as long as the
  ///   session lasts; nil if no session was noted.
  /// - Throws: `OffersError` if libcrypto fails.
  func note(_ visitor: Visitor, _ request: Request) throws -> String? {
    let now = now()
    switch visitor.proof {
    case .apiToken(let token, let hash):
      if isDue(hash, lastNotedAt: token.lastUsedAt, now) { store.noteToken(token.id, usedAt: now) }
      return nil
    case .session(let session):
      guard isDue(session.id, lastNotedAt: session.lastSeenAt, now),
        let value = try cookie.values(in: request.headers).first(where: {
          try SessionCookie.sessionID(of: $0) == session.id
        })
      else { return nil }
      store.noteSession(session.id, seenAt: now)
      return cookie.setting(value)
    case .thisMachine, .terminal, .proxy, .tokenFile: return nil
    }
  }

  private func isDue(_ key: [UInt8], lastNotedAt: Date?, _ now: Date) -> Bool {
    if let lastNotedAt, now.timeIntervalSince(lastNotedAt) < Self.noteSeconds { return false }
    return memory.notedAt.withLock { notedAt in
      if let last = notedAt[key], abs(now.timeIntervalSince(last)) < Self.noteSeconds {
        return false
      }
      if notedAt.count >= Self.mostNoted { notedAt = [:] }
      notedAt[key] = now
      return true
    }
  }

  private static let mostNoted = 10_000

  /// The valid sessions of a user, the last seen one first.
  ///
  /// - Throws: `OffersError` if they cannot be read.
  func fetchSessions(of user: User.ID) async throws -> [Session] {
    let version = await currentVersion()
    return try await store.fetchSessions().filter { try $0.user == user && isValid($0, version) }
  }

  /// Ends sessions.
  ///
  /// - Throws: `OffersError` if the database cannot be written.
  func end(_ sessions: [Session]) async throws {
    try await store.endSessions(sessions.map(\.id))
  }

  /// Writes what is in memory only.
  func close() async { await attempts.close() }
}
