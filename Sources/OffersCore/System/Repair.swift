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
