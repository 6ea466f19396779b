import OffersCore

/// How to read one feed: where its offers stand in the document and which field is which.
package struct FeedDefinition: Sendable {
  /// The feed's name, such as `ibotta`.
  package let name: String
  /// The name for people.
  package let title: String
  /// The keys that lead from the document's root to the list of offers; empty for the root.
  package let itemsPath: [String]
  /// For each field the keys that lead to it from the offer's root.
  package let fields: [OfferField: [String]]
  /// The ISO 4217 code that a `$` stands for in this feed, which the document does not say.
  package let dollarCurrency: String

  /// Stands for everything besides the texts that a stored offer is derived from. It seeds the
  /// content hash: when the rules for reading a reward change, so does this number, and the next
  /// sync looks at every offer again.
  package var derivationSeed: UInt64 {
    var hash = ContentHash(seed: 1)
    for text in [dollarCurrency, RewardParser.rules] {
      var text = text
      text.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    }
    return hash.value
  }
}
