import Foundation
import JWTKit
import OffersCore

/// An ID token: a statement of a provider, signed with one of its keys, about who has logged in (OpenID
/// Connect Core 1.0, section 2).
struct IDToken: Sendable {
  /// The longest token that is looked at, in bytes.
  private static let mostBytes = 16 << 10
  /// How far the clock of the provider may differ, in seconds.
  private static let skewSeconds = 60.0

  /// Why a token is not accepted, as the end of a sentence about it.
  struct Refusal: Error, Equatable {
    let reason: String
  }

  private let text: String
  let algorithm: JWK.Algorithm
  /// The name of the key; nil if the token has none.
  let keyIdentifier: String?

  /// Reads the head of a token. Nothing is checked by its signature yet.
  ///
  /// - Throws: `Refusal` for a text that is no token, and for an algorithm that is not accepted.
  init(_ text: String) throws {
    guard text.utf8.count <= Self.mostBytes,
      // The error would tell no more than that the text is no token.
      let header = try? DefaultJWTParser().parse(Array(text.utf8), as: AnyClaims.self).header
    else { throw Refusal(reason: "is not an ID token") }
    guard header.fields["crit"] == nil else {
      throw Refusal(reason: "has extensions that this server does not know")
    }
    guard let algorithm = ProviderKeys.algorithm(header.alg) else {
      throw Refusal(reason: "is not signed with a public key of the provider")
    }
    self.text = text
    self.algorithm = algorithm
    keyIdentifier = header.kid
  }

  /// Checks the signature and the claims.
  ///
  /// - Parameters:
  ///   - key: the provider's key for the algorithm of the token.
  ///   - settings: the issuer and the client that the token must name.
  ///   - nonce: the value that was sent with the browser, which the token must have.
  /// - Returns: who has logged in.
  /// - Throws: `Refusal`.
  func verify(
    with key: JWK, _ settings: OpenIDSettings, nonce: String, now: Date
  ) async throws -> Identity {
    let claims: Claims
    do {
      var key = key
      // The collection holds this key only, by any name.
      key.keyIdentifier = JWKIdentifier(string: keyIdentifier ?? "")
      claims = try await JWTKeyCollection().add(jwk: key).verify(text, as: Claims.self)
    } catch {
      throw Refusal(reason: "has a wrong signature, or lacks a claim")
    }
    guard claims.issuer == settings.issuer else { throw Refusal(reason: "is of another issuer") }
    guard claims.audience.values.contains(settings.clientID),
      // A token for several clients names the one that asked for it.
      claims.authorizedParty == nil && claims.audience.values.count == 1
        || claims.authorizedParty == settings.clientID
    else { throw Refusal(reason: "is meant for another client") }
    let time = now.timeIntervalSince1970
    guard claims.expiresAt > time - Self.skewSeconds else { throw Refusal(reason: "has expired") }
    guard claims.issuedAt < time + Self.skewSeconds,
      claims.notBefore ?? 0 < time + Self.skewSeconds
    else { throw Refusal(reason: "is of a later time than this server’s") }
    guard claims.nonce == nonce else { throw Refusal(reason: "belongs to another login") }
    do {
      return try Identity(issuer: claims.issuer, subject: claims.subject)
    } catch {
      throw Refusal(reason: "does not name a person")
    }
  }

  /// Any claims, of a token whose signature is not checked yet.
  private struct AnyClaims: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) {}
  }

  /// The claims that are checked. They are read after the signature was checked.
  private struct Claims: JWTPayload {
    let issuer: String
    let subject: String
    let audience: Audience
    let authorizedParty: String?
    let nonce: String?
    /// Unix times, in seconds.
    let expiresAt: Double
    let issuedAt: Double
    let notBefore: Double?

    enum CodingKeys: String, CodingKey {
      case nonce
      case issuer = "iss"
      case subject = "sub"
      case audience = "aud"
      case authorizedParty = "azp"
      case expiresAt = "exp"
      case issuedAt = "iat"
      case notBefore = "nbf"
    }

    func verify(using algorithm: some JWTAlgorithm) {}
  }

  /// The clients for which a token is meant: a text or a list of texts. JWTKit's own claim traps on an
  /// empty list.
  private struct Audience: Codable {
    let values: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(String.self) {
        values = [value]
      } else {
        values = try container.decode([String].self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(values)
    }
  }
}
