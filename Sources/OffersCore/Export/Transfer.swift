import Foundation

/// Exports all of a store's data into a file, and merges such a file into it.
public protocol Transfer: Sendable {
  /// Exports the data as one JSON document: the feeds with the sources that a user chose, all offers
  /// with their times, the history of changes, and the favorites.
  ///
  /// - Parameters:
  ///   - file: a file URL. An existing regular file is replaced.
  ///   - favoritesOnly: whether to export only the favorites, with their feeds and their history.
  /// - Returns: the numbers of records and of bytes that were written.
  /// - Throws: `OffersError`, and then the file is as before; `CancellationError`.
  func export(to file: URL, favoritesOnly: Bool) async throws -> ExportSummary

  /// Imports an export, and merges it into the store: all of it or, on an error, nothing. No favorite
  /// is removed.
  ///
  /// - Parameters:
  ///   - file: the URL of a file that `export(to:favoritesOnly:)` has written.
  ///   - acceptsSources: whether the user accepts the document's sources as their own, also those
  ///     that are files or in a private network.
  /// - Returns: the numbers of records that were added and changed, and the sources.
  /// - Throws: `OffersError`: `invalidRequest` if a source is refused, among others;
  ///   `CancellationError`.
  func importRecords(from file: URL, acceptsSources: Bool) async throws -> ImportSummary
}

extension Transfer {
  /// Exports all data as one JSON document.
  ///
  /// - Parameter file: a file URL. An existing regular file is replaced.
  /// - Returns: the numbers of records and of bytes that were written.
  /// - Throws: as `export(to:favoritesOnly:)`.
  @discardableResult
  public func export(to file: URL) async throws -> ExportSummary {
    try await export(to: file, favoritesOnly: false)
  }

  /// Imports an export. A source that is a file, is in a private network, has a variable or cannot
  /// be read refuses the whole import.
  ///
  /// - Parameter file: the URL of a file that `export(to:favoritesOnly:)` has written.
  /// - Returns: the numbers of records that were added and changed, and the sources.
  /// - Throws: as `importRecords(from:acceptsSources:)`.
  @discardableResult
  public func importRecords(from file: URL) async throws -> ImportSummary {
    try await importRecords(from: file, acceptsSources: false)
  }
}
