import OffersCore

/// Stores a document temporarily: its first MiB in memory, the rest in an unlinked file.
///
/// A file keeps large documents out of the process's memory. When no file can be created or the
/// disk is full, up to `endBytes` more are kept in memory.
final class DocumentSpool {
  private let folder: String
  private var start: [UInt8] = []
  private var file: SpoolFile?
  /// The bytes kept in memory instead of the file, and the error that made that necessary.
  private var end: [UInt8] = []
  private var failure: (any Error)?

  /// The number of bytes that are kept in memory at first.
  static let startBytes = 1 << 20
  /// The number of further bytes that are kept in memory when there is no file.
  static let endBytes = 31 << 20

  /// - Parameter folder: the folder of the temporary file.
  init(folder: String) {
    self.folder = folder
  }

  /// Appends bytes.
  ///
  /// - Throws: the file's error, if the memory limit is exceeded as well.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    let count = min(bytes.count, Self.startBytes - start.count)
    start.append(contentsOf: bytes[..<count])
    if count == bytes.count { return }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
    if failure == nil {
      do {
        let file = try self.file ?? SpoolFile(folder: folder)
        self.file = file
        return try file.append(rest)
      } catch {
        failure = error
        // Releasing the file frees its space on a full disk.
        let written = file
        file = nil
        try written?.forEachPiece(keep)
      }
    }
    try keep(rest)
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws {
    if let failure, end.count + bytes.count > Self.endBytes { throw failure }
    end.append(contentsOf: bytes)
  }

  /// Passes all stored bytes to `body`, in chunks.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try start.withUnsafeBytes(body)
    try file?.forEachPiece(body)
    if !end.isEmpty { try end.withUnsafeBytes(body) }
  }
}
