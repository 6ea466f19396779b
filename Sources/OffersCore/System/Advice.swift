/// The advice of an error: a text that names no command, with the step that a part of it stands for.
package struct Advice: Hashable, Sendable, ExpressibleByStringInterpolation {
  private let start: String
  package let step: AdvisedStep?
  private let rest: String

  /// An advice with a step that has words of its own.
  ///
  /// - Parameters:
  ///   - start: the text before the words of the step, such as `Check the database`.
  ///   - step: the step whose words follow; nil for none.
  ///   - rest: the text after them.
  package init(_ start: String, step: AdvisedStep?, _ rest: String = "") {
    self.start = start
    self.step = step
    self.rest = rest
  }

  /// An advice that is its text alone.
  package init(_ text: String) { self.init(text, step: nil) }

  package init(_ start: String, _ remedy: Remedy, _ rest: String = "") {
    self.init(start, step: .remedy(remedy), rest)
  }

  package init(_ start: String, _ step: ProgramStep, _ rest: String = "") {
    self.init(start, step: .program(step), rest)
  }

  package init(stringLiteral value: String) { self.init(value) }

  /// An advice that was stored as its text and its step. If the text does not end in the words of
  /// the step, the advice has no step.
  package init(stored text: String, step: AdvisedStep?) {
    guard let step, text.hasSuffix(step.words) else {
      self.init(text)
      return
    }
    self.init(String(text.dropLast(step.words.count)), step: step)
  }

  package var text: String { text { $0.words } }

  /// The remedy that the advice stands for; nil if it has none, or a step for the program only.
  package var remedy: Remedy? {
    if case .remedy(let remedy)? = step { remedy } else { nil }
  }

  /// The text with other words for the step.
  package func text(_ words: (AdvisedStep) -> String) -> String {
    start + (step.map(words) ?? "") + rest
  }

  /// The advice with its step changed.
  package func mapStep(_ change: (AdvisedStep) -> AdvisedStep) -> Advice {
    Advice(start, step: step.map(change), rest)
  }

  /// The advice with each of its texts changed, but not the step.
  package func map(_ change: (String) -> String) -> Advice {
    Advice(change(start), step: step, change(rest))
  }
}
