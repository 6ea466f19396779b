import Foundation

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
