import OffersCore

/// Stores a document temporarily: its first MiB in memory, the rest in an unlinked file.
///
/// A file keeps large documents out of the process's memory. If no file can be created or written,
/// such as on a full disk, up to `endBytes` more are kept in memory.
final class DocumentSpool {
  private let folder: String
  private var start: [UInt8] = []
  private var file: SpoolFile?
  /// The bytes after `start` if the file failed; empty otherwise.
  private var end: [UInt8] = []
  /// The error of the file; nil while none has occurred.
  private var failure: (any Error)?

  /// The number of bytes from the document's beginning that are kept in memory.
  static let startBytes = 1 << 20
  /// The most further bytes that are kept in memory if the file fails.
  static let endBytes = 31 << 20

  /// - Parameter folder: the folder of the temporary file.
  init(folder: String) {
    self.folder = folder
  }

  /// Appends bytes.
  ///
  /// - Throws: the error of creating or writing the file, if more than `endBytes` would have to be
  ///   kept in memory instead; the error of reading back a file whose writing failed.
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
        // The bytes in the file move to memory. Releasing the file then frees its space on a full
        // disk.
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

  /// Passes all stored bytes to `body` in order, in chunks.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try start.withUnsafeBytes(body)
    try file?.forEachPiece(body)
    if !end.isEmpty { try end.withUnsafeBytes(body) }
  }
}
