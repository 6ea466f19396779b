import Foundation

/// An error with a message for users and advice on what to do next. The only error type that calls
/// of an app throw, besides `CancellationError` and the errors of encoders and decoders.
public struct OffersError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure that callers can distinguish.
  public enum Code: String, Sendable, CaseIterable {
    /// The request itself is wrong: a malformed name, an impossible option.
    case invalidRequest
    /// The offer, feed or input does not exist.
    case notFound
    /// Several feeds have an offer with the bare id.
    case ambiguous
    /// The document is not valid in its format: truncated, garbage, or of another type.
    case malformedFeed
    /// The document is well formed, but has no offers where the definition expects them.
    case unexpectedShape
    /// The received file is not a supported image, or is damaged.
    case malformedImage
    /// The source cannot be reached, or its server answered with an error.
    case sourceFailed
    /// This machine has no network, or one that answers in place of servers, such as a hotel's before
    /// its login. It is no failure of a feed.
    case noNetwork
    /// A limit on size or time was exceeded.
    case limitExceeded
    /// The document is not believed, so no offer was removed: see ``SyncOutcome/quarantined``.
    case quarantined
    /// Another sync of the same feed is running, or somebody else holds the database.
    case locked
    /// The database cannot be used: it is damaged or not accessible, belongs to another program, or
    /// the disk is full.
    case storageFailed
    /// The server of the database cannot be reached, is starting or stopping, or can only be read from.
    /// The same request may succeed a moment later.
    case storeUnreachable
    /// The database was written by a newer version of the program.
    case newerDatabase
  }

  /// The kind of failure, for programs.
  public let code: Code
  /// The failure and its place, in one sentence.
  public let message: String
  /// The advised next step, in words that name no command.
  public var hint: String? { advice?.text }
  /// The command of the program `offers` that takes the step, or an option for it, such as
  /// `--database FILE`; nil if there is none.
  public var command: String? { advice?.command }
  package let advice: Hint?
  /// The underlying error, for logs only.
  public let cause: String?

  /// Creates an error without a command.
  public init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    self.init(code, message, advice: hint.map { Hint($0) }, cause: cause)
  }

  package init(_ code: Code, _ message: String, advice: Hint?, cause: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.cause = cause
  }

  public var description: String {
    hint.map { "\(message) \($0)" } ?? message
  }
}

extension OffersError: LocalizedError {
  /// The message, in English.
  public var errorDescription: String? { message }
  /// The hint, in English.
  public var recoverySuggestion: String? { hint }
}
