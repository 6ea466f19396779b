/// The definitions of feeds, as far as a store needs them.
package protocol FeedDefinitions: Sendable {
  /// Whether a feed has a definition.
  func defines(_ feed: String) -> Bool
}
