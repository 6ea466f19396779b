import Foundation
import Hummingbird
import OffersCore

/// The ways in which browsers log in.
extension VisitorAuthentication {
  /// The outcome of a login.
  enum Login {
    /// The `Set-Cookie` fields of the new session.
    case session(cookies: [String])
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
      cookies: try await startSession(
        of: User.ownerID, on: .token, request, client, version: version))
  }

  /// Logs a browser in by a name and a passphrase.
  ///
  /// A passphrase is weaker than a token. So it is not looked at while the client's network or the
  /// account has to wait after wrong ones. A browser that is logged in to the account, or was before, is
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
    switch try await check(passphrase, of: user, name, session, request, client) {
    case .waiting(let seconds): return .refused(wait: seconds)
    case .wrong: return .refused(wait: nil)
    case .right(let hash):
      do {
        return .session(
          cookies: try await startSession(
            of: user?.id ?? 0, on: .passphrase(hash), request, client))
      } catch let error as OffersError where error.isOfAccess {
        // The passphrase was changed while this one was compared.
        return .refused(wait: nil)
      }
    }
  }

  /// The outcome of comparing a passphrase.
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
  ///   - name: the name as it was typed.
  ///   - session: the user's session of the request; nil for none.
  ///   - request: the request, whose cookies tell whether its browser has logged in before.
  /// - Throws: `OffersError.tooManyAtOnce`; `OffersError` if the store cannot be used.
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
        attempts.refuse(client)
        return .wrong
      }
      await attempts.succeed(counted)
      return .right(stored)
    } catch let error as OffersError where error == .tooManyAtOnce {
      // The attempt stays counted for its network, so that who fills the queue waits. It was no guess.
      attempts.takeBack(counted.filter { !LoginAttempts(network: $0).isOfNetwork })
      attempts.refuse(client, status: 503)
      throw error
    } catch {
      attempts.takeBack(counted)
      throw error
    }
  }

  /// The outcome of an attempt to log in with a pairing code.
  enum Pairing {
    /// The `Set-Cookie` fields of the new session.
    case session(cookies: [String])
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
      let version: TokenFile.Version? =
        switch maker.proof {
        case .tokenFile: await currentVersion()
        case .session(let session) where session.fingerprint != nil: await currentVersion()
        default: nil
        }
      let cookies: [String]
      do {
        cookies = try await startSession(
          of: guest, on: .invitation(maker.permit), request, client, version: version)
      } catch let error as OffersError where error.isOfAccess {
        attempts.takeBack(counted)
        return .refused(.expired)
      }
      await attempts.succeed(counted)
      return .session(cookies: cookies)
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
    return [cookie.setting(value), browser]
  }

  /// The refusal of a wrong bearer token.
  ///
  /// - Parameter wait: the time to wait in seconds, for an attempt within a wait.
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
