import Foundation

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
  /// The time until which a `Retry-After` header asks for no requests; nil if the fetch did not end
  /// with a 429 or 503 that has one.
  var retryAfter: Date?
  /// Whether the address in the source was answered with 410 Gone. The 410 of a further page, or of
  /// the target of a redirect, does not count.
  var isGoneForGood = false
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
