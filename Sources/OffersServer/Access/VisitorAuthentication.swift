import Foundation
import Hummingbird
import Logging
import OffersCore
import OffersStore
import Synchronization

/// Decides whom a request is from, and keeps the sessions of browsers.
final class VisitorAuthentication: Sendable {
  let settings: ServerAccess
  /// The cookie of sessions.
  let cookie: ServedCookie
  let attempts: LoginGuard
  /// The codes with which phones log in.
  let pairings: PairingCodes
  let users: UserList
  let provider: OpenIDProvider?
  let passphrases: PassphraseHasher
  /// The browsers and networks from which users have logged in.
  let browsers: KnownBrowsers
  /// Whether other machines can reach the server.
  private let isOpenToOthers: Bool
  let store: OffersDatabase
  let now: @Sendable () -> Date
  private let logger: Logger
  /// The version of the token whose foreign sessions were removed.
  private let sweptVersion = Mutex(0)
  /// The version whose sweep has failed, which is logged once.
  private let failedVersion = Mutex(0)
  /// When the last use of a session or a token was noted, by the SHA-256 of its secret. So a slow
  /// database does not gather a write for each request.
  private let notedAt = Mutex<[[UInt8]: Date]>([:])

  init(
    _ access: ServerAccess, basePath: BasePath, pairings: PairingCodes, isOpenToOthers: Bool,
    content: ServerDependencies, logger: Logger
  ) {
    settings = access
    passphrases = PassphraseHasher(cost: access.passphraseCost)
    let cookies = CookieScope(isSecure: access.isSecure, basePath: basePath)
    browsers = KnownBrowsers(content.store, cookies: cookies)
    cookie = cookies.cookie(SessionCookie.name)
    provider = access.openID.map {
      OpenIDProvider($0, keys: content.store, cookies: cookies, now: content.now)
    }
    self.pairings = pairings
    self.isOpenToOthers = isOpenToOthers
    attempts = LoginGuard(content.store, now: content.now, logger: logger)
    users = UserList(content.store)
    store = content.store
    now = content.now
    self.logger = logger
  }

  /// Whether requests must show whom they are from: on a server that other machines can reach or
  /// that has a token, and as soon as there is a user besides the owner.
  func requiresLogin() async throws -> Bool {
    if requiresLoginOfAll { return true }
    return try await users.fetch().areSeveral
  }

  /// Whether a login is required whoever the users are.
  private var requiresLoginOfAll: Bool {
    isOpenToOthers || settings.token != nil || settings.userHeader != nil
  }

  /// Finds out whom a request is from: by a bearer token, or else by the cookie of a session. The
  /// cookie does not count in a request with a bearer token. A field `Authorization` of another
  /// scheme is left to a proxy that asks for a password. A trusted proxy that names the user comes before both.
  ///
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
    if let userHeader = settings.userHeader, settings.proxies.contains(peer),
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
        if settings.token != nil, version == nil { throw Self.unavailable }
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

  /// The values of the cookies of sessions of a request.
  func sessionCookies(of request: Request) -> [String] {
    cookie.values(in: request.headers, of: SessionCookie.sizes)
  }

  /// Ends the sessions of all cookies of a request.
  func endSessions(of request: Request) async throws {
    try await store.endSessions(
      sessionCookies(of: request).map(SessionCookie.sessionID(of:)))
  }

  func findSession(of request: Request, _ version: TokenFile.Version?) async throws -> Session? {
    for value in sessionCookies(of: request) {
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
    guard let version = settings.token?.current(now: now(), logger: logger) else { return nil }
    // Only the first request that sees a new version removes the sessions of other tokens, because that
    // write may have to wait for another process. The other requests continue without waiting.
    let isChosen = sweptVersion.withLock { swept in
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
      sweptVersion.withLock { $0 = 0 }
      let isFirst = failedVersion.withLock { failed in
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
  /// - Returns: the `Set-Cookie` field by which the browser keeps the cookie for as long as the
  ///   session lasts; nil if no session was noted.
  func note(_ visitor: Visitor, _ request: Request) throws -> String? {
    let now = now()
    switch visitor.proof {
    case .apiToken(let token, let hash):
      if isDue(hash, lastNotedAt: token.lastUsedAt, now) { store.noteToken(token.id, usedAt: now) }
      return nil
    case .session(let session):
      guard isDue(session.id, lastNotedAt: session.lastSeenAt, now),
        let value = try sessionCookies(of: request).first(where: {
          try SessionCookie.sessionID(of: $0) == session.id
        })
      else { return nil }
      store.noteSession(session.id, seenAt: now)
      return cookie.setting(value, seconds: SessionCookie.seconds)
    case .thisMachine, .terminal, .proxy, .tokenFile: return nil
    }
  }

  private func isDue(_ key: [UInt8], lastNotedAt: Date?, _ now: Date) -> Bool {
    if let lastNotedAt, now.timeIntervalSince(lastNotedAt) < APIToken.noteSeconds { return false }
    return notedAt.withLock { notedAt in
      if let last = notedAt[key], abs(now.timeIntervalSince(last)) < APIToken.noteSeconds {
        return false
      }
      if notedAt.count >= Self.mostNoted { notedAt = [:] }
      notedAt[key] = now
      return true
    }
  }

  private static let mostNoted = 10_000

  /// The valid sessions of a user, the last seen one first.
  func fetchSessions(of user: User.ID) async throws -> [Session] {
    let version = await currentVersion()
    return try await store.fetchSessions().filter { try $0.user == user && isValid($0, version) }
  }

  func end(_ sessions: [Session]) async throws {
    try await store.endSessions(sessions.map(\.id))
  }

  /// Writes what is in memory only.
  func close() async { await attempts.close() }
}

/// The ways in which browsers log in.
extension VisitorAuthentication {
  enum Login {
    /// The `Set-Cookie` fields of the new session.
    case session(cookies: [String])
    case refused(Refusal)
    /// The token, passphrase or code was not looked at, because of a wait of this many seconds.
    case waiting(Int)

    enum Refusal { case wrong, usedCode, expiredCode }
  }

  /// Logs a browser in as the owner, by the token of the token file. The right token is accepted
  /// during any wait.
  ///
  /// - Parameter request: the request. A session whose cookie it has ends.
  /// - Throws: `Problem` with status 503 while no token is valid; `OffersError` if the session cannot
  ///   be stored.
  func logIn(withToken token: String, _ request: Request, from client: Peer) async throws -> Login {
    guard let version = await currentVersion() else { throw Self.unavailable }
    guard try version.token.isToken(token) else {
      return await attempts.fail(client).map(Login.waiting) ?? .refused(.wrong)
    }
    await attempts.succeed(client)
    return .session(
      cookies: try await startSession(
        of: User.ownerID, on: .token, request, client, version: version))
  }

  /// Logs a browser in by a name and a passphrase.
  ///
  /// A passphrase is weaker than a token. So it is not looked at while the client's network or the
  /// account has to wait after wrong ones. A browser that is logged in to the account, or was before, is
  /// counted by itself, so that nobody can keep its user from it.
  ///
  /// - Parameter request: the request. A session whose cookie it has ends.
  /// - Throws: `Problem` with status 503 if too many attempts are being checked; `OffersError` if
  ///   the store cannot be used.
  func logIn(
    as name: String, _ passphrase: String, _ request: Request, from client: Peer
  ) async throws -> Login {
    let user = try await users.fetch().find(named: name)
    let session = try await findSession(of: request).flatMap { $0.user == user?.id ? $0 : nil }
    switch try await check(passphrase, of: user, name, session, request, client) {
    case .waiting(let seconds): return .waiting(seconds)
    case .wrong: return .refused(.wrong)
    case .right(let hash):
      do {
        return .session(
          cookies: try await startSession(
            of: user?.id ?? 0, on: .passphrase(hash), request, client))
      } catch let error as OffersError where error.isOfAccess {
        // The passphrase was changed while this one was compared.
        return .refused(.wrong)
      }
    }
  }

  enum Comparison {
    /// It is the one with this stored form.
    case right(PassphraseHash)
    case wrong
    /// It was not looked at, because of a wait of this many seconds.
    case waiting(Int)
  }

  /// Checks a passphrase, and counts the attempt.
  ///
  /// - Parameters:
  ///   - user: whose passphrase it is; nil for a name that nobody has, which takes as long.
  ///   - request: the request, whose cookies tell whether its browser has logged in before.
  func check(
    _ passphrase: String, of user: User?, _ name: String, _ session: Session?,
    _ request: Request, _ client: Peer
  ) async throws -> Comparison {
    var counted = [LoginAttempts.logins(from: client.network), LoginAttempts.account(name)]
    var turn = PassphraseHasher.Client.stranger(client)
    if let user {
      let isOfBrowser =
        if session != nil { true } else {
          try await browsers.knows(user.id, in: request.headers)
        }
      if isOfBrowser { counted = [LoginAttempts.browsers(of: user.id)] }
      let isKnown = if isOfBrowser { true } else { try await browsers.knows(user.id, at: client) }
      if isKnown { turn = .known(user.id) }
    }
    // The attempt counts as failed until the passphrase proves right, so that attempts at the same
    // time are counted before any of them is looked at.
    if let wait = await attempts.begin(counted, client) { return .waiting(wait) }
    let stored: PassphraseHash?
    do {
      stored = if let user { try await store.findPassphrase(of: user.id) } else { nil }
      guard try await passphrases.matches(passphrase, stored, for: turn), let stored else {
        await attempts.refuse(client)
        return .wrong
      }
      await attempts.succeed(counted)
      return .right(stored)
    } catch let error as OffersError where error == .tooManyAtOnce {
      // The attempt stays counted for its network, so that who fills the queue waits. It was no guess.
      await attempts.takeBack(counted.filter { !LoginAttempts(network: $0).isOfNetwork })
      await attempts.refuse(client, status: 503)
      throw error
    } catch {
      await attempts.takeBack(counted)
      throw error
    }
  }

  /// Logs a browser in with a pairing code, which is used up thereby, as the user for whom it was made.
  ///
  /// A code is shorter than a token. So it is not looked at while the client's network has to wait
  /// after wrong codes or passphrases. Other networks never wait for that.
  ///
  /// - Parameter request: the request. A session whose cookie it has ends.
  func pair(_ typed: String, _ request: Request, from client: Peer) async throws -> Login {
    let counted = [LoginAttempts.logins(from: client.network)]
    // As with passphrases, the attempt counts as failed before the code is looked at.
    if let wait = await attempts.begin(counted, client) { return .waiting(wait) }
    var refusal = Login.Refusal.expiredCode
    switch try pairings.redeem(typed, now: now()) {
    case .unknown:
      await attempts.refuse(client)
      return .refused(.wrong)
    case .used: refusal = .usedCode
    case .expired: break
    case .valid(let guest, let maker):
      if let cookies = try await startSession(of: guest, invitedBy: maker, request, client) {
        await attempts.succeed(counted)
        return .session(cookies: cookies)
      }
    }
    // A code that was one is no guess. But whoever has such a code must not be able to forget guesses.
    await attempts.takeBack(counted)
    return .refused(refusal)
  }

  /// Stores a session of a user for whom a code was made; nil if the code has ended with the session or the token
  /// of its maker, or with the right to manage its guest.
  private func startSession(
    of guest: User.ID, invitedBy maker: Visitor, _ request: Request, _ client: Peer
  ) async throws -> [String]? {
    guard try await isWelcome(maker), try await mayStillInvite(guest, maker) else { return nil }
    let version: TokenFile.Version? =
      switch maker.proof {
      case .tokenFile: await currentVersion()
      case .session(let session) where session.fingerprint != nil: await currentVersion()
      default: nil
      }
    do {
      return try await startSession(
        of: guest, on: .invitation(maker.permit), request, client, version: version)
    } catch let error as OffersError where error.isOfAccess {
      return nil
    }
  }

  /// Whether the maker of a code, whose role is still that of the time at which the code was made, could
  /// have one made for the guest now.
  private func mayStillInvite(_ guest: User.ID, _ maker: Visitor) async throws -> Bool {
    guard let user = try await users.fetch().find(guest) else { return false }
    if guest == maker.user.id { return true }
    do {
      try maker.checkMayInvite(user)
      return true
    } catch is Problem {
      return false
    }
  }

  func makePairingCode(for guest: User, by maker: Visitor) throws -> PairingCode {
    try pairings.make(for: guest.id, by: maker, now: now())
  }

  /// Stores a new session.
  ///
  /// - Parameters:
  ///   - ground: by what the browser logs in, which must be true still.
  ///   - version: the token of the token file with which the session ends; nil for none.
  /// - Returns: its `Set-Cookie` fields, the one of the session first.
  func startSession(
    of user: User.ID, on ground: SessionGround, _ request: Request, _ client: Peer,
    version: TokenFile.Version? = nil
  ) async throws -> [String] {
    let value = try SessionCookie.newValue()
    let id = try SessionCookie.sessionID(of: value)
    let agent = (request.headers[.userAgent] ?? "").unicodeScalars.filter {
      $0.value >= 0x20 && $0.value < 0x7F
    }
    let now = now()
    let old = try await findSession(of: request)
    let browser = try await browsers.cookie(for: user)
    try await store.putSession(
      Session(
        id: id, user: user, fingerprint: try version?.token.fingerprint(of: id), createdAt: now,
        lastSeenAt: now, peer: client.text,
        userAgent: String(String.UnicodeScalarView(agent.prefix(Session.userAgentLimit)))),
      on: ground)
    // The old session ends last: a failure to store the new one leaves the browser logged in.
    if let old { try await store.endSessions([old.id]) }
    browsers.note(user, from: client)
    return [cookie.setting(value, seconds: SessionCookie.seconds), browser]
  }

  /// The refusal of a wrong bearer token.
  static func refusal(wait: Int?) -> Problem {
    guard let wait else { return RequestValidation.closing(Problem.unauthorized) }
    var problem = Problem(
      .tooManyRequests, "This token is not correct, and too many others were not.",
      hint: "Try again in \(Units.count(wait, "second")). The right token is accepted at any time.",
      code: .limitExceeded)
    problem.headers[.retryAfter] = String(wait)
    return RequestValidation.closing(problem)
  }

  /// The refusal of every token while the token file cannot be used. It is no failed login: nobody
  /// can tell whether the token is right.
  static var unavailable: Problem {
    RequestValidation.closing(
      Problem(
        .serviceUnavailable, "This server cannot read its token: nobody is let in by it.",
        hint: "Its log says why.", code: .storageFailed))
  }
}
