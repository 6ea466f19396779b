import Foundation
import OffersCore
import OffersPlatform

/// A request for an ``HTTPTransport``. Those of the sync engine and the image loader are GET requests.
public struct TransportRequest: Hashable, Sendable {
  package let address: HTTPAddress
  /// The header fields to send.
  public let headers: [HeaderField]
  /// The body of a POST request; nil for a GET request. Only the requests to OpenID providers have
  /// one, which use the transport of this package.
  package let body: [UInt8]?
  /// Whether the server may be in a private network or on this machine, because a user of this
  /// machine named it or a setting allows private networks.
  public let mayBePrivate: Bool
  /// The longest wait for the head of the response, in seconds, from the call of
  /// ``HTTPTransport/send(_:)`` on.
  public let headSeconds: Double
  /// The longest wait for a connection and for the next bytes of the body, in seconds.
  public let idleSeconds: Double

  /// The URL to request: http or https, with its scheme and host in lower case, its host in ASCII,
  /// and a port of at most 65535 if it has one.
  public var url: URL { address.url }

  /// - Parameters:
  ///   - url: the text of the URL, in any case.
  ///   - headers: the header fields to send.
  ///   - mayBePrivate: whether the server may be in a private network or on this machine.
  ///   - headSeconds: the longest wait for the head of the response.
  ///   - idleSeconds: the longest wait for a connection and for the next bytes of the body.
  /// - Throws: `OffersError` with `sourceFailed` for a text that is not an http or https URL with a
  ///   valid host, and, unless `mayBePrivate`, for a host that is an address outside the public
  ///   internet in any notation, has one label, or is a name that is reserved for private networks.
  public init(
    url: String, headers: [HeaderField] = [], mayBePrivate: Bool = false,
    headSeconds: Double = 30, idleSeconds: Double = 30
  ) throws {
    try self.init(
      url: url, posting: nil, headers: headers, mayBePrivate: mayBePrivate,
      headSeconds: headSeconds, idleSeconds: idleSeconds)
  }

  /// - Parameters:
  ///   - body: the body of a POST request; nil for a GET request.
  /// - Throws: as the other initializer, which describes the other parameters.
  package init(
    url: String, posting body: [UInt8]?, headers: [HeaderField], mayBePrivate: Bool,
    headSeconds: Double, idleSeconds: Double
  ) throws {
    guard let address = HTTPAddress(url) else {
      throw OffersError(
        .sourceFailed, "\(url) is not a URL.",
        hint: "Nothing was changed. Check the address and the network, then sync again.")
    }
    self.address = address
    self.headers = headers
    self.body = body
    self.mayBePrivate = mayBePrivate
    self.headSeconds = headSeconds
    self.idleSeconds = idleSeconds
    if !mayBePrivate, address.isPrivate {
      throw refusal(address.literal?.text ?? "a private network", cause: nil)
    }
  }

  /// Throws if the request must not be sent to an address. A transport that resolves names calls
  /// this before it connects; see ``HTTPTransport``.
  ///
  /// - Parameter text: an IPv4 or IPv6 address that the host resolves to, such as `192.0.2.1`.
  /// - Throws: `OffersError` (`sourceFailed`) if ``mayBePrivate`` is false and the address is not
  ///   on the public internet, or the text is not an address.
  public func check(address text: String) throws {
    if mayBePrivate { return }
    if let address = NetworkAddress(text), address.isPublic { return }
    // The message may be shown to clients of a server, which must not learn the addresses of its
    // network. An address that is part of the URL is no secret.
    let isPartOfURL = address.literal != nil
    throw refusal(isPartOfURL ? text : "a private network", cause: isPartOfURL ? nil : text)
  }

  private func refusal(_ target: String, cause: String?) -> OffersError {
    OffersError(
      .sourceFailed,
      "\(url.absoluteString) leads to \(target), which is not on the public internet.",
      advice: .allowPrivateNetwork, cause: cause)
  }
}
