import OffersCore

extension TextChange {
  /// The indentation of the lines, and of those into which a long one is wrapped.
  private static let indents = (first: "   ", others: "     ")

  /// The lines below the row of a change that tell what a text was before it, such as
  /// `name: Green Tea → Green Teas`.
  ///
  /// - Parameter width: the width of the terminal; nil without one.
  func lines(width: Int?) -> [String] {
    let (old, new) = shown
    let text = DisplayText.oneLine("\(label): \(old) → \(new)")
    guard let width else { return [Self.indents.first + text] }
    let wrapped = DisplayText.wrap(text, max(1, width - Self.indents.others.count))
    return wrapped.enumerated().map {
      ($0 == 0 ? Self.indents.first : Self.indents.others) + $1
    }
  }
}
