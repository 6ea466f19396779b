/// The advice of an error: a text that names no command, with the remedy that a part of it stands for.
package struct Advice: Hashable, Sendable, ExpressibleByStringInterpolation {
  private let start: String
  package let remedy: Remedy?
  private let rest: String

  /// - Parameters:
  ///   - start: the text before the words of the remedy, such as `Check the database`.
  ///   - remedy: the remedy whose words follow; nil for none.
  ///   - rest: the text after them.
  package init(_ start: String, _ remedy: Remedy? = nil, _ rest: String = "") {
    self.start = start
    self.remedy = remedy
    self.rest = rest
  }

  package init(stringLiteral value: String) { self.init(value) }

  /// An advice that was stored as its text and its remedy. If the text does not end in the words of
  /// the remedy, the advice has no remedy.
  package init(stored text: String, remedy: Remedy?) {
    guard let remedy, text.hasSuffix(remedy.words) else {
      self.init(text)
      return
    }
    self.init(String(text.dropLast(remedy.words.count)), remedy)
  }

  package var text: String { text { $0.words } }

  /// The text with other words for the remedy.
  package func text(_ words: (Remedy) -> String) -> String {
    start + (remedy.map(words) ?? "") + rest
  }

  /// The advice with each of its texts changed, but not the remedy.
  package func map(_ change: (String) -> String) -> Advice {
    Advice(change(start), remedy, change(rest))
  }
}
