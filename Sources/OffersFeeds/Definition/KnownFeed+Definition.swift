import OffersCore

extension FeedConfiguration {
  /// Returns all feeds, sorted by name, with title, interval, layout and source.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a definition is invalid.
  public func knownFeeds() throws -> [KnownFeed] {
    try names.map(fetchKnownFeed)
  }

  /// Returns the feeds whose definitions decide how their offers are shown: the user's own ones, and
  /// the shipped ones of which a store keeps nothing. The definitions of others are not parsed.
  ///
  /// - Parameters:
  ///   - stored: the feeds whose presentation a store keeps (`FeedRepository.fetchPresentations()`).
  ///   - feed: the only feed that is shown; nil for all.
  /// - Throws: as `knownFeeds()`.
  package func shownFeeds(besides stored: Set<String>, of feed: String? = nil) throws -> [KnownFeed]
  {
    try names.filter { name in
      (feed == nil || name == feed) && (position(of: name) != nil || !stored.contains(name))
    }.map(fetchKnownFeed)
  }

  private func fetchKnownFeed(_ name: String) throws -> KnownFeed {
    var known = KnownFeed(try fetch(name), hasOwnInterval: hasInterval(of: name))
    known.position = position(of: name)
    return known
  }

  /// Returns the feeds that have a definition here or are subscribed in a store, sorted by name.
  /// `FeedSummary.nextDueAt(now:)` tells when to sync each.
  ///
  /// - Parameter store: such as an `OffersDatabase`; nil if there is none yet.
  /// - Throws: the errors of `knownFeeds()` and of the store.
  public func fetchSummaries(in store: (any FeedRepository)?) async throws -> [FeedSummary] {
    FeedSummary.all(
      known: try knownFeeds(), subscribed: try await store?.fetchFeeds() ?? [],
      former: try await store?.fetchFormerFeeds() ?? [])
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
      presentation: definition.presentation, home: definition.home,
      isSearchable: definition.search != nil)
  }
}
