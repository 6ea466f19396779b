import Foundation
import HTTPTypes
import OffersCore
import Synchronization

/// The browsers and the networks from which users have logged in, so that strangers do not keep them out.
///
/// A browser that has logged in keeps a cookie that names its user, with an authentication code, also after the
/// logout. It opens nothing: with it, wrong passphrases of others do not count, and strangers are not waited for.
/// The code is of the user's passphrase, too, so that another passphrase ends what such a browser can do, which
/// is to make the user's other browsers wait.
final class KnownBrowsers: Sendable {
  private struct Place: Hashable {
    let user: User.ID
    let network: String
  }

  /// The purpose of the stored key.
  private static let purpose = "known browser"
  /// How long a browser keeps the cookie, in seconds: a year.
  private static let keepSeconds = 365 * 86_400
  /// The maximum number of cookies that are looked at for a request.
  private static let valueLimit = 4
  /// The maximum number of networks. Beyond it, those of before are forgotten.
  private static let networkLimit = 10_000

  private let store: any ServerDependencies.Store
  private let cookies: CookieScope
  /// The key, once the store was asked.
  private let key = Mutex<HMACKey?>(nil)
  /// The networks; nil before those of the stored sessions were read.
  private let networks = Mutex<Set<Place>?>(nil)

  /// - Parameter cookies: where browsers send the server's cookies.
  init(_ store: any ServerDependencies.Store, cookies: CookieScope) {
    self.store = store
    self.cookies = cookies
  }

  private static let cookieName = "offers-browser"

  /// Notes the network of a login.
  func note(_ user: User.ID, from client: Peer) {
    networks.withLock { networks in
      if networks?.count == Self.networkLimit { networks = [] }
      networks?.insert(Place(user: user, network: client.network))
    }
  }

  /// The `Set-Cookie` field by which a browser is known to have logged in as a user.
  ///
  /// - Throws: `OffersError` if libcrypto fails, or the store cannot be used.
  func cookie(for user: User.ID) async throws -> String {
    cookies.field(
      Self.cookieName, try await value(for: user), seconds: Self.keepSeconds)
  }

  /// Whether a request is from a browser that has logged in as a user.
  ///
  /// - Throws: as `cookie`.
  func knows(_ user: User.ID, in fields: HTTPFields) async throws -> Bool {
    let shown = CookieFields.values(
      of: cookies.name(Self.cookieName), in: fields, limit: Self.valueLimit
    ) { (1...128).contains($0.utf8.count) }
    if shown.isEmpty { return false }
    let value = try await value(for: user)
    return shown.contains { SecretBytes.areEqual(Array($0.utf8), Array(value.utf8)) }
  }

  /// Whether a user has logged in from the network of a client.
  ///
  /// - Throws: `OffersError` if the store cannot be read.
  func knows(_ user: User.ID, at client: Peer) async throws -> Bool {
    if networks.withLock({ $0 }) == nil {
      let stored = try await store.fetchSessions().prefix(Self.networkLimit).compactMap { session in
        Peer(session.peer).map { Place(user: session.user, network: $0.network) }
      }
      networks.withLock { if $0 == nil { $0 = Set(stored) } }
    }
    return networks.withLock {
      $0?.contains(Place(user: user, network: client.network)) ?? false
    }
  }

  private func value(for user: User.ID) async throws -> String {
    let passphrase = try await store.findPassphrase(of: user)
    let code = try await fetchKey().code(of: Array("\(user)".utf8) + [0] + (passphrase?.hash ?? []))
    return "\(user).\(Base64URL.text(of: code))"
  }

  /// The key, from the store when it is first needed.
  private func fetchKey() async throws -> HMACKey {
    if let known = key.withLock({ $0 }) { return known }
    let found = HMACKey(
      try await store.fetchServerKey(
        for: Self.purpose, orStore: try RandomBytes.make(SHA256.byteCount)))
    key.withLock { $0 = found }
    return found
  }
}
