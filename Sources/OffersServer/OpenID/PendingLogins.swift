import Foundation
import HTTPTypes
import Hummingbird
import OffersCore
import Synchronization

/// The logins at a provider that browsers have begun.
///
/// Each is in an encrypted cookie of its browser. So a login ends in the browser in which it began, and
/// however many logins strangers begin, they displace nobody's. A browser has one at a time: beginning
/// another ends the one before.
///
/// The key is derived from a random one in the store, so that a login may end at another server of the same
/// store, or after a restart. It is not derived from the client secret, which may be a text that people chose:
/// everybody can get such a cookie, and try one secret after another on it.
final class PendingLogins: Sendable {
  /// The maximum number of ended logins that are remembered. Without room, the oldest are forgotten:
  /// such a login still ends only once, because the provider accepts a code once.
  private static let mostEnded = 10_000
  /// The maximum number of values that are looked at for a request.
  private static let valueLimit = 4

  /// The purpose of the stored key.
  private static let purpose = "pending login"

  private let keys: any ServerKeyRepository
  /// What the key is for: the provider and the name of this server there.
  private let registration: String
  /// The key, once the store was asked.
  private let known = Mutex<SealingKey?>(nil)
  private let isSecure: Bool
  private let now: @Sendable () -> Date
  /// The states of logins that ended here, until they expire, the oldest first.
  private let ended = Mutex<[(state: String, at: Date)]>([])

  /// - Parameters:
  ///   - settings: the registration.
  ///   - keys: the store of the key.
  ///   - isSecure: whether browsers reach the server by https only.
  init(
    _ settings: OpenIDSettings, keys: any ServerKeyRepository, isSecure: Bool,
    now: @escaping @Sendable () -> Date
  ) {
    self.keys = keys
    registration = "\(settings.clientID) \(settings.issuer)"
    self.isSecure = isSecure
    self.now = now
  }

  /// The name of the cookie; `SessionCookie.name` describes the prefix.
  private var name: String { isSecure ? "__Host-offers-openid" : "offers-openid" }

  /// The `Set-Cookie` field that gives a browser a login. Browsers send such a cookie along when another
  /// site sends them to a page (`SameSite=Lax`), as the provider does.
  ///
  /// - Throws: `OffersError` if libcrypto fails, or the store cannot be read.
  func setting(_ login: PendingLogin) async throws -> String {
    let sealed = try await fetchKey().seal(Array(JSONEncoder().encode(login)))
    return field(Base64URL.text(of: sealed), seconds: Int(PendingLogin.lifetimeSeconds))
  }

  /// The key, from the store when it is first needed.
  private func fetchKey() async throws -> SealingKey {
    if let key = known.withLock({ $0 }) { return key }
    let stored = try await keys.fetchServerKey(
      for: Self.purpose, orStore: try RandomBytes.make(SHA256.byteCount))
    let key = try SealingKey(HMACKey(stored).code(of: Array(registration.utf8)))
    known.withLock { $0 = key }
    return key
  }

  /// The `Set-Cookie` field that removes the login from a browser.
  var removal: String { field("", seconds: 0) }

  private func field(_ value: String, seconds: Int) -> String {
    "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax"
      + (isSecure ? "; Secure" : "") + "; Max-Age=\(seconds)"
  }

  /// Ends the login of a request's browser. It cannot be ended again.
  ///
  /// - Parameter state: the state that the provider sent back.
  /// - Throws: `Problem` with status 400 if the browser has no such login, or it has expired;
  ///   `OffersError` if libcrypto fails, or the store cannot be read.
  func end(_ state: String, of request: Request) async throws -> PendingLogin {
    let now = now()
    let key = try await fetchKey()
    let values = CookieFields.values(
      of: name, in: request.headers, limit: Self.valueLimit
    ) { (1...4096).contains($0.utf8.count) }
    let login = values.lazy.compactMap { Self.open($0, key) }.first {
      $0.state.hasSameBytes(as: state)
    }
    guard let login, abs(now.timeIntervalSince(login.startedAt)) < PendingLogin.lifetimeSeconds,
      note(state, at: now)
    else {
      throw Problem(
        .badRequest, "This login did not begin in this browser, has ended, or is too old.",
        hint: "Begin it again. It must end within ten minutes, in one browser.")
    }
    return login
  }

  private static func open(_ value: String, _ key: SealingKey) -> PendingLogin? {
    // A value under another key, as of another host, is none of ours.
    guard let sealed = Base64URL.data(of: value),
      let bytes = key.open(Array(sealed))
    else { return nil }
    return try? JSONDecoder().decode(PendingLogin.self, from: Data(bytes))
  }

  /// Remembers that a login has ended. Returns false if it had ended before.
  private func note(_ state: String, at now: Date) -> Bool {
    ended.withLock { ended in
      ended.removeAll { abs(now.timeIntervalSince($0.at)) >= PendingLogin.lifetimeSeconds }
      if ended.contains(where: { $0.state.hasSameBytes(as: state) }) { return false }
      if ended.count >= Self.mostEnded { ended.removeFirst() }
      ended.append((state, now))
      return true
    }
  }
}
