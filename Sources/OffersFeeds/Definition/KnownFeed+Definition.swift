import OffersCore

extension FeedConfiguration {
  /// Returns all feeds, sorted by name.
  package func knownFeeds() throws -> [KnownFeed] {
    try names.map { KnownFeed(try fetch($0), hasOwnInterval: hasInterval(of: $0)) }
  }
}

extension KnownFeed {
  /// Creates the description of a feed from its definition.
  package init(_ definition: FeedDefinition, hasOwnInterval: Bool = false) {
    var title: String?
    if case .constant(let text)? = definition.title.alternatives.first?.value { title = text }
    self.init(
      name: definition.name, title: title, source: definition.source?.description,
      everySeconds: definition.everySeconds ?? FeedDefinition.defaultEverySeconds,
      hasOwnInterval: hasOwnInterval, hasHeaders: !definition.headers.isEmpty,
      layout: definition.layout,
      isSearchable: definition.search != nil)
  }
}
