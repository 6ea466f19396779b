import Foundation
import OffersPlatform

/// An error with a message for users and advice on what to do next. The only error type that calls
/// of an app throw, besides the errors of encoders and decoders.
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
    /// The document is not believed, so no offer was removed: see ``SyncOutcome/heldBack``.
    /// Databases, exports and the API have its older name.
    case heldBack = "quarantined"
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
    /// The task was cancelled. Nothing was written, except where the call says so.
    case cancelled
  }

  /// The kind of failure, for programs.
  public let code: Code
  /// The failure and its place, in one sentence.
  public let message: String
  /// The advised next step; nil if there is none.
  public let hint: Hint?
  /// The underlying error, for logs only.
  public let cause: String?
  /// The message of the server that refused a request, in the server's own words; nil without a message, and for
  /// an error that was read from a database.
  public private(set) var serverWords: String?

  /// Creates an error of its parts; the properties describe them.
  public init(_ code: Code, _ message: String, hint: Hint? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  /// This error with the words of the server that refused the request.
  package func quoting(_ words: String?) -> OffersError {
    var error = self
    error.serverWords = words
    return error
  }

  /// Creates an error whose hint, if it has one, names no command.
  public init(_ code: Code, _ message: String, hint: String?, cause: String? = nil) {
    self.init(code, message, hint: hint.map { Hint($0) }, cause: cause)
  }

  public var description: String {
    hint.map { "\(message) \($0.text)" } ?? message
  }
}

extension OffersError {
  /// The error of a call whose task was cancelled.
  public static let cancelled = OffersError(.cancelled, "The task was cancelled.")

  /// The error as it leaves a module: itself, `cancelled` for a `CancellationError`, and `storageFailed`
  /// for any other, which no module should throw.
  package init(_ error: any Error) {
    switch error {
    case let error as OffersError: self = error
    case is CancellationError: self = .cancelled
    default: self.init(.storageFailed, "An unexpected error occurred.", cause: "\(error)")
    }
  }

  /// Runs a closure, and translates its errors to those that leave a module.
  package static func translating<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws(OffersError) -> Result {
    do { return try await body() } catch { throw OffersError(error) }
  }

  package static func translating<Result>(
    _ body: () throws -> Result
  ) throws(OffersError) -> Result {
    do { return try body() } catch { throw OffersError(error) }
  }

  /// Throws `cancelled` if the task is cancelled.
  package static func checkCancellation() throws(OffersError) {
    if Task.isCancelled { throw .cancelled }
  }

  /// Throws `cancelled` if the task is cancelled, or if this is the error of a cancelled call.
  package func throwIfCancelled() throws(OffersError) {
    if code == .cancelled || Task.isCancelled { throw .cancelled }
  }
}

extension Error {
  /// Whether a task was cancelled, and nothing failed.
  package var isCancellation: Bool {
    self is CancellationError || (self as? OffersError)?.code == .cancelled
  }
}

extension OffersError: LocalizedError {
  /// The message, in English.
  public var errorDescription: String? { message }
  /// The hint, in English.
  public var recoverySuggestion: String? { hint?.text }
}

/// The next step that an error or a finding advises: a sentence, and the command that takes the step.
public struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The step in words that name no command, which an app and the web page show.
  public let text: String
  /// The command of the program or the system that takes the step, such as `offers doctor`, or the
  /// option of the called command, such as `--database FILE`; nil if there is none.
  public let command: String?

  /// Creates a hint.
  public init(_ text: String, command: String? = nil) {
    self.text = text
    self.command = command
  }

  /// Creates a hint that names no command.
  public init(stringLiteral value: String) { self.init(value) }

  /// The text and the command as the command line prints them: `Repair it: offers doctor --repair`.
  package var printed: String {
    guard let command else { return text }
    return (text.hasSuffix(".") ? text.dropLast() : text[...]) + ": " + command
  }

  /// The hint with its text and its command changed.
  package func map(_ change: (String) -> String) -> Hint {
    Hint(change(text), command: command.map(change))
  }
}

// MARK: Hints of several rooms

extension Hint {
  package static let allowPrivateNetwork = Hint(
    "Nothing was changed. If that is right, allow private networks.",
    command: "--allow-private-network")

  package static let allowOpenFiles = Hint(
    "Close files and other programs, or allow more open files.", command: "ulimit -n 4096")

  package static func chooseDatabase(_ text: String) -> Hint {
    Hint(text, command: "--database FILE")
  }

  /// The hint to change the permissions of files to a mode, as chmod(1) writes it.
  package static func changeMode(_ text: String, _ mode: String, _ paths: [String]) -> Hint {
    Hint(
      text, command: "chmod \(mode) " + paths.map(ShellQuoting.word).joined(separator: " "))
  }
}

extension OffersError {
  /// The error with `Hint.printed` as its hint.
  package var withCommands: OffersError {
    OffersError(code, message, hint: hint?.printed, cause: cause).quoting(serverWords)
  }
}

/// One result of a check, such as one of `offers doctor`.
package struct Finding: Hashable, Sendable {
  package enum Level: String, Sendable, CaseIterable {
    case ok
    /// Nothing need be done.
    case note
    /// The subject works, but deserves attention.
    case warning
    /// The subject does not work, or is about to fail.
    case problem
  }

  package let level: Level
  /// The checked subject, such as `integrity`.
  package let subject: String
  package let message: String
  /// The advised action; nil when there is none.
  package let hint: Hint?

  package init(
    _ level: Level, _ subject: String, _ message: String, hint: Hint? = nil
  ) {
    self.level = level
    self.subject = subject
    self.message = message
    self.hint = hint
  }
}

/// The result of a repair, such as one of `offers doctor --repair`.
package struct Repair: Hashable, Sendable {
  /// The repaired subject, such as `integrity`.
  package let subject: String
  package let message: String
  package let isDone: Bool

  package init(subject: String, message: String, isDone: Bool) {
    self.subject = subject
    self.message = message
    self.isDone = isDone
  }
}
