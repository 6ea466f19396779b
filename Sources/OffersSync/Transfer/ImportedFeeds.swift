import OffersCore

/// The feeds and users of an export that is to be imported.
package struct ImportedFeeds: Sendable {
  /// The names, in the document's order.
  package private(set) var names: [String] = []
  /// The named sources, in the document's order.
  package private(set) var sources: [ImportedFeedSource] = []
  /// The names of the users, in the document's order; empty for a document of version 1.
  package private(set) var users: [String] = []

  /// Reads an export to its end, so that an invalid one is refused before a database is opened.
  ///
  /// - Parameter source: the records of the document, which are read once to their end.
  /// - Throws: the errors of `ExportReader`.
  package init(of source: any ExportRecordSource) throws {
    try source.forEachRecord { record in
      if case .user(let user) = record { users.append(user.name) }
      guard case .feed(let feed) = record else { return }
      names.append(feed.name)
      if let source = feed.chosenSource {
        sources.append(ImportedFeedSource(feed: feed.name, text: source))
      }
    }
  }
}
