import Foundation

/// What the servers that were asked for a feed said besides the document.
struct FetchAnswer: Hashable, Sendable {
  /// Requests made, redirects and pages included.
  var requestCount = 0
  /// The last answer's status; nil when none came.
  var status: Int?
  /// Whether the server was asked only for something newer.
  var isConditional = false
  /// Whether it had nothing newer.
  var isNotModified = false
  var validators = Validators.none
  /// Stands for the address that gave the document; see `AddressMark`.
  var addressMark: String?
  /// Whether the validators are those of all that was read: a feed of several pages has none.
  var vouches = true
  /// How long the document stays good, in seconds, by the server or by the feed itself.
  var freshSeconds: Int?
  /// When the server wants to be asked again, after an error.
  var retryAfter: Date?
  /// Whether the server said 410.
  var isGoneForGood = false
  /// Where permanent redirects alone led; nil when there were none.
  var permanentAddress: String?
}

/// Collects the answer while a feed is fetched. One task has it.
final class FetchLog {
  var answer = FetchAnswer()
}
