import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OffersCore
import OffersSync

/// Translates the errors of the HTTP client.
enum ClientFailure {
  /// The error as an `HTTPTransport` throws it: a `TransportFailure`, unless it is an `OffersError`
  /// or a `CancellationError` already.
  static func translate(_ error: any Error) -> any Error {
    if error is OffersError || error is CancellationError { return error }
    let (reason, hint) = explanation(of: error)
    return TransportFailure(reason, hint: hint, cause: "\(error)")
  }

  /// Whether an error lets another address of the host be tried: no connection to this address
  /// could be established, or the connection failed.
  static func isUnreachable(_ error: any Error) -> Bool {
    if error as? HTTPClientError == .connectTimeout { return true }
    return isConnectionError(error)
  }

  private static func isConnectionError(_ error: any Error) -> Bool {
    if error is NIOConnectionError || error is IOError { return true }
    switch error as? ChannelError {
    case .connectTimeout?, .ioOnClosedChannel?, .alreadyClosed?, .inputClosed?, .outputClosed?,
      .eof?:
      return true
    default: return false
    }
  }

  private static func explanation(
    of error: any Error
  ) -> (TransportFailure.Reason, hint: String?) {
    switch error as? HTTPClientError {
    case .connectTimeout?: return (.noAnswer, nil)
    case .readTimeout?, .deadlineExceeded?: return (.stalled, nil)
    case .remoteConnectionClosed?: return (.closedEarly, nil)
    case .proxyAuthenticationRequired?:
      return (
        .proxyLogin, "Nothing was changed. Put the proxy's user and password into HTTPS_PROXY."
      )
    case .invalidProxyResponse?: return (.proxyRefusal, nil)
    default: break
    }
    switch error as? HTTPParserError {
    case .invalidEOFState?: return (.closedEarly, nil)
    case .headerOverflow?: return (.oversizedHead, nil)
    case .some: return (.invalidResponse, nil)
    case nil: break
    }
    if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
      return (
        .untrusted,
        "Nothing was changed. If it has a certificate authority of its own, put the path of that "
          + "authority's certificate into \(TrustedCertificates.variable)."
      )
    }
    return (isConnectionError(error) ? .unreachable : .other, nil)
  }
}
