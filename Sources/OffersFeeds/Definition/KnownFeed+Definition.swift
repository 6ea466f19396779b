import OffersCore

extension KnownFeed {
  /// What a definition says of its feed besides how to read it.
  package init(_ definition: FeedDefinition) {
    var title: String?
    if case .constant(let text)? = definition.title.alternatives.first?.value { title = text }
    self.init(
      name: definition.name, title: title, source: definition.source?.description,
      everySeconds: definition.everySeconds ?? FeedDefinition.defaultEverySeconds,
      layout: definition.layout, isSearchable: definition.search != nil)
  }
}
