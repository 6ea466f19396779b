import EmbeddedFeeds
import OffersCore

/// The definitions that ship with the program: those of the named feeds, and those of the
/// well-known kinds of documents, such as RSS. Each is a YAML file in the format that users write.
package enum FeedCatalog {
  /// The names of the shipped feeds.
  package static let names = ["albums", "facts", "ibotta", "movies", "restaurants"]

  /// Returns the definition of the shipped feed with this name, or nil when there is none.
  package static func find(_ name: String) throws -> FeedDefinition? {
    names.contains(name) ? try definition(of: name) : nil
  }

  /// Returns the definition of a shipped feed, or of a well-known kind, such as `rss`.
  static func definition(of name: String) throws -> FeedDefinition {
    let text = String(decoding: findFile("\(name).yaml") ?? [], as: UTF8.self)
    return try DefinitionFile.parse(text, name: "\(name).yaml")[0]
  }

  /// Returns the YAML file of the shipped feed with this name, or nil when there is none.
  package static func findText(of name: String) -> String? {
    guard names.contains(name), let file = findFile("\(name).yaml") else { return nil }
    return String(decoding: file, as: UTF8.self)
  }

  /// Returns the built-in sample document of a shipped feed, or nil when there is no such feed. Its
  /// offers are invented, so that the program can be tried without a network.
  package static func findSample(of name: String) -> [UInt8]? {
    names.contains(name) ? findFile("\(name).json") : nil
  }

  /// Returns the picture at an address of a sample, so that its offers have pictures without a network;
  /// nil for any other address. The part of the path that begins with `sample-` names it.
  package static func findPicture(at address: String) -> [UInt8]? {
    guard let host = pictureHosts.first(where: address.hasPrefix),
      let part = address.dropFirst(host.count).split(scalar: "/").first(where: {
        $0.hasPrefix("sample-")
      })
    else { return nil }
    return findFile("\(part.dropFirst("sample-".count)).png")
  }

  private static let pictureHosts = ["https://images.example.com/", "https://image.tmdb.org/"]

  /// Returns the bytes of a file of the folders `Shipped`, `Samples` and `Pictures`, which are embedded in the
  /// program; nil when there is none with this name.
  private static func findFile(_ name: String) -> [UInt8]? {
    var count: UInt = 0
    guard let bytes = embedded_feed_file(name, &count) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}

extension FeedConfiguration {
  /// Returns all feeds, sorted by name, with title, interval, layout and source.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a definition is invalid.
  package func knownFeeds() throws(OffersError) -> [KnownFeed] {
    try OffersError.translating { try names.map(fetchKnownFeed) }
  }

  /// Returns the feeds whose definitions decide how their offers are shown: the user's own ones, and
  /// the shipped ones of which a store keeps nothing. The definitions of others are not parsed.
  ///
  /// - Parameters:
  ///   - stored: the feeds whose presentation a store keeps (`OffersDatabase.fetchPresentations()`).
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
