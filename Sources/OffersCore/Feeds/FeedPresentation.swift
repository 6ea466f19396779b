/// How the offers of a feed are shown, as its definition states it. A store keeps it with the feed
/// (`FeedRepository.fetchPresentations()`), for programs that do not have the definition.
public struct FeedPresentation: Sendable, Hashable {
  /// The layout of the offers on a screen.
  public var layout: FeedLayout
  /// The noun for the offers in counts.
  public var noun: OfferNoun
  /// The meaning of the value in `Offer.reward`.
  public var valueRole: ValueRole
  /// The labels of the attributes that lists show below or after the name, such as `Artist`.
  public var byline: [String]

  /// Creates a presentation. Without arguments it is that of a feed without a definition.
  public init(
    layout: FeedLayout = .grid, noun: OfferNoun = .offer, valueRole: ValueRole = .reward,
    byline: [String] = []
  ) {
    self.layout = layout
    self.noun = noun
    self.valueRole = valueRole
    self.byline = byline
  }

  /// The text that lists show below or after the name of an offer; nil if the offer has none of the
  /// attributes.
  public func byline(of offer: Offer) -> String? {
    let values = byline.compactMap { label in
      offer.attributes.first { $0.label == label }?.shownValue
    }
    return values.isEmpty ? nil : values.joined(separator: " · ")
  }
}

extension FeedPresentation {
  /// How the offers of a feed are shown: by the user's own definition at hand, else as at the last sync,
  /// else by the shipped definition.
  ///
  /// A shipped definition comes last, because the feed may have been synced by a definition of the same
  /// name that is not at hand.
  package init(of known: KnownFeed?, stored: FeedPresentation?) {
    let own = known?.position == nil ? nil : known?.presentation
    self = own ?? stored ?? known?.presentation ?? FeedPresentation()
  }
}

/// The presentations of all feeds.
package struct FeedPresentations: Sendable {
  private let feeds: [String: FeedPresentation]

  /// - Parameters:
  ///   - known: the feeds with a definition.
  ///   - stored: the presentations that a store keeps.
  package init(_ known: [KnownFeed] = [], stored: [String: FeedPresentation] = [:]) {
    feeds = stored.merging(
      known.lazy.map { ($0.name, FeedPresentation(of: $0, stored: stored[$0.name])) }
    ) { $1 }
  }

  /// The presentation of a feed; the default one for a feed that has neither a definition nor a stored
  /// one.
  package subscript(feed: String) -> FeedPresentation { feeds[feed] ?? FeedPresentation() }

  /// The feeds whose values are prices.
  package var pricedFeeds: Set<String> {
    Set(feeds.lazy.filter { $0.value.valueRole == .price }.map(\.key))
  }

  /// The noun for the offers of some feeds: their common one, otherwise `offer`.
  package func noun(of names: some Sequence<String>) -> OfferNoun {
    let nouns = Set(names.map { self[$0].noun })
    return nouns.count == 1 ? nouns.first ?? .offer : .offer
  }
}
