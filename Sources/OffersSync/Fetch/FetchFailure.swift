import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OffersCore

/// Builds the errors of fetching a document, with advice on what to do next.
enum FetchFailure {
  static func refused(
    _ url: String, _ response: HTTPClientResponse, _ reason: String?
  ) -> OffersError {
    let code = response.status.code
    let hint =
      switch code {
      case 304: "Nothing was changed. The server was not asked for that: sync again later."
      case 401, 403: "Nothing was changed. The server wants a login or forbids it."
      case 404, 410: "Nothing was changed. Check the address: there is no document."
      case 407: "Nothing was changed. Put the proxy's user and password into HTTPS_PROXY."
      case 429, 500...599: "Nothing was changed. Sync again later."
      default: "Nothing was changed. Check the address."
      }
    let isMissing = code == 404 || code == 410
    return OffersError(
      isMissing ? .notFound : .sourceFailed,
      "\(url) answered \(code) \(response.status.reasonPhrase)" + (reason.map { ": \($0)" } ?? "."),
      hint: hint)
  }

  static func tooLarge(_ url: String, _ limits: FetchLimits) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) sent more than \(limits.bodyBytes) bytes.",
      hint: "Nothing was changed. Download it and sync from the file, which has no such limit.")
  }

  static func tooSlow(_ url: String, _ limits: FetchLimits) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) took longer than \(Int(limits.totalSeconds)) seconds.",
      hint: "Nothing was changed. Sync again later.")
  }

  static func translate(_ error: any Error, _ url: String, _ limits: FetchLimits) -> any Error {
    if error is OffersError || error is CancellationError { return error }
    var hint = "Nothing was changed. Check the address and the network, then sync again."
    let what: String
    switch error as? HTTPClientError {
    case .connectTimeout?: what = "did not answer in time"
    case .readTimeout?, .deadlineExceeded?: what = "stopped sending"
    case .remoteConnectionClosed?: what = "closed the connection too early"
    case .invalidURL?, .emptyHost?, .emptyScheme?: what = "is not a URL"
    case .proxyAuthenticationRequired?:
      what = "is behind a proxy that wants a login"
      hint = "Nothing was changed. Put the proxy's user and password into HTTPS_PROXY."
    case .invalidProxyResponse?: what = "is behind a proxy that refused the request"
    default:
      if let error = error as? HTTPParserError {
        what =
          switch error {
          case .invalidEOFState: "closed the connection too early"
          case .headerOverflow: "sent response headers that are too long"
          default: "sent an invalid HTTP response"
          }
      } else if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
        what = "cannot be trusted: its TLS certificate or encryption is not valid"
        hint =
          "Nothing was changed. If it has a certificate authority of its own, put the path of that "
          + "authority's certificate into \(TrustedCertificates.variable)."
      } else {
        what =
          error is ChannelError || error is IOError
            || "\(type(of: error))".contains("Connection")
          ? "cannot be reached" : "could not be read"
      }
    }
    return OffersError(.sourceFailed, "\(url) \(what).", hint: hint, cause: "\(error)")
  }
}
