public import Foundation

/// The care of a store that is one file. Another kind of store may lack it.
public protocol FileMaintenance: Sendable {
  /// Copies a consistent snapshot of the store into one file, also while it is being written.
  ///
  /// - Parameter file: a file URL. An older backup is replaced; any other file is refused.
  /// - Throws: `OffersError`, and then the file is as before: `invalidRequest` for a file that is not
  ///   replaced, `storageFailed` if it cannot be written; `CancellationError`.
  func backUp(to file: URL) async throws
}
