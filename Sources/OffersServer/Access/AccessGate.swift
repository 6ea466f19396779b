import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OffersCore
import Synchronization

/// Decides on a server with a token whom a request is from, and keeps the sessions of browsers.
struct AccessGate: Sendable {
  /// The interval at which the time of a session's last request is stored, in seconds.
  static let noteSeconds = 600.0

  let cookie: SessionCookie
  let attempts: LoginGuard
  /// The codes with which phones log in.
  let pairings: PairingCodes
  private let tokens: TokenFile
  private let sessions: any SessionRepository
  private let now: @Sendable () -> Date
  private let logger: Logger
  private let memory = Memory()

  /// What the gate remembers between requests.
  private final class Memory: Sendable {
    /// The version of the token whose foreign sessions were removed.
    let sweptVersion = Mutex(0)
    /// The version whose sweep has failed, which is logged once.
    let failedVersion = Mutex(0)
    /// When the last request of a session was noted. So a slow database does not gather a write for
    /// each request.
    let notedAt = Mutex<[[UInt8]: Date]>([:])
  }

  /// - Parameters:
  ///   - tokens: the token that clients must show.
  ///   - pairings: the codes with which phones log in.
  ///   - isSecure: whether browsers reach the server by https only.
  ///   - content: the store of sessions and attempts, and the clock.
  ///   - logger: is told of refused attempts and of changes of the token.
  init(
    tokens: TokenFile, pairings: PairingCodes, isSecure: Bool, content: ServedContent,
    logger: Logger
  ) {
    cookie = SessionCookie(isSecure: isSecure)
    self.pairings = pairings
    attempts = LoginGuard(content.store, now: content.now, logger: logger)
    self.tokens = tokens
    sessions = content.store
    now = content.now
    self.logger = logger
  }

  /// Finds out whom a request is from: by a bearer token, or else by the cookie of a session. The
  /// cookie does not count in a request with a bearer token. A field `Authorization` of another
  /// scheme is left to a proxy that asks for a password.
  ///
  /// - Throws: `Problem` with status 401 or 429 for a wrong bearer token, with 503 for any one while
  ///   the token file cannot be used; `OffersError` if the sessions cannot be read.
  func visitor(of request: Request, from client: Peer) async throws -> Visitor {
    let version = await currentVersion()
    if let shown = Self.bearerToken(in: request) {
      guard let version else { throw Self.unavailable }
      guard version.token.isToken(shown) else {
        throw Self.refusal(wait: await attempts.fail(client))
      }
      await attempts.succeed(client)
      return .tokenHolder(version: version.number)
    }
    return try await findSession(of: request, version).map { .browser($0) } ?? .stranger
  }

  /// The bearer token that a request shows; nil for a request without it.
  static func bearerToken(in request: Request) -> String? {
    guard let field = request.headers[.authorization] else { return nil }
    let parts = field.split(scalar: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].trimmingSpaces)
  }

  /// Whether a visitor would still be let in.
  ///
  /// - Throws: `OffersError` if the sessions cannot be read.
  func isWelcome(_ visitor: Visitor) async throws -> Bool {
    switch visitor {
    case .anybody: return true
    case .stranger: return false
    case .tokenHolder(let number): return await currentVersion()?.number == number
    case .browser(let session):
      guard let version = await currentVersion(),
        let found = try await sessions.findSession(session.id)
      else { return false }
      return version.token.hasMade(found) && !found.isExpired(at: now())
    }
  }

  /// The valid session whose cookie a request has; nil if there is none.
  func findSession(of request: Request) async throws -> Session? {
    try await findSession(of: request, await currentVersion())
  }

  /// Ends the sessions of all cookies of a request.
  func endSessions(of request: Request) async throws {
    try await sessions.endSessions(
      cookie.values(in: request.headers).map(SessionCookie.sessionID(of:)))
  }

  private func findSession(
    of request: Request, _ version: TokenFile.Version?
  ) async throws -> Session? {
    guard let version else { return nil }
    for value in cookie.values(in: request.headers) {
      if let session = try await sessions.findSession(SessionCookie.sessionID(of: value)),
        version.token.hasMade(session), !session.isExpired(at: now())
      {
        return session
      }
    }
    return nil
  }

  /// The token that is valid now. Sessions that were made with another one are removed when a
  /// change is noticed, so that they stay ended if the other token returns.
  private func currentVersion() async -> TokenFile.Version? {
    guard let version = tokens.current(now: now(), logger: logger) else { return nil }
    // One request removes them, which may wait for another process's write. All others go on.
    let isChosen = memory.sweptVersion.withLock { swept in
      defer { swept = version.number }
      return swept != version.number
    }
    guard isChosen else { return version }
    do {
      let foreign = try await sessions.fetchSessions().filter { !version.token.hasMade($0) }
      try await sessions.endSessions(foreign.map(\.id))
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

  /// Notes that a session was seen, every ten minutes.
  ///
  /// - Parameters:
  ///   - visitor: the visitor of the request.
  ///   - request: the request, which has the session's cookie.
  /// - Returns: the `Set-Cookie` field by which the browser keeps the cookie for as long as the
  ///   session lasts; nil if nothing was noted.
  func renewal(of visitor: Visitor, _ request: Request) -> String? {
    guard let session = visitor.session,
      let value = cookie.values(in: request.headers).first(where: {
        SessionCookie.sessionID(of: $0) == session.id
      })
    else { return nil }
    let now = now()
    guard now.timeIntervalSince(session.lastSeenAt) >= Self.noteSeconds else { return nil }
    let isDue = memory.notedAt.withLock { notedAt in
      if let last = notedAt[session.id], abs(now.timeIntervalSince(last)) < Self.noteSeconds {
        return false
      }
      if notedAt.count >= Session.limit { notedAt = [:] }
      notedAt[session.id] = now
      return true
    }
    guard isDue else { return nil }
    sessions.noteSession(session.id, seenAt: now)
    return cookie.setting(value)
  }

  /// The outcome of a login.
  enum Login {
    /// The `Set-Cookie` field of the new session.
    case session(cookie: String)
    /// The token was wrong; with the time to wait in seconds for an attempt within a wait.
    case refused(wait: Int?)
  }

  /// Logs a browser in. The right token is accepted during any wait.
  ///
  /// - Parameters:
  ///   - token: the token that the browser sent.
  ///   - request: the request. A session whose cookie it has ends.
  ///   - client: the client's address.
  /// - Throws: `Problem` with status 503 while no token is valid; `OffersError` if the session cannot
  ///   be stored.
  func logIn(_ token: String, _ request: Request, from client: Peer) async throws -> Login {
    guard let version = await currentVersion() else { throw Self.unavailable }
    guard version.token.isToken(token) else {
      return .refused(wait: await attempts.fail(client))
    }
    return .session(cookie: try await startSession(version, request, client))
  }

  /// The outcome of an attempt to log in with a pairing code.
  enum Pairing {
    /// The `Set-Cookie` field of the new session.
    case session(cookie: String)
    /// The code is not accepted: it is unknown, was used, or has expired.
    case refused(Refusal)
    /// The code was not looked at, because the client's network has to wait for this many seconds.
    case waiting(Int)

    enum Refusal { case unknown, used, expired }
  }

  /// Logs a browser in with a pairing code, which is used up thereby.
  ///
  /// A code is shorter than a token. So it is not looked at while the client's network has to wait
  /// after wrong codes or tokens. Other networks never wait for that.
  ///
  /// - Parameters:
  ///   - typed: the code as it was typed.
  ///   - request: the request. A session whose cookie it has ends.
  ///   - client: the client's address.
  /// - Throws: `Problem` with status 503 while no token is valid; `OffersError` if the session cannot
  ///   be stored.
  func pair(_ typed: String, _ request: Request, from client: Peer) async throws -> Pairing {
    guard let version = await currentVersion() else { throw Self.unavailable }
    if let wait = await attempts.refuseInWait(client) { return .waiting(wait) }
    switch pairings.redeem(typed, now: now()) {
    case .unknown:
      _ = await attempts.fail(client)
      return .refused(.unknown)
    case .used: return .refused(.used)
    case .expired: return .refused(.expired)
    case .valid(let maker):
      // A code ends with the session or the token of its maker.
      guard try await isWelcome(maker) else { return .refused(.expired) }
      return .session(cookie: try await startSession(version, request, client))
    }
  }

  /// Makes a pairing code for a visitor that is logged in.
  func makePairingCode(for visitor: Visitor) -> PairingCode {
    pairings.make(for: visitor, now: now())
  }

  /// Stores a new session.
  ///
  /// - Returns: its `Set-Cookie` field.
  private func startSession(
    _ version: TokenFile.Version, _ request: Request, _ client: Peer
  ) async throws -> String {
    let value = SessionCookie.newValue()
    let id = SessionCookie.sessionID(of: value)
    let agent = (request.headers[.userAgent] ?? "").unicodeScalars.filter {
      $0.value >= 0x20 && $0.value < 0x7F
    }
    let now = now()
    let old = try await findSession(of: request, version)
    try await sessions.putSession(
      Session(
        id: id, fingerprint: version.token.fingerprint(of: id), createdAt: now, lastSeenAt: now,
        peer: client.text,
        userAgent: String(String.UnicodeScalarView(agent.prefix(Session.userAgentLimit)))))
    // The old session ends last: a failure to store the new one leaves the browser logged in.
    if let old { try await sessions.endSessions([old.id]) }
    await attempts.succeed(client)
    return cookie.setting(value)
  }

  /// The valid sessions, the last seen one first.
  ///
  /// - Throws: `OffersError` if they cannot be read.
  func fetchSessions() async throws -> [Session] {
    guard let version = await currentVersion() else { return [] }
    let now = now()
    return try await sessions.fetchSessions().filter {
      version.token.hasMade($0) && !$0.isExpired(at: now)
    }
  }

  /// Ends sessions.
  ///
  /// - Throws: `OffersError` if the database cannot be written.
  func end(_ sessions: [Session]) async throws {
    try await self.sessions.endSessions(sessions.map(\.id))
  }

  /// Writes what is in memory only.
  func close() async { await attempts.close() }

  /// The refusal of a wrong bearer token.
  ///
  /// - Parameter wait: the time to wait in seconds, for an attempt within a wait.
  private static func refusal(wait: Int?) -> Problem {
    guard let wait else { return RequestLimits.closing(unauthorized) }
    var problem = Problem(
      .tooManyRequests, "This token is not correct, and too many others were not.",
      hint: "Try again in \(Units.count(wait, "second")). The right token is accepted at any time.",
      code: .limitExceeded)
    problem.headers[.retryAfter] = String(wait)
    return RequestLimits.closing(problem)
  }

  /// The refusal of every token while the token file cannot be used. It is no failed login: nobody
  /// can tell whether the token is right.
  private static var unavailable: Problem {
    RequestLimits.closing(
      Problem(
        .serviceUnavailable, "This server cannot read its token: nobody is let in.",
        hint: "Its log says why.", code: .storageFailed))
  }

  /// The refusal of a request without a valid token.
  static var unauthorized: Problem {
    var problem = Problem(
      .unauthorized, "This server requires a token.",
      hint: "Send it as Authorization: Bearer TOKEN, or open /login in a browser.")
    problem.headers[.wwwAuthenticate] = "Bearer realm=\"offers\""
    return problem
  }
}
