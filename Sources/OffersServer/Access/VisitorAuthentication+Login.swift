import Foundation
import Hummingbird
import OffersCore

/// The ways in which browsers log in.
extension VisitorAuthentication {
  /// The outcome of a login.
  enum Login {
    /// The `Set-Cookie` field of the new session.
    case session(cookie: String)
    /// The token, the name or the passphrase is wrong, or was not checked because of a wait.
    ///
    /// - Parameter wait: the rest of that wait in seconds; nil if it was checked.
    case refused(wait: Int?)
  }

  /// Logs a browser in as the owner, by the token of the token file. The right token is accepted
  /// during any wait.
  ///
  /// - Parameters:
  ///   - token: the token that the browser sent.
  ///   - request: the request. A session whose cookie it has ends.
  ///   - client: the client's address.
  /// - Throws: `Problem` with status 503 while no token is valid; `OffersError` if the session cannot
  ///   be stored.
  func logIn(withToken token: String, _ request: Request, from client: Peer) async throws -> Login {
    guard let version = await currentVersion() else { throw Self.unavailable }
    guard try version.token.isToken(token) else {
      return .refused(wait: await attempts.fail(client))
    }
    await attempts.succeed(client)
    return .session(
      cookie: try await startSession(of: User.ownerID, request, client, version: version))
  }

  /// Logs a browser in by a name and a passphrase.
  ///
  /// A passphrase is weaker than a token. So it is not looked at while the client's network or the
  /// account has to wait after wrong ones. A browser that is logged in to the account already is
  /// counted by itself, so that nobody can keep its user from it.
  ///
  /// - Parameters:
  ///   - name: the name of the account, without regard to case.
  ///   - passphrase: the passphrase.
  ///   - request: the request. A session whose cookie it has ends.
  ///   - client: the client's address.
  /// - Throws: `Problem` with status 503 if too many attempts are being checked; `OffersError` if
  ///   the store cannot be used.
  func logIn(
    as name: String, _ passphrase: String, _ request: Request, from client: Peer
  ) async throws -> Login {
    let user = try await users.fetch().find(named: name)
    let session = try await findSession(of: request).flatMap { $0.user == user?.id ? $0 : nil }
    if let wait = try await check(passphrase, of: user, name, session, client) {
      return .refused(wait: wait == 0 ? nil : wait)
    }
    guard let user else { return .refused(wait: nil) }
    return .session(cookie: try await startSession(of: user.id, request, client))
  }

  /// Checks a passphrase, and counts the attempt.
  ///
  /// - Parameters:
  ///   - user: whose passphrase it is; nil for a name that nobody has, which takes as long.
  ///   - name: the name as it was typed.
  ///   - session: the user's session of the request; nil for none.
  /// - Returns: nil if it is right, 0 if it is wrong, or the seconds to wait if it was not looked at.
  func check(
    _ passphrase: String, of user: User?, _ name: String, _ session: Session?, _ client: Peer
  ) async throws -> Int? {
    let counted =
      session.map { [LoginAttempts.browsers(of: $0.user)] }
      ?? [LoginAttempts.logins(from: client.network), LoginAttempts.account(name)]
    // The attempt counts as failed until the passphrase proves right, so that attempts at the same
    // time are counted before any of them is looked at.
    if let wait = await attempts.begin(counted, client) { return wait }
    do {
      let stored: PassphraseHash? =
        if let user { try await store.findPassphrase(of: user.id) } else { nil }
      guard try await passphrases.matches(passphrase, stored) else {
        attempts.refuse(client)
        return 0
      }
    } catch {
      attempts.takeBack(counted)
      throw error
    }
    await attempts.succeed(counted)
    return nil
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

  /// Logs a browser in with a pairing code, which is used up thereby, as the user for whom it was made.
  ///
  /// A code is shorter than a token. So it is not looked at while the client's network has to wait
  /// after wrong codes or passphrases. Other networks never wait for that.
  ///
  /// - Parameters:
  ///   - typed: the code as it was typed.
  ///   - request: the request. A session whose cookie it has ends.
  ///   - client: the client's address.
  /// - Throws: `OffersError` if the session cannot be stored.
  func pair(_ typed: String, _ request: Request, from client: Peer) async throws -> Pairing {
    let counted = [LoginAttempts.logins(from: client.network)]
    // As with passphrases, the attempt counts as failed before the code is looked at.
    if let wait = await attempts.begin(counted, client) { return .waiting(wait) }
    switch try pairings.redeem(typed, now: now()) {
    case .unknown:
      attempts.refuse(client)
      return .refused(.unknown)
    // A code that was one is no guess. But whoever has such a code must not be able to forget guesses.
    case .used:
      attempts.takeBack(counted)
      return .refused(.used)
    case .expired:
      attempts.takeBack(counted)
      return .refused(.expired)
    case .valid(let guest, let maker):
      // A code ends with the session or the token of its maker, and with the right to manage its guest.
      guard try await isWelcome(maker), try await mayStillInvite(guest, maker) else {
        attempts.takeBack(counted)
        return .refused(.expired)
      }
      await attempts.succeed(counted)
      let version: TokenFile.Version? =
        switch maker.proof {
        case .tokenFile: await currentVersion()
        case .session(let session) where session.fingerprint != nil: await currentVersion()
        default: nil
        }
      return .session(
        cookie: try await startSession(of: guest, request, client, version: version))
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

  /// Makes a pairing code.
  ///
  /// - Parameters:
  ///   - guest: the user whom the code logs in.
  ///   - maker: the visitor that asks for it, who may let browsers in as that user.
  /// - Throws: `OffersError` if libcrypto fails.
  func makePairingCode(for guest: User, by maker: Visitor) throws -> PairingCode {
    try pairings.make(for: guest.id, by: maker, now: now())
  }

  /// Stores a new session.
  ///
  /// - Parameter version: the token of the token file with which the session ends; nil for none.
  /// - Returns: its `Set-Cookie` field.
  func startSession(
    of user: User.ID, _ request: Request, _ client: Peer, version: TokenFile.Version? = nil
  ) async throws -> String {
    let value = try SessionCookie.newValue()
    let id = try SessionCookie.sessionID(of: value)
    let agent = (request.headers[.userAgent] ?? "").unicodeScalars.filter {
      $0.value >= 0x20 && $0.value < 0x7F
    }
    let now = now()
    let old = try await findSession(of: request)
    try await store.putSession(
      Session(
        id: id, user: user, fingerprint: try version?.token.fingerprint(of: id), createdAt: now,
        lastSeenAt: now, peer: client.text,
        userAgent: String(String.UnicodeScalarView(agent.prefix(Session.userAgentLimit)))))
    // The old session ends last: a failure to store the new one leaves the browser logged in.
    if let old { try await store.endSessions([old.id]) }
    return cookie.setting(value)
  }

  /// The refusal of a wrong bearer token.
  ///
  /// - Parameter wait: the time to wait in seconds, for an attempt within a wait.
  static func refusal(wait: Int?) -> Problem {
    guard let wait else { return RequestValidation.closing(ServedContext.unauthorized) }
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
