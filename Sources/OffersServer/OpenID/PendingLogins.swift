import Crypto
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
/// The key is derived from the client secret, so that a login may end at another server with the same
/// registration, or after a restart. A public client has no secret: then the key is random, and a login
/// must end at the server at which it began.
final class PendingLogins: Sendable {
  /// The maximum number of ended logins that are remembered. Without room, the oldest are forgotten:
  /// such a login still ends only once, because the provider accepts a code once.
  private static let mostEnded = 10_000
  /// The maximum number of values that are looked at for a request.
  private static let valueLimit = 4

  private let key: SymmetricKey
  private let isSecure: Bool
  private let now: @Sendable () -> Date
  /// The states of logins that ended here, until they expire, the oldest first.
  private let ended = Mutex<[(state: String, at: Date)]>([])

  /// - Parameters:
  ///   - settings: the registration, whose secret the key is derived from.
  ///   - isSecure: whether browsers reach the server by https only.
  init(_ settings: OpenIDSettings, isSecure: Bool, now: @escaping @Sendable () -> Date) {
    key =
      settings.secret.map { secret in
        HKDF<SHA256>.deriveKey(
          inputKeyMaterial: SymmetricKey(data: Data(secret.utf8)),
          info: Data("offers pending login \(settings.clientID) \(settings.issuer)".utf8),
          outputByteCount: 32)
      } ?? SymmetricKey(size: .bits256)
    self.isSecure = isSecure
    self.now = now
  }

  /// The name of the cookie; `SessionCookie.name` describes the prefix.
  private var name: String { isSecure ? "__Host-offers-openid" : "offers-openid" }

  /// The `Set-Cookie` field that gives a browser a login. Browsers send such a cookie along when another
  /// site sends them to a page (`SameSite=Lax`), as the provider does.
  ///
  /// - Throws: an error of the encryption, which does not occur.
  func setting(_ login: PendingLogin) throws -> String {
    let sealed = try AES.GCM.seal(JSONEncoder().encode(login), using: key)
    return field(
      Base64URL.text(of: sealed.combined ?? Data()), seconds: Int(PendingLogin.lifetimeSeconds))
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
  /// - Throws: `Problem` with status 400 if the browser has no such login, or it has expired.
  func end(_ state: String, of request: Request) throws -> PendingLogin {
    let now = now()
    let values = CookieFields.values(
      of: name, in: request.headers, limit: Self.valueLimit
    ) { (1...4096).contains($0.utf8.count) }
    let login = values.lazy.compactMap { self.open($0) }.first { $0.state == state }
    guard let login, abs(now.timeIntervalSince(login.startedAt)) < PendingLogin.lifetimeSeconds,
      note(state, at: now)
    else {
      throw Problem(
        .badRequest, "This login did not begin in this browser, has ended, or is too old.",
        hint: "Begin it again. It must end within ten minutes, in one browser.")
    }
    return login
  }

  private func open(_ value: String) -> PendingLogin? {
    // A value under another key, as of another host, is none of ours.
    guard let sealed = Base64URL.data(of: value),
      let bytes = try? AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key)
    else { return nil }
    return try? JSONDecoder().decode(PendingLogin.self, from: bytes)
  }

  /// Remembers that a login has ended. Returns false if it had ended before.
  private func note(_ state: String, at now: Date) -> Bool {
    ended.withLock { ended in
      ended.removeAll { abs(now.timeIntervalSince($0.at)) >= PendingLogin.lifetimeSeconds }
      if ended.contains(where: { $0.state == state }) { return false }
      if ended.count >= Self.mostEnded { ended.removeFirst() }
      ended.append((state, now))
      return true
    }
  }
}

/// Base64 for URLs and cookies, without padding (RFC 4648, section 5).
enum Base64URL {
  static func text(of bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing(bytes: "+", with: "-")
      .replacing(bytes: "/", with: "_").replacing(bytes: "=", with: "")
  }

  /// The bytes of a text; nil for a text of another form.
  static func data(of text: String) -> Data? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(
      base64Encoded: text.replacing(bytes: "-", with: "+").replacing(bytes: "_", with: "/")
        + padding)
  }
}
