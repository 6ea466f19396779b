import Foundation

/// How the offers of a feed are shown, as its definition states it. A store keeps it with the feed
/// (`OffersDatabase.fetchPresentations()`), for programs that do not have the definition.
public struct FeedPresentation: Sendable, Hashable {
  /// The layout of the offers on a screen.
  package var layout: FeedLayout
  /// The noun for the offers in counts.
  package var noun: OfferNoun
  /// The meaning of the value in `Offer.reward`.
  package var valueRole: ValueRole
  /// Whether the user pays the values of the offers, instead of getting them.
  public var hasPrices: Bool { valueRole == .price }
  /// The labels of the attributes that lists show below or after the name, such as `Artist`.
  public var byline: [String]

  /// Creates a presentation. Without arguments it is that of a feed without a definition.
  package init(
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
    let values = bylineValues(of: offer)
    return values.isEmpty ? nil : values.joined(separator: " · ")
  }

  /// The values of the attributes that the byline names.
  package func bylineValues(of offer: Offer) -> [String] {
    byline.compactMap { label in offer.attributes.first { $0.label == label }?.shownValue }
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

package struct FeedPresentations: Sendable {
  private let feeds: [String: FeedPresentation]

  /// - Parameter stored: the presentations that a store keeps.
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

/// The text by which stores keep a presentation, and exports pass it on.
extension FeedPresentation {
  /// The largest number of labels in a byline.
  package static let bylineLimit = 3

  /// The JSON text, the same for equal presentations.
  package var storedText: String {
    JSONWriter.document { $0.members(of: self) }
  }

  /// The stored presentation; nil if there is none. A part that this version does not know, or that
  /// another program wrote, is that of a feed without a definition.
  package init?(storedText: String?) {
    guard let storedText,
      let parts = try? JSONDecoder().decode(StoredParts.self, from: Data(storedText.utf8))
    else { return nil }
    self.init(
      layout: parts.layout.flatMap(FeedLayout.init) ?? .grid,
      noun: OfferNoun(storedSingular: parts.noun, plural: parts.nouns) ?? .offer,
      valueRole: parts.valueRole.flatMap(ValueRole.init) ?? .reward,
      byline: Array((parts.byline ?? []).prefix(Self.bylineLimit)))
  }

  /// The stored presentations by the name of their feed.
  package static func byFeed(
    _ texts: [(feed: String, storedText: String?)]
  ) -> [String: FeedPresentation] {
    var found: [String: FeedPresentation] = [:]
    for (feed, text) in texts { found[feed] = FeedPresentation(storedText: text) }
    return found
  }

  /// The members of the JSON text.
  private struct StoredParts: Decodable {
    let layout: String?
    let noun: String?
    let nouns: String?
    let valueRole: String?
    let byline: [String]?

    private enum CodingKeys: String, CodingKey {
      case layout, noun, nouns, byline
      case valueRole = "value_role"
    }
  }
}

extension OfferNoun {
  /// A noun from texts that were stored or imported; nil unless both are nouns.
  package init?(storedSingular singular: String?, plural: String?) {
    guard let singular, let plural, Self.isNoun(singular), Self.isNoun(plural) else { return nil }
    self.init(singular, plural: plural)
  }
}

extension JSONWriter {
  /// Writes the members of a presentation.
  package mutating func members(of presentation: FeedPresentation) {
    member("layout", presentation.layout.rawValue)
    member("noun", presentation.noun.singular)
    member("nouns", presentation.noun.plural)
    member("value_role", presentation.valueRole.rawValue)
    member("byline", each: presentation.byline) { $0.value($1) }
  }
}

/// How the offers of a feed are shown on a screen.
package enum FeedLayout: String, Sendable, Hashable, CaseIterable {
  /// Small tiles with the reward and the name below the image, several in a row.
  case grid
  /// Large images from edge to edge, overlaid with the name and the category.
  case tiles
  /// Rows of text whose height fits their content.
  case rows
  /// Square images, such as album covers.
  case covers
  /// Portrait images, such as film posters, with the whole text beside them.
  case posters
}
