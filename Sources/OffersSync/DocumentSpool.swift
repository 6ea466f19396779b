import OffersCore

/// Keeps a document aside: its first megabyte in memory, the rest in a file without a name.
///
/// A large document costs less in a file than in memory: the pages that a file is written to need
/// not be cleared first, and are not this process's own to find.
final class DocumentSpool {
  private let folder: String
  private var start: [UInt8] = []
  private var file: SpoolFile?

  /// How much is kept in memory.
  private static let memoryBytes = 1 << 20

  /// - Parameter folder: where to put what does not fit in memory.
  init(folder: String) {
    self.folder = folder
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    let count = min(bytes.count, Self.memoryBytes - start.count)
    start.append(contentsOf: bytes[..<count])
    guard count < bytes.count else { return }
    let file = try self.file ?? SpoolFile(folder: folder)
    self.file = file
    try file.append(UnsafeRawBufferPointer(rebasing: bytes[count...]))
  }

  /// Hands over all that was kept, in pieces.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try start.withUnsafeBytes(body)
    try file?.forEachPiece(body)
  }
}
