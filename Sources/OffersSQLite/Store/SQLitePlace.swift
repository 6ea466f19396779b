import OffersCore

/// The file of a SQLite store.
package struct SQLitePlace: StoreFile {
  package let path: String

  /// - Throws: `OffersError` with `invalidRequest` for a path that names no file, such as a URL.
  package init(path: String) throws {
    try OffersDatabase.check(path: path)
    self.path = path
  }

  /// A file that is only looked at.
  init(unchecked path: String) { self.path = path }

  package var exists: Bool { OffersDatabase.exists(at: path) }
  package var missing: OffersError { OffersDatabase.missing(at: path) }
  package var temporaryFolder: String { OffersDatabase.temporaryFolder(for: path) }
  package var sizeBytes: Int { OffersDatabase.sizeBytes(of: path) }

  package func findFreeBytes() -> Int? { OffersDatabase.findFreeBytes(for: path) }

  package func openFile(
    _ access: StoreAccess
  ) async throws -> any OffersStorage & StoreMaintenance {
    try await OffersDatabase.open(path: path, access: access)
  }

  package func openForSalvage() async throws -> any OffersStorage & StoreMaintenance {
    try await OffersDatabase.open(salvaging: path)
  }

  package func noteImageUse(of url: String) async throws {
    try await OffersDatabase.noteImageUse(of: url, path: path)
  }

  package func examineFile() -> [Finding] { OffersDatabase.examineFile(at: path) }
  package func examineRemains() -> Finding { OffersDatabase.examineRemains(at: path) }
  package func removeRemains() -> Repair? { OffersDatabase.removeRemains(at: path) }

  package func advice(on error: OffersError) async -> Advice? {
    await OffersDatabase.advice(on: error, at: path)
  }

  package func restore(
    from backup: String, copying: @escaping @Sendable (String?) -> Void
  ) async throws -> Restoration {
    try await OffersDatabase.restore(from: backup, to: path, copying: copying)
  }
}
