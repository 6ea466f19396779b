import Foundation
import OffersCore

/// The description of a provider that the provider itself publishes (OpenID Connect Discovery 1.0,
/// section 3).
struct ProviderMetadata: Decodable, Sendable {
  let issuer: String
  /// Where browsers are sent to log in.
  let authorizationEndpoint: String
  /// Where a code is exchanged for an ID token.
  let tokenEndpoint: String
  /// The ways in which clients may authenticate to the token endpoint; nil for the usual one.
  let authenticationMethods: [String]?

  private enum CodingKeys: String, CodingKey {
    case issuer
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case authenticationMethods = "token_endpoint_auth_methods_supported"
  }

  /// Pulls the description of a provider.
  ///
  /// - Throws: `OffersError` with `sourceFailed` if the provider cannot be reached, describes another
  ///   issuer, or names an address that is not safe.
  static func pull(_ settings: OpenIDSettings) async throws -> ProviderMetadata {
    let answer = try await settings.transport.pull(settings.discoveryURL)
    guard answer.status == 200 else {
      throw settings.failure("answered \(answer.status) when it was asked for its description")
    }
    let metadata: ProviderMetadata
    do {
      metadata = try JSONDecoder().decode(ProviderMetadata.self, from: Data(answer.body))
    } catch {
      throw settings.failure("sent a description that cannot be read", cause: "\(error)")
    }
    // Another issuer could speak for the identities of this one.
    guard metadata.issuer.hasSameBytes(as: settings.issuer) else {
      throw settings.failure(
        "calls itself “\(metadata.issuer.prefix(200))”, not \(settings.issuer)")
    }
    // The token endpoint's TLS vouches for ID tokens: see `IDToken`.
    let urls = [metadata.authorizationEndpoint, metadata.tokenEndpoint]
    guard
      urls.allSatisfy({ ProviderURL.isAllowed($0, mayBeLoopback: settings.isLoopback) })
    else { throw settings.failure("names an address that is not an https URL") }
    return metadata
  }
}
