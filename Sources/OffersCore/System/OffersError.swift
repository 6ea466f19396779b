/// What went wrong, where, and what to do next. The only error that leaves a room of this package.
public struct OffersError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure a caller can tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The request itself is wrong: a malformed name, an impossible option.
    case invalidRequest
    /// No such offer, feed or input.
    case notFound
    /// A bare id that several feeds have.
    case ambiguous
    /// The document is not what its format says: truncated, garbage, wrong type.
    case malformedFeed
    /// The document is well formed, but the offers are not where the definition says.
    case unexpectedShape
    /// What came is no picture, or a damaged one.
    case malformedImage
    /// The source cannot be reached, or answered with an error.
    case sourceFailed
    /// A stated limit on size or time was passed.
    case limitExceeded
    /// More offers would vanish than an everyday sync explains; nothing was removed.
    case quarantined
    /// Another process is syncing the same feed.
    case locked
    /// The database cannot be used: damaged, not ours, not permitted, disk full.
    case storageFailed
    /// The database was written by a newer version of the program.
    case newerDatabase
  }

  public let code: Code
  /// What happened and where, in one sentence.
  public let message: String
  /// What to do next.
  public let hint: String?
  /// What lies beneath, for a log; not for people.
  public let cause: String?

  public init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  public var description: String {
    hint.map { "\(message) \($0)" } ?? message
  }
}
