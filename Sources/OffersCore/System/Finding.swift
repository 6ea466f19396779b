/// What somebody who looked a database through found about one thing.
package struct Finding: Hashable, Sendable {
  package enum Level: String, Sendable, CaseIterable {
    case ok
    /// Works, but should be known.
    case warning
    /// Does not work, or will not for long.
    case problem
  }

  package let level: Level
  /// What was looked at, such as `integrity`.
  package let subject: String
  package let message: String
  /// What to do; nil where there is nothing to do.
  package let advice: String?

  package init(
    _ level: Level, _ subject: String, _ message: String, advice: String? = nil
  ) {
    self.level = level
    self.subject = subject
    self.message = message
    self.advice = advice
  }
}
