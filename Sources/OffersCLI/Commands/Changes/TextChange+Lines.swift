import OffersCore

extension TextChange {
  /// The lines below the row of a change that tell what a text was before it, such as
  /// `name: Green Tea → Green Teas`.
  ///
  /// - Parameter width: the width of the terminal; nil without one.
  func lines(width: Int?) -> [String] {
    let (old, new) = shown
    let text = DisplayText.oneLine("\(label): \(old) → \(new)")
    return DisplayText.hanging("   ", text, indent: 5, width: width)
  }
}
