import Foundation
import OffersCore
import OffersPlatform

/// The file of a SQLite store.
package struct SQLitePlace: StoreFile {
  package let path: String

  /// - Throws: `OffersError` with `invalidRequest` for a path that names no file, such as a URL.
  package init(path: String) throws {
    try OffersDatabase.check(path: path)
    self.path = path
  }

  /// A file that is only looked at.
  package init(unchecked path: String) { self.path = path }

  /// The file, with its links resolved.
  var file: DatabaseFile { DatabaseFile(path: DatabaseFile.resolve(path)) }

  /// Whether there is a file, whatever its contents, or will be one once a restoration is completed.
  package var exists: Bool {
    DatabaseFile(path: path).exists || FileReplacement(file: file).isPending
  }

  package var missing: OffersError { OffersDatabase.missing(at: path) }
  package var temporaryFolder: String { file.temporaryFolder }
  package var sizeBytes: Int { file.bytes + file.logBytes }

  package func findFreeBytes() -> Int? {
    // A folder that cannot be looked at is reported by the checks of the file.
    try? DiskSpace.freeBytes(of: file.folder)
  }

  package func openFile(
    _ access: StoreAccess
  ) async throws -> any OffersStorage & StoreMaintenance {
    try await OffersDatabase.open(path: path, access: access)
  }

  package func requireUnused() async throws {
    do {
      try await BlockingWork.run { [file] in
        _ = try FileReplacement(file: file).requireUnused()
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  package func noteImageUse(of url: String) async throws {
    if try DatabaseLock(path: file.lockPath).isHeld() { return }
    let database = try await OffersDatabase.open(path: path)
    _ = database.imageUses.note(url, isAsked: true)
    try await database.flushImageUses()
  }
}
