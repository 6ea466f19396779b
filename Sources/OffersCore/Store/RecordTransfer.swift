/// Exports and imports the data of a store as records, one by one, so that neither the store nor the
/// caller holds all of them in memory.
package protocol RecordTransfer: Sendable {
  /// Reads the contents of an export as one consistent state.
  ///
  /// An export has the feeds with their named sources, runs, all offers with their times, changes,
  /// and the records of users: favorites, recent searches and read marks. It lacks data that can be
  /// fetched again or belongs to one installation, such as images and fetch states, and secrets.
  ///
  /// - Parameters:
  ///   - favoritesOnly: whether to export only favorites, their feeds and their history.
  ///   - allUsers: whether to export the records of all users, instead of the bound one.
  ///   - withSearches: whether to export recent searches even if only favorites are exported.
  ///   - body: reads the records; they are valid only during the call.
  func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool, withSearches: Bool,
    _ body: @escaping @Sendable (any ExportBody) throws -> Result
  ) async throws -> Result

  /// Imports the records of an export in one transaction, or, on an error, nothing. Feeds that the store has
  /// read stay as they are, and the others are taken whole; what belongs to users is added.
  ///
  /// - Parameters:
  ///   - source: the records, which are read while the transaction is open.
  ///   - feeds: the feeds of the document. They cannot be synced during the import: such a sync
  ///     would compare its document with the offers before the import, and then store that the
  ///     offers equal its document.
  ///   - trustsRoles: whether users who are missing here get the roles of the document; otherwise
  ///     none becomes an admin, since anybody may have written it.
  ///   - acceptsDefinitions: whether the user accepts the document's definitions and settings of feeds as
  ///     their own; otherwise they are left out, since they name what a sync reads.
  ///   - review: reviews the named sources that the import would add, and sets their origins. An
  ///     error ends the import. Passed are only sources of feeds that have no named source in this
  ///     store, or that it has never read.
  /// - Throws: `OffersError`: `locked` if a feed's sync does not end in time, `invalidRequest` for
  ///   several users if this store is bound to another user than its owner.
  func importRecords(
    from source: any ExportRecordSource, feeds: [String], trustsRoles: Bool,
    acceptsDefinitions: Bool,
    review: @escaping @Sendable ([ImportedFeedSource]) throws -> [ImportedFeedSource]
  ) async throws -> ImportSummary

  /// Removes a user, unless they have a favorite that an export before does not have.
  ///
  /// - Parameters:
  ///   - id: the user.
  ///   - exported: the favorites in the export; nil removes the user with any favorites.
  /// - Throws: `OffersError`: `locked` if the user got another favorite since the export, otherwise
  ///   as `UserRepository.removeUser(_:)`.
  func removeUser(_ id: User.ID, exported: Set<OfferRef>?) async throws
}

extension RecordTransfer {
  /// Reads the contents of an export, without recent searches if only favorites are exported.
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool = false,
    _ body: @escaping @Sendable (any ExportBody) throws -> Result
  ) async throws -> Result {
    try await export(
      favoritesOnly: favoritesOnly, allUsers: allUsers, withSearches: false, body)
  }

  /// Imports the records of an export that anybody may have written; see
  /// `importRecords(from:feeds:trustsRoles:acceptsDefinitions:review:)`.
  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], acceptsDefinitions: Bool = false,
    review: @escaping @Sendable ([ImportedFeedSource]) throws -> [ImportedFeedSource] = { $0 }
  ) async throws -> ImportSummary {
    try await importRecords(
      from: source, feeds: feeds, trustsRoles: false, acceptsDefinitions: acceptsDefinitions,
      review: review)
  }
}

/// The records of an export while it is written.
package protocol ExportBody {
  /// The approximate number of records, for progress; nil if counting them takes as long as reading
  /// them.
  func countRecords() throws -> Int?

  /// Calls `body` with every record, section by section.
  func forEachRecord(_ body: (ExportRecord) throws -> Void) throws
}
