import Foundation
import Logging
import OffersCore
import OffersPlatform

/// Sends HTTP requests, and receives their responses.
///
/// `OffersSync` has no HTTP client of its own. The module `OffersHTTP` adds one, over libcurl, and the
/// initializers that use it; an app may hand a transport of its own to ``SyncEngine`` and
/// ``ImageLoader``. Conditional requests, redirects, limits
/// of size, decompression and the wording of errors are the engine's; an implementation guarantees
/// the rest:
///
/// - **One request, one response.** A GET is sent with exactly the header fields of the request, and
///   those that HTTP itself requires (`Host`, `Connection`). No cookie, credential or cache of the
///   system's is used: a 304 is the engine's to understand.
/// - **No redirect is followed.** A response of any status is returned as it came; interim
///   responses (1xx) are skipped.
/// - **The body is as it was sent**, with its `Content-Encoding` and `Content-Length`. A transport
///   that decompresses removes these two fields from the head.
/// - **The body is a stream** of nonempty pieces that is read once. It throws if the connection ends
///   before the response does, and it buffers only a few pieces ahead of its reader.
///   When the reader ends early, or its task is cancelled, the transfer is ended.
/// - **Timeouts** are ``TransportRequest/headSeconds`` and ``TransportRequest/idleSeconds``.
/// - **Private networks.** A request exists only for hosts whose name allows it, but a public name
///   may resolve to a private address. A transport that resolves names passes each address to
///   ``TransportRequest/check(address:)``, and connects to no other than the checked one.
///
/// One call of the engine sends one request at a time to the host of a source. The image loader
/// sends at most two requests at a time to the host of an image.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and returns when the head of the response has arrived.
  ///
  /// - Throws: ``TransportFailure``, which the engine puts into words; `OffersError`, such as that of
  ///   ``TransportRequest/check(address:)``, which it passes on; or `CancellationError`. Any other
  ///   error counts as a failure with the reason ``TransportFailure/Reason/other``.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A transport that must be closed after use.
package protocol ClosableTransport: HTTPTransport {
  /// Closes all connections, and waits until they are closed. Must be called after all requests have ended.
  func close() async
}

/// How a sync engine or an image loader gets its transport.
package enum TransportOwnership: Sendable {
  /// The app's transport, which the engine or loader does not close.
  case shared(any HTTPTransport)
  /// A closure that opens a transport, which the engine or loader closes.
  case owned(@Sendable () -> any ClosableTransport)
}

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
  ) throws(OffersError) {
    try self.init(
      url: url, posting: nil, headers: headers, mayBePrivate: mayBePrivate,
      headSeconds: headSeconds, idleSeconds: idleSeconds)
  }

  /// - Parameter body: the body of a POST request; nil for a GET request.
  /// - Throws: as the other initializer, which describes the other parameters.
  package init(
    url: String, posting body: [UInt8]?, headers: [HeaderField], mayBePrivate: Bool,
    headSeconds: Double, idleSeconds: Double
  ) throws(OffersError) {
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
  public func check(address text: String) throws(OffersError) {
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
      hint: .allowPrivateNetwork, cause: cause)
  }
}

/// The response to a ``TransportRequest``: its head, and its body as a stream.
public struct TransportResponse: Sendable {
  /// The HTTP status code, 200 or above: interim responses (1xx) are not passed on.
  public let status: Int
  /// The reason phrase after the status code, such as `Not Found`; empty if there is none.
  public let reason: String
  /// The header fields in the response's order.
  public let headers: [HeaderField]
  /// The bytes of the body, in nonempty pieces of any size. It is read once.
  public let body: any AsyncSequence<[UInt8], any Error> & Sendable

  /// Creates a response with a streamed body.
  public init(
    status: Int, reason: String = "", headers: [HeaderField] = [],
    body: any AsyncSequence<[UInt8], any Error> & Sendable
  ) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }

  /// A response whose body is in memory.
  public init(
    status: Int, reason: String = "", headers: [HeaderField] = [], bytes: [UInt8]
  ) {
    let pieces = AsyncThrowingStream<[UInt8], any Error> { pieces in
      if !bytes.isEmpty { pieces.yield(bytes) }
      pieces.finish()
    }
    self.init(status: status, reason: reason, headers: headers, body: pieces)
  }
}

/// A field of the head of a request or a response (RFC 9110, section 5).
public struct HeaderField: Hashable, Sendable {
  /// The name, in any case.
  public let name: String
  /// The value without white space around it.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension HeaderField {
  /// The `User-Agent` of all requests.
  static let userAgent = HeaderField("user-agent", "offers/\(Version.current)")
}

extension [HeaderField] {
  /// The values of all fields of a name, in order.
  ///
  /// - Parameter name: the name in lower case.
  package subscript(name: String) -> [String] {
    filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of the first field of a name, given in lower case; nil if there is none.
  package func first(name: String) -> String? {
    first { $0.name.lowercased() == name }?.value
  }

  /// Adds a field, and removes all others of its name in any case.
  mutating func replace(_ name: String, with value: String) {
    removeAll { $0.name.lowercased() == name.lowercased() }
    append(HeaderField(name, value))
  }
}

/// The error of an ``HTTPTransport`` that got no response, or only the beginning of one.
///
/// The sync engine and the image loader report it as an `OffersError` with `sourceFailed`, whose
/// message names the URL.
public struct TransportFailure: Error, Hashable, Sendable {
  /// The reason of a failure.
  public enum Reason: Hashable, Sendable, CaseIterable {
    /// No connection to the server could be established.
    case unreachable
    /// The name of the server has no address.
    case unknownHost
    /// The machine has no network: no route leads to the server, or no resolver answers.
    case noNetwork
    /// No connection or no head of a response came in time.
    case noAnswer
    /// The body stopped for longer than ``TransportRequest/idleSeconds``.
    case stalled
    /// The connection ended before the response did.
    case closedEarly
    /// The bytes received are no HTTP response.
    case invalidResponse
    /// The head of the response is longer than the transport accepts.
    case oversizedHead
    /// The certificate or the encryption of the server is not valid.
    case untrusted
    /// The proxy asks for a user and a password.
    case proxyLogin
    /// The proxy refused to connect to the server.
    case proxyRefusal
    /// Any other reason.
    case other
  }

  /// The kind of failure.
  public let reason: Reason
  /// The message to the user instead of the sync engine's; nil to keep that.
  let message: String?
  /// Advice to the user that replaces the sync engine's; nil to keep that.
  public let hint: String?
  /// The text of the HTTP client's own error, for logs; nil if there is none.
  public let cause: String?

  /// Creates a failure.
  public init(_ reason: Reason, hint: String? = nil, cause: String? = nil) {
    self.init(reason, message: nil, hint: hint, cause: cause)
  }

  init(_ reason: Reason, message: String?, hint: String?, cause: String? = nil) {
    self.reason = reason
    self.message = message
    self.hint = hint
    self.cause = cause
  }
}

/// The limits of fetching one document, such as a page of a feed or an image.
public struct FetchLimits: Hashable, Sendable {
  /// The most bytes of a document, as it is sent and, if it is compressed, also decompressed. The
  /// default is 1 GiB.
  public var bodyBytes: Int
  /// The longest single wait, in seconds: for a connection, for the head of a response, or for the
  /// next bytes of its body.
  public var idleSeconds: Int64
  /// The longest time for the whole document including redirects, in seconds. The time is checked
  /// before each request and when bytes arrive.
  public var totalSeconds: Double
  /// The most redirects to follow.
  public var redirects: Int

  /// Creates limits. The defaults suit feeds of up to a million offers.
  public init(
    bodyBytes: Int = 1 << 30, idleSeconds: Int64 = 30, totalSeconds: Double = 600,
    redirects: Int = 5
  ) {
    self.bodyBytes = bodyBytes
    self.idleSeconds = idleSeconds
    self.totalSeconds = totalSeconds
    self.redirects = redirects
  }
}

extension Logger {
  /// A logger that discards everything, for engines and loaders that were given none.
  package static var silent: Logger {
    Logger(label: "offers", factory: { _ in SwiftLogNoOpLogHandler() })
  }
}
