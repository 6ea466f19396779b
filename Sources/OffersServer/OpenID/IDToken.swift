import Foundation
import OffersCore

/// An ID token: a statement of a provider about who has logged in (OpenID Connect Core 1.0, section 2).
///
/// Its signature is not checked. The token comes straight from the token endpoint, over TLS with a
/// verified certificate or from this machine, and OpenID Connect Core 1.0, section 3.1.3.7, point 6,
/// allows that to vouch for the issuer in place of the signature. A token that came another way, such as
/// through a browser, must not be read by this type.
struct IDToken: Sendable {
  /// The longest token that is looked at, in bytes.
  private static let mostBytes = 16 << 10
  /// How far the clock of the provider may differ, in seconds.
  private static let skewSeconds = 60.0

  /// Why a token is not accepted, as the end of a sentence about it.
  struct Refusal: Error, Equatable {
    let reason: String
  }

  private let claims: Claims

  /// Reads a token in the compact form of signed tokens (RFC 7515, section 7.1).
  ///
  /// - Throws: `Refusal` for a text that is no such token, and for one that is not signed, has extensions
  ///   that must be understood, or lacks a claim.
  init(_ text: String) throws {
    let notToken = Refusal(reason: "is not an ID token")
    guard text.utf8.count <= Self.mostBytes else { throw notToken }
    let parts = text.split(scalar: ".", omittingEmptySubsequences: false).map(Base64URL.data(of:))
    guard parts.count == 3, let head = parts[0], let body = parts[1], let signature = parts[2],
      // The error would tell no more than that the text is no token.
      let header = try? JSONDecoder().decode(Header.self, from: head)
    else { throw notToken }
    guard !header.hasCriticalExtensions else {
      throw Refusal(reason: "has extensions that this server does not know")
    }
    // Section 2 allows "none" only to a client that has asked for it, which this one does not.
    guard let algorithm = header.algorithm, algorithm.lowercased() != "none", !signature.isEmpty
    else { throw Refusal(reason: "is not signed") }
    do {
      claims = try JSONDecoder().decode(Claims.self, from: body)
    } catch {
      throw Refusal(reason: "lacks a claim, or has one of another type")
    }
  }

  /// Checks the claims.
  ///
  /// - Parameters:
  ///   - settings: the issuer and the client that the token must name.
  ///   - nonce: the value that was sent with the browser, which the token must have.
  /// - Returns: who has logged in.
  /// - Throws: `Refusal`.
  func verify(_ settings: OpenIDSettings, nonce: String, now: Date) throws -> Identity {
    guard claims.issuer.hasSameBytes(as: settings.issuer) else {
      throw Refusal(reason: "is of another issuer")
    }
    guard claims.audience.values.contains(where: settings.clientID.hasSameBytes),
      // A token for several clients names the one that asked for it.
      claims.authorizedParty == nil && claims.audience.values.count == 1
        || claims.authorizedParty?.hasSameBytes(as: settings.clientID) == true
    else { throw Refusal(reason: "is meant for another client") }
    let time = now.timeIntervalSince1970
    guard claims.expiresAt > time - Self.skewSeconds else { throw Refusal(reason: "has expired") }
    guard claims.issuedAt < time + Self.skewSeconds,
      claims.notBefore ?? 0 < time + Self.skewSeconds
    else { throw Refusal(reason: "is of a later time than this server’s") }
    guard claims.nonce?.hasSameBytes(as: nonce) == true else {
      throw Refusal(reason: "belongs to another login")
    }
    do {
      return try Identity(issuer: claims.issuer, subject: claims.subject)
    } catch {
      throw Refusal(reason: "does not name a person")
    }
  }

  /// The members of the header that are looked at (RFC 7515, section 4.1).
  private struct Header: Decodable {
    /// The algorithm of the signature; nil if none is named.
    let algorithm: String?
    let hasCriticalExtensions: Bool

    private enum CodingKeys: String, CodingKey {
      case algorithm = "alg"
      case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      algorithm = try container.decodeIfPresent(String.self, forKey: .algorithm)
      hasCriticalExtensions = container.contains(.critical)
    }
  }

  /// The claims that are checked.
  private struct Claims: Decodable {
    let issuer: String
    let subject: String
    let audience: Audience
    let authorizedParty: String?
    let nonce: String?
    /// Unix times, in seconds.
    let expiresAt: Double
    let issuedAt: Double
    let notBefore: Double?

    private enum CodingKeys: String, CodingKey {
      case nonce
      case issuer = "iss"
      case subject = "sub"
      case audience = "aud"
      case authorizedParty = "azp"
      case expiresAt = "exp"
      case issuedAt = "iat"
      case notBefore = "nbf"
    }
  }

  /// The clients for which a token is meant: a text or a list of texts.
  private struct Audience: Decodable {
    let values: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(String.self) {
        values = [value]
      } else {
        values = try container.decode([String].self)
      }
    }
  }
}
