import Foundation
import OffersCore

/// The metadata of the responses to one fetch of a feed or an image.
struct FetchMetadata: Hashable, Sendable {
  /// The number of requests, including redirects and pages.
  var requestCount = 0
  /// The HTTP status of the response to the last request; nil when there was none.
  var status: Int?
  /// Who answered, if the fetch failed.
  var contact = Contact.server
  /// Whether the fetch failed because no connection came about, or no response within the timeout.
  var isUnreached: Bool { [.nobody, .unknownName, .noNetwork].contains(contact) }
  /// Whether a request was conditional: it carried the validators of the stored document.
  var isConditional = false
  /// Whether a conditional request was answered with 304 Not Modified.
  var isNotModified = false
  var validators = Validators.none
  /// The `AddressMark` of the final URL of the first document; nil if no document and no 304 came.
  var addressMark: String?
  /// Whether the validators cover the whole feed, which they do not when it has several pages.
  var vouches = true
  /// The freshness lifetime in seconds: the longer one of that in the response's header and that in
  /// the document (its TTL); nil if there is neither.
  var freshSeconds: Int?
  /// The time until which the server of the last response asks for no requests; nil if it does not.
  var retryAfter: Date?
  /// Whether the address in the source was answered with 410 Gone. The 410 of a further page, or of
  /// the target of a redirect, does not count.
  var isGoneForGood = false
  /// Whether WordPress answered that there is no page of such a number (400).
  var isBehindLastPage = false
  /// The target of the permanent redirects (301, 308) before the first temporary one; nil when
  /// there was none.
  var permanentAddress: String?
}

/// Who answered to a fetch that failed.
enum Contact: Hashable, Sendable {
  /// The server itself, as far as can be told.
  case server
  /// Nobody: no connection came about, or no answer came.
  case nobody
  /// Nobody: the name has no address.
  case unknownName
  /// The machine has no network.
  case noNetwork
  /// Perhaps not the server: a web page came in place of a feed, the certificate is another one, or a
  /// public name leads into a private network.
  case stranger
  /// The login page of a network (511, RFC 6585).
  case portal

  /// What the failure of a transport says; nil if it came from the server.
  init?(_ reason: TransportFailure.Reason) {
    switch reason {
    case .unreachable, .noAnswer: self = .nobody
    case .unknownHost: self = .unknownName
    case .noNetwork: self = .noNetwork
    case .untrusted: self = .stranger
    default: return nil
    }
  }
}

/// Collects the metadata while a feed or an image is fetched. Used by one task only.
final class FetchLog {
  var answer = FetchMetadata()
}

/// Builds the errors of fetching a document, with advice on what to do next.
enum FetchFailure {
  static func refused(
    _ url: String, _ response: TransportResponse, _ reason: String?
  ) -> OffersError {
    let code = response.status
    let hint =
      switch code {
      case 304: "Nothing was changed. The server was not asked for that: sync again later."
      case 401, 403: "Nothing was changed. Check the key or the login that the feed needs."
      case 404, 410: "Nothing was changed. Check the address: there is no document."
      case 407: "Nothing was changed. Put the proxy's user and password into HTTPS_PROXY."
      case 429, 500...599: "Nothing was changed. Sync again later."
      default: "Nothing was changed. Check the address."
      }
    let isMissing = code == 404 || code == 410
    return OffersError(
      isMissing ? .notFound : .sourceFailed,
      "\(url) answered \(code)" + (response.reason.isEmpty ? "" : " \(response.reason)")
        + (reason.map { ": \($0)" } ?? "."),
      hint: hint
    ).quoting(reason ?? (response.reason.isEmpty ? nil : response.reason))
  }

  static func tooLarge(_ url: String, _ limits: FetchLimits) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) sent more than \(limits.bodyBytes) bytes.",
      hint: "Nothing was changed. Download it and sync from the file, which has no such limit.")
  }

  static func tooSlow(_ url: String, _ limits: FetchLimits) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) took longer than \(Int(clamped: limits.totalSeconds)) seconds.",
      hint: "Nothing was changed. Sync again later.")
  }

  /// The error of a fetch as it is reported: a `CancellationError` if the task was cancelled, the
  /// error itself if it is an `OffersError`, and otherwise an `OffersError` with `sourceFailed`.
  ///
  /// - Parameters:
  ///   - error: the error that the fetch threw.
  ///   - url: the URL of the document before any redirect, for the message.
  static func translate(_ error: any Error, _ url: String) -> any Error {
    // An app's own transport may report a cancellation as an error of the connection.
    if Task.isCancelled { return CancellationError() }
    if error is OffersError || error is CancellationError { return error }
    let failure =
      error as? TransportFailure ?? TransportFailure(.other, cause: "\(error)")
    return OffersError(
      .sourceFailed, failure.message ?? "\(url) \(predicate(failure.reason)).",
      hint: failure.hint
        ?? "Nothing was changed. Check the address and the network, then sync again.",
      cause: failure.cause)
  }

  /// The failure in words, behind the name of the server.
  static func predicate(_ reason: TransportFailure.Reason) -> String {
    switch reason {
    case .unreachable: "cannot be reached"
    case .unknownHost: "cannot be found"
    case .noNetwork: "cannot be reached without a network"
    case .noAnswer: "did not answer in time"
    case .stalled: "stopped sending"
    case .closedEarly: "closed the connection too early"
    case .invalidResponse: "sent an invalid HTTP response"
    case .oversizedHead: "sent response headers that are too long"
    case .untrusted: "cannot be trusted: its TLS certificate or encryption is not valid"
    case .proxyLogin: "is behind a proxy that wants a login"
    case .proxyRefusal: "is behind a proxy that refused the request"
    case .other: "could not be read"
    }
  }
}
