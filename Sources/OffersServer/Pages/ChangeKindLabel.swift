import OffersCore

/// The name and the color of a change's kind. Of a price the kind names it, and a price that falls is good
/// news.
struct ChangeKindLabel: Hashable {
  let kind: OfferChange.Kind
  /// Whether a price has gone up or down, and not a reward.
  let isPrice: Bool

  init(of change: OfferChange, _ presentation: FeedPresentation) {
    kind = change.kind
    isPrice = presentation.valueRole == .price && [.up, .down].contains(change.kind)
  }

  /// The kind whose color is used: a price that goes up looks like a reward that goes down.
  var color: OfferChange.Kind {
    guard isPrice else { return kind }
    return kind == .up ? .down : .up
  }

  /// - Parameter usual: the name of the kind, unless it is that of a price.
  func text(_ usual: String?) -> String? {
    guard isPrice else { return usual }
    return kind == .up ? "Price up" : "Price down"
  }
}
