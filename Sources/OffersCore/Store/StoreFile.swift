/// The file of a store, whether it can be opened or not.
package protocol StoreFile: StorePlace {
  /// The path of the file.
  var path: String { get }

  /// The size of the file and of its write-ahead log, in bytes.
  var sizeBytes: Int { get }

  /// The free space on the disk of the file, in bytes; nil if unknown.
  func findFreeBytes() -> Int?

  /// Opens the store; see `open(_:)`.
  func openFile(_ access: StoreAccess) async throws -> any OffersStorage & StoreMaintenance

  /// Checks the file and its folder without opening the store.
  func examineFile() -> [Finding]

  /// Reports the files that killed processes have left beside the store.
  func examineRemains() -> Finding

  /// Removes the files that killed processes have left beside the store, which need not exist.
  ///
  /// - Returns: nil if there is none.
  func removeRemains() -> Repair?

  /// The advice for a store that could not be opened. For a damaged one, it depends on whether
  /// anything is left to salvage.
  func hint(on error: OffersError) async -> Hint?

  /// Replaces the store by a copy of a backup. The old one is kept beside it.
  ///
  /// - Parameters:
  ///   - backup: the path of the backup. It stays as it is.
  ///   - copying: called with the path of the incomplete copy once it is created, and with nil once
  ///     it is removed or complete. An interrupted program removes that copy.
  /// - Throws: `OffersError`: `invalidRequest` if both are the same file; `notFound`,
  ///   `newerDatabase`, or `storageFailed` for a backup that cannot be used; `locked` if the store is
  ///   open in any program. Nothing was changed then.
  func restore(
    from backup: String, copying: @escaping @Sendable (String?) -> Void
  ) async throws -> Restoration

  /// Replaces the store by a new one with what can be read of a damaged one and no sync brings back: users,
  /// feeds with their sources, and favorites. The old one is kept beside it.
  ///
  /// - Parameters:
  ///   - damaged: the path of the damaged store, which stays as it is; nil for the store itself.
  ///   - copying: as in `restore(from:copying:)`.
  /// - Throws: as `restore(from:copying:)`; `OffersError` with `storageFailed` if nothing can be read.
  func salvage(
    from damaged: String?, copying: @escaping @Sendable (String?) -> Void
  ) async throws -> Restoration
}

extension StoreFile {
  package var name: String { path }
  package var medium: StoreMedium { .file(self) }

  package func open(_ access: StoreAccess) async throws -> any OffersStorage {
    try await openFile(access)
  }
}

/// The result of a restoration.
package struct Restoration: Hashable, Sendable {
  /// The path of the restored store, with links resolved.
  package let path: String
  package let bytes: Int
  /// The path of the old store; nil if there was none. Its log and journal, if it has any, are beside
  /// it.
  package let aside: String?
  /// The counts of salvaged rows; nil if a backup was restored.
  package let salvaged: SalvageSummary?
  /// The parts of the schema that this program did not create.
  package let foreignSchema: [String]

  package init(
    path: String, bytes: Int, aside: String?, salvaged: SalvageSummary? = nil,
    foreignSchema: [String] = []
  ) {
    self.path = path
    self.bytes = bytes
    self.aside = aside
    self.salvaged = salvaged
    self.foreignSchema = foreignSchema
  }
}

/// The rows that were copied from a damaged store.
package struct SalvageSummary: Hashable, Sendable {
  package var users = 0
  package var feeds = 0
  package var favorites = 0
  /// The kinds of rows of which some could not be read.
  package var unread: [ExportRecord.Section] = []

  package init() {}
}
