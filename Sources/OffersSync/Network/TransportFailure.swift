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
