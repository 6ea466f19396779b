import Foundation
import Hummingbird
import OffersCore
import OffersStore

/// The logins at a provider that browsers have begun.
///
/// Each is in a cookie of its browser, with an authentication code. So a login ends in the browser in which
/// it began, and however many logins strangers begin, they displace nobody's. A browser has one at a time:
/// beginning another ends the one before. A login ends once (`OpenIDRoutes`).
///
/// The key is derived from a random one in the store, so that a login may end at another server of the same
/// store, or after a restart. It is not derived from the client secret, which may be a text that people chose:
/// everybody can get such a cookie, and try one secret after another on it.
struct PendingLogins: Sendable {
  private let stored: StoredKey
  /// What the key is for: the provider and the name of this server there.
  private let registration: String
  private let cookie: ServedCookie
  private let now: @Sendable () -> Date

  init(
    _ settings: OpenIDSettings, keys: OffersDatabase, cookies: CookieScope,
    now: @escaping @Sendable () -> Date
  ) {
    stored = StoredKey(keys, for: "pending login")
    registration = "\(settings.clientID) \(settings.issuer)"
    cookie = cookies.cookie("offers-openid")
    self.now = now
  }

  /// The `Set-Cookie` field that gives a browser a login. Browsers send such a cookie along when another
  /// site sends them to a page (`SameSite=Lax`), as the provider does.
  func setting(_ login: PendingLogin) async throws -> String {
    let text = Base64URL.text(of: try JSONEncoder().encode(login))
    let code = try await fetchKey().code(of: Array(text.utf8))
    return cookie.setting(
      "\(text).\(Base64URL.text(of: code))", seconds: Int(PendingLogin.lifetimeSeconds))
  }

  private func fetchKey() async throws -> HMACKey {
    HMACKey(try await stored.fetch().code(of: Array(registration.utf8)))
  }

  var removal: String { cookie.removal }

  /// Ends the login of a request's browser.
  ///
  /// - Throws: `Problem` with status 400 if the browser has no such login, or it has expired;
  ///   `OffersError` if libcrypto fails, or the store cannot be read.
  func end(_ state: String, of request: Request) async throws -> PendingLogin {
    let now = now()
    let key = try await fetchKey()
    let values = cookie.values(in: request.headers, of: 1...4096)
    let login = try values.compactMap { try Self.login($0, key) }.first {
      $0.state.hasSameBytes(as: state)
    }
    guard let login, abs(now.timeIntervalSince(login.startedAt)) < PendingLogin.lifetimeSeconds
    else {
      throw Self.refusal
    }
    return login
  }

  static let refusal = Problem(
    .badRequest, "This login did not begin in this browser, has ended, or is too old.",
    hint: "Begin it again. It must end within ten minutes, in one browser.")

  /// The login in a value of the cookie; nil if another key signed it, as that of a server with another
  /// registration.
  private static func login(_ value: String, _ key: HMACKey) throws -> PendingLogin? {
    let parts = value.split(scalar: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let login = Base64URL.data(of: parts[0]),
      let code = Base64URL.data(of: parts[1]),
      try key.isCode(Array(code), of: Array(parts[0].utf8))
    else { return nil }
    return try? JSONDecoder().decode(PendingLogin.self, from: login)
  }
}

/// A login at a provider that a browser has begun and not ended: the values with which the provider's
/// answer is checked.
struct PendingLogin: Codable, Sendable {
  enum Purpose: Codable, Sendable {
    case logIn
    /// To give a user the identity.
    ///
    /// - Parameter session: the id of the session of the user, in hexadecimal, which must still be that
    ///   of the browser; nil on a server that requires no login.
    case connect(User.ID, session: String?)
  }

  /// The time in which a login must end, in seconds.
  static let lifetimeSeconds = 600.0
  /// The longest path to return to, in bytes: a cookie holds 4096 (RFC 6265, section 6.1).
  private static let pathBytes = 512

  let purpose: Purpose
  let next: String
  /// Where the provider sends the browser with its answer.
  let redirectURL: String
  let startedAt: Date
  /// A random name of the login, which the provider sends back.
  let state: String
  /// A random value that the ID token must have.
  let nonce: String
  /// The random value that shows the provider that the code comes from who began the login (RFC 7636).
  let verifier: String

  init(_ purpose: Purpose, next: String, redirectURL: String, at now: Date) throws {
    self.purpose = purpose
    self.next = next.utf8.count <= Self.pathBytes ? next : "/"
    self.redirectURL = redirectURL
    startedAt = now
    state = try APITokenText.randomText()
    nonce = try APITokenText.randomText()
    verifier = try APITokenText.randomText()
  }
}
