import CurlShim
import Foundation
import OffersPlatform
import OffersSync

/// A failure of libcurl. https://curl.se/libcurl/c/libcurl-errors.html
struct ClientFailure {
  let code: CURLcode
  /// libcurl's own description; empty if there is none.
  let text: String
  /// Whether the request had been sent.
  let isSent: Bool
  /// Whether the head of the response had been received.
  let hasHead: Bool
  /// The status with which a proxy answered to CONNECT; 0 if there was no proxy, or no answer.
  let proxyStatus: Int
  /// The value of `errno` of a connection that failed; 0 if there was none.
  var systemError = 0
  /// Whether the machine has a route to the internet.
  var haveWayOut: () -> Bool = { InterfaceAddresses.haveWayOut }

  /// The errors of a connection for which there is no route. With a route to the internet they are a
  /// matter of the server's address, such as one of IPv6.
  private static let signsOfNoRoute = [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL]

  /// The error as an `HTTPTransport` throws it: a `TransportFailure`, or an `OffersError` for a fault of
  /// the settings.
  func translated(_ plan: TransferPlan) -> any Error {
    // libcurl shows a proxy that it cannot read with its password.
    let isShown = !text.isEmpty && code != CURLE_COULDNT_RESOLVE_PROXY
    let cause = isShown ? text : String(cString: curl_shim_describe(code))
    if code == CURLE_SSL_CACERT_BADFILE, let file = plan.certificates {
      return TrustedCertificates.unusable(file, cause: cause)
    }
    let reason = self.reason
    return TransportFailure(reason, hint: Self.hint(reason), cause: cause)
  }

  var reason: TransportFailure.Reason {
    if proxyStatus == 407 { return .proxyLogin }
    if proxyStatus >= 300 { return .proxyRefusal }
    switch code {
    case CURLE_COULDNT_CONNECT
    where Self.signsOfNoRoute.contains(Int32(clamping: systemError)) && !haveWayOut():
      return .noNetwork
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
      return .unreachable
    case CURLE_OPERATION_TIMEDOUT: return hasHead ? .stalled : .noAnswer
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: return .closedEarly
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      // libcurl has no code of its own for a body whose chunks cannot be read.
      if text.utf8.firstRange(of: "chunk".utf8) != nil { return .invalidResponse }
      return isSent ? .closedEarly : .unreachable
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_WRITE_ERROR:
      return .invalidResponse
    case CURLE_SSL_CONNECT_ERROR where Self.signsOfAnEnd.contains(where: text.contains):
      return .closedEarly
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_CERTPROBLEM:
      return .untrusted
    case CURLE_PROXY: return .proxyRefusal
    // libcurl gives up a line of more than 100 KB as if memory were short.
    case CURLE_OUT_OF_MEMORY: return hasHead ? .other : .oversizedHead
    default: return .other
    }
  }

  /// What libcurl's text holds if a connection ended during its handshake.
  private static let signsOfAnEnd = ["SSL_ERROR_SYSCALL", "Connection reset", "unexpected eof"]

  private static func hint(_ reason: TransportFailure.Reason) -> String? {
    switch reason {
    case .untrusted:
      "Nothing was changed. If it has a certificate authority of its own, put the path of that "
        + "authority's certificate into \(TrustedCertificates.variable)."
    case .proxyLogin:
      "Nothing was changed. Put the proxy's user and password into HTTPS_PROXY."
    default: nil
    }
  }
}
