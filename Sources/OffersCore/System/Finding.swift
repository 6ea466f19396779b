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
  package let advice: Hint?

  package init(
    _ level: Level, _ subject: String, _ message: String, advice: Hint? = nil
  ) {
    self.level = level
    self.subject = subject
    self.message = message
    self.advice = advice
  }
}
