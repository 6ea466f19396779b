/// The definitions of feeds, as far as a store needs them.
package protocol FeedDefinitions: Sendable {
  /// Whether a feed has a definition.
  func defines(_ feed: String) -> Bool
}

/// The part of a feed's definition that the database keeps: its text, which `offers feeds add` and `offers
/// feeds edit` write, and the settings that override any definition of the feed.
package struct StoredDefinition: Sendable, Hashable {
  /// The feed's name.
  package let feed: String
  /// A definition file with this one feed; nil for a feed that is defined elsewhere.
  package var text: String?
  /// The sync interval that a user set, in seconds.
  package var everySeconds: Int?
  /// The ISO 4217 code of the currency that a user set.
  package var currency: String?

  package init(
    feed: String, text: String? = nil, everySeconds: Int? = nil, currency: String? = nil
  ) {
    self.feed = feed
    self.text = text
    self.everySeconds = everySeconds
    self.currency = currency
  }

  /// Whether a document of somebody else may bring this: a text of at most 1 MiB, an interval from a minute to a
  /// leap year, and a code of three letters. The text is parsed when it is used, because a newer program may have
  /// written it.
  package var isStorable: Bool {
    (text.map { (1...1 << 20).contains($0.utf8.count) } ?? true)
      && (everySeconds.map { (60...366 * 86_400).contains($0) } ?? true)
      && (currency.map { $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
        ?? true)
  }

  /// Whether nothing is kept.
  package var isEmpty: Bool { text == nil && everySeconds == nil && currency == nil }
}
