import Foundation
import OffersCore

/// The OpenID provider at which people log in, and this server's registration at it.
package struct OpenIDSettings: Sendable {
  /// The URL by which the provider calls itself, compared byte by byte.
  let issuer: String
  let clientID: String
  /// The secret of the registration; nil for a public client.
  let secret: String?
  let transport: any OpenIDTransport

  /// The longest client id or secret, in bytes.
  private static let mostBytes = 1024

  /// - Parameters:
  ///   - issuer: the issuer identifier: an https URL without a query, or an http URL of a provider on
  ///     this machine.
  ///   - secretFile: a file with the secret of the registration, which only its owner can read; nil for
  ///     a public client.
  /// - Throws: `OffersError` with `invalidRequest` for another URL, an id or a secret that is empty,
  ///   too long or not in printable ASCII, and for a file that is accessible to others; with `notFound`
  ///   for a file that cannot be read.
  package init(
    issuer: String, clientID: String, secretFile: String? = nil,
    transport: any OpenIDTransport
  ) throws {
    let parts = URLComponents(string: issuer)
    guard ProviderURL.isAllowed(issuer, mayBeLoopback: true), let parts, parts.query == nil,
      issuer.utf8.count <= Identity.issuerLimit
    else {
      throw OffersError(
        .invalidRequest, "“\(issuer.prefix(200))” is not the issuer of an OpenID provider.",
        hint: "An issuer is an https URL without a query, such as https://login.example.com.")
    }
    guard Self.isPlain(clientID) else {
      throw OffersError(
        .invalidRequest, "“\(clientID.prefix(80))” is not the client id of a registration.",
        hint: "Use the one that the provider shows for this server.")
    }
    secret = try secretFile.map { path in
      let text = try SecretFile.read(path, "client secret", mostBytes: Self.mostBytes)
      guard Self.isPlain(text) else {
        throw OffersError(
          .invalidRequest, "The client secret in \(path) is not one line of printable ASCII.",
          hint: "Write the one that the provider shows for this server.")
      }
      return text
    }
    self.issuer = issuer
    self.clientID = clientID
    self.transport = transport
  }

  private static func isPlain(_ text: String) -> Bool {
    (1...mostBytes).contains(text.utf8.count) && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
  }

  /// The host of the provider, with its port if it has one, by which people know it.
  var host: String { ProviderURL.authority(of: issuer) }

  /// Whether the provider runs on this machine. Then http is safe.
  var isLoopback: Bool { Loopback.isAuthority(host) }

  /// The address of the provider's description (OpenID Connect Discovery 1.0, section 4).
  var discoveryURL: String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
      + "/.well-known/openid-configuration"
  }

  /// The error of a login that fails because of the provider.
  ///
  /// - Parameter reason: the sentence about it, without the provider and the full stop.
  func failure(_ reason: String, cause: String? = nil) -> OffersError {
    OffersError(
      .sourceFailed, "\(host) \(reason).",
      hint: "Log in another way, and ask an admin of this server.", cause: cause)
  }
}

enum ProviderURL {
  /// Whether a text is an https URL that a browser may be sent to, or an http URL of this machine.
  static func isAllowed(_ text: String, mayBeLoopback: Bool) -> Bool {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.fragment == nil
    else { return false }
    if parts.scheme == "https" { return true }
    return parts.scheme == "http" && mayBeLoopback && Loopback.isAuthority(host)
  }

  static func authority(of url: String) -> String {
    let parts = url.split(scalar: "/", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 2 ? String(parts[2].prefix { $0 != "/" && $0 != "?" }) : url
  }
}
