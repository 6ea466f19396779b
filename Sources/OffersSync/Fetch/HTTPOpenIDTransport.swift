import Foundation
import OffersCore

/// Sends requests to an OpenID provider: by https only, or by http to a provider on this machine.
///
/// The server of the issuer may be in a private network, because the operator named it. Other servers
/// that its documents name must be on the public internet, unless `allowsPrivateNetwork` is true. A
/// request takes at most 10 seconds and follows no redirect: neither a code nor a secret goes to an
/// address that no document of the provider names. An answer has at most 256 KiB.
package struct HTTPOpenIDTransport: OpenIDTransport {
  private let transport: any HTTPTransport
  private let issuer: HTTPOrigin
  private let allowsPrivateNetwork: Bool

  private static let seconds = 10.0
  private static let bodyBytes = 256 << 10

  /// - Parameter issuer: the issuer identifier of the provider, an https URL.
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no URL.
  package init(
    transport: any HTTPTransport, issuer: String, allowsPrivateNetwork: Bool
  ) throws {
    guard let address = HTTPAddress(issuer) else {
      throw OffersError(.invalidRequest, "“\(issuer.prefix(200))” is not a URL.")
    }
    self.transport = transport
    self.issuer = HTTPOrigin(address.url)
    self.allowsPrivateNetwork = allowsPrivateNetwork
  }

  package func pull(_ url: String) async throws -> OpenIDResponse {
    try await send(url, nil, [])
  }

  package func post(
    _ form: String, to url: String, authorization: String?
  ) async throws -> OpenIDResponse {
    var fields = [HeaderField("content-type", "application/x-www-form-urlencoded")]
    if let authorization { fields.append(HeaderField("authorization", authorization)) }
    return try await send(url, Array(form.utf8), fields)
  }

  private func send(
    _ url: String, _ body: [UInt8]?, _ fields: [HeaderField]
  ) async throws -> OpenIDResponse {
    guard let address = HTTPAddress(url) else {
      throw OffersError(.sourceFailed, "The provider named an address that is no URL.")
    }
    let isLoopback =
      address.literal?.isLoopback ?? false || address.host == "localhost"
    guard address.url.scheme == "https" || isLoopback else {
      throw OffersError(
        .sourceFailed, "\(address.host) is asked by https only, for a login at it.")
    }
    let origin = HTTPOrigin(address.url)
    let request = try TransportRequest(
      url: url, posting: body,
      headers: [
        .userAgent,
        HeaderField("accept", "application/json"), HeaderField("accept-encoding", "identity"),
      ] + fields,
      mayBePrivate: origin == issuer || allowsPrivateNetwork, headSeconds: Self.seconds,
      idleSeconds: Self.seconds)
    do {
      return try await Timeout.run(seconds: Self.seconds) {
        try await receive(request)
      } late: {
        OffersError(.sourceFailed, "\(origin.host) did not answer in time.", hint: Self.hint)
      }
    } catch let failure as TransportFailure {
      // An app's own transport may report a cancellation as an error of the connection.
      if Task.isCancelled { throw CancellationError() }
      throw OffersError(
        .sourceFailed, "\(origin.host) \(FetchFailure.predicate(failure.reason)).",
        hint: Self.hint, cause: failure.cause)
    }
  }

  private func receive(_ request: TransportRequest) async throws -> OpenIDResponse {
    let response = try await transport.send(request)
    var body: [UInt8] = []
    for try await piece in response.body {
      guard body.count + piece.count <= Self.bodyBytes else {
        throw OffersError(
          .sourceFailed, "\(request.address.host) sent more than \(Self.bodyBytes >> 10) KiB.")
      }
      body += piece
    }
    let coding = response.headers.first(name: "content-encoding")?.lowercased() ?? "identity"
    guard coding == "identity" else {
      throw OffersError(
        .sourceFailed, "\(request.address.host) compressed an answer that it was not asked to.")
    }
    return OpenIDResponse(status: response.status, body: body)
  }

  private static let hint = "Try again later, or log in another way."
}
