import Foundation

/// Exports a store's data into a file, and imports such a file.
public protocol Transfer: Sendable {
  /// Exports the data as one JSON document: the feeds with the sources that a user chose, all offers
  /// with their times, the history of changes, and the records of users: favorites, recent searches
  /// and read marks. Passphrases, sessions and tokens are never exported.
  ///
  /// - Parameters:
  ///   - file: a file URL. An existing regular file is replaced.
  ///   - favoritesOnly: whether to export only the favorites, with their feeds and their history.
  ///   - allUsers: whether to export the records of all users, instead of the one record to which
  ///     this store is bound.
  /// - Returns: the numbers of records and of bytes that were written.
  /// - Throws: `OffersError`, and then the file is as before; `CancellationError`.
  func export(to file: URL, favoritesOnly: Bool, allUsers: Bool) async throws -> ExportSummary

  /// Imports an export, or, on an error, nothing of it. Feeds that the store has read stay as they are, and
  /// the others are taken whole; favorites and users are added. No favorite is removed.
  ///
  /// The record of a document with one user goes to the user to whom this store is bound. The records
  /// of several users go to the users of the same names, who are added if they are missing, never as
  /// admins.
  ///
  /// - Parameters:
  ///   - file: the URL of a file that `export(to:favoritesOnly:allUsers:)` has written.
  ///   - acceptsSources: whether the user accepts the document's sources as their own, also those
  ///     that are files or in a private network. Otherwise these are left out.
  /// - Returns: the numbers of records that were added and left, the sources, and the users.
  /// - Throws: `OffersError`: `invalidRequest` for several users if this store is not bound to its owner,
  ///   among others; `CancellationError`.
  func importRecords(from file: URL, acceptsSources: Bool) async throws -> ImportSummary
}

extension Transfer {
  /// Exports as one JSON document, with the one record to which this store is bound.
  ///
  /// - Parameters:
  ///   - file: a file URL. An existing regular file is replaced.
  ///   - favoritesOnly: whether to export only the favorites, with their feeds and their history.
  /// - Returns: the numbers of records and of bytes that were written.
  /// - Throws: as `export(to:favoritesOnly:allUsers:)`.
  @discardableResult
  public func export(to file: URL, favoritesOnly: Bool = false) async throws -> ExportSummary {
    try await export(to: file, favoritesOnly: favoritesOnly, allUsers: false)
  }

  /// Imports an export. A source that is a file, is in a private network, has a variable or cannot
  /// be read is left out; the summary names it.
  ///
  /// - Parameter file: the URL of a file that `export(to:favoritesOnly:allUsers:)` has written.
  /// - Returns: the numbers of records that were added and left, the sources, and the users.
  /// - Throws: as `importRecords(from:acceptsSources:)`.
  @discardableResult
  public func importRecords(from file: URL) async throws -> ImportSummary {
    try await importRecords(from: file, acceptsSources: false)
  }
}
