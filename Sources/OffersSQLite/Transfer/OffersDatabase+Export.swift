import GRDB
import OffersCore

extension OffersDatabase {
  /// Reads all that an export keeps of this database, as one consistent state.
  ///
  /// Kept are the feeds as a person chose them, their syncs, every offer with when it came, changed
  /// and went, what is told of changes, and the favorites. What can be had again is not: images,
  /// what a server said with a document, how far somebody has read.
  ///
  /// - Parameters:
  ///   - favoritesOnly: only favorites, their feeds and their history.
  ///   - body: reads the records, before it returns.
  package func export<Result: Sendable>(
    favoritesOnly: Bool, _ body: @escaping @Sendable (ExportQuery) throws -> Result
  ) async throws -> Result {
    try await read { try body(ExportQuery($0, favoritesOnly: favoritesOnly)) }
  }

  /// Reads what can still be read of a damaged database.
  ///
  /// - Parameter body: reads the records, before it returns.
  package func salvage<Result: Sendable>(
    favoritesOnly: Bool, _ body: @escaping @Sendable (SalvageQuery) throws -> Result
  ) async throws -> Result {
    try await readWithoutTransaction { try body(SalvageQuery($0, favoritesOnly: favoritesOnly)) }
  }

  /// Takes the records of an export over into this database: all of them or, on an error, nothing.
  ///
  /// - Parameters:
  ///   - source: the records. It is read while nobody else can write.
  ///   - feeds: the feeds of the document. None of them is synced meanwhile: a sync that compared
  ///     with what was here before would note that the offers are exactly its document.
  ///   - selections: those of them whose documents are selections: what those lack is not gone.
  ///   - review: decides about the sources that somebody named there and that would be read from
  ///     here: it sets their origins. What it throws ends the import. Those that are here already
  ///     are not among them, nor those whose feed has another one here.
  /// - Throws: `OffersError` with `locked` when one of them is being synced for long.
  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], selections: Set<String> = [],
    review: @escaping @Sendable ([ImportedSource]) throws -> [ImportedSource] = { $0 }
  ) async throws -> ImportCounts {
    // In one order, so that two imports do not wait for each other.
    try await withSyncLocks(on: feeds.sorted(), waitSeconds: Self.syncWaitSeconds) {
      try await self.write(.unchecked) { database in
        let merge = try ImportMerge(database, selections: selections, review: review)
        try source.forEachRecord(merge.add)
        return try merge.finish()
      }
    }
  }

  /// How long an import waits for a sync, as another sync does.
  private static let syncWaitSeconds = 5.0
}

/// A source that an import would read a feed from.
package struct ImportedSource: Hashable, Sendable {
  package let feed: String
  package let text: String
  /// Who counts as the one that named it; nil where it is not taken over.
  package var origin: SourceOrigin?

  package init(feed: String, text: String, origin: SourceOrigin? = .imported) {
    self.feed = feed
    self.text = text
    self.origin = origin
  }
}

/// What an import brought.
package struct ImportCounts: Hashable, Sendable {
  /// The sources that were reviewed, in the document's order.
  package var sources: [ImportedSource] = []
  package var newFeeds = 0
  package var newRuns = 0
  package var newOffers = 0
  /// Offers that were here and are different now.
  package var updatedOffers = 0
  /// Offers that were here and are what they were.
  package var sameOffers = 0
  /// Offers of which the document had more than is kept.
  package var cutOffers = 0
  package var newChanges = 0
  package var newFavorites = 0
  package var sameFavorites = 0

  package init() {}
}
