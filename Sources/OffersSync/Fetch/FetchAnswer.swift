import Foundation

/// The metadata of the responses of one fetch.
struct FetchAnswer: Hashable, Sendable {
  /// The number of requests, including redirects and pages.
  var requestCount = 0
  /// The HTTP status of the last response; nil when there was none.
  var status: Int?
  /// Whether the request was conditional.
  var isConditional = false
  /// Whether the response was 304 Not Modified.
  var isNotModified = false
  var validators = Validators.none
  /// The hash of the address that the document came from; see `AddressMark`.
  var addressMark: String?
  /// Whether the validators cover the whole feed, which they do not when it has several pages.
  var vouches = true
  /// The freshness lifetime of the document in seconds, by the server or by the feed itself.
  var freshSeconds: Int?
  /// The time of a `Retry-After` header in an error response; nil without one.
  var retryAfter: Date?
  /// Whether the server answered 410 Gone.
  var isGoneForGood = false
  /// The target of a chain of permanent redirects only; nil when there was none.
  var permanentAddress: String?
}

/// Collects the metadata while a feed is fetched. Confined to one task.
final class FetchLog {
  var answer = FetchAnswer()
}
