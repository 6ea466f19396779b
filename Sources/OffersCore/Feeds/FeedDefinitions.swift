/// The definitions of feeds, as far as a store needs them.
package protocol FeedDefinitions: Sendable {
  /// Whether a feed has a definition.
  func defines(_ feed: String) -> Bool

  /// Whether the documents of a feed are only a selection of its offers, so that an offer that is
  /// missing in one is not gone.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the definition is invalid.
  func isSelection(_ feed: String) throws -> Bool
}
