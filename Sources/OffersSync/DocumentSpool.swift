import OffersCore

/// Keeps a document aside: its first megabyte in memory, the rest in a file without a name.
///
/// A large document costs less in a file than in memory, whose pages are cleared before they are
/// handed out. Where there is no room for a file, or no right to make one, memory does up to a limit.
final class DocumentSpool {
  private let folder: String
  private var start: [UInt8] = []
  private var file: SpoolFile?
  /// What is kept in place of a file, and why there is none.
  private var end: [UInt8] = []
  private var failure: (any Error)?

  /// How much is kept in memory at first.
  static let startBytes = 1 << 20
  /// How much more is kept in memory where there is no file.
  static let endBytes = 31 << 20

  /// - Parameter folder: where to put what does not fit in memory.
  init(folder: String) {
    self.folder = folder
  }

  /// - Throws: why there is no file, for what neither it nor the memory has room for.
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
        // What is full has room again for what else is to be written there.
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

  /// Hands over all that was kept, in pieces.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try start.withUnsafeBytes(body)
    try file?.forEachPiece(body)
    if !end.isEmpty { try end.withUnsafeBytes(body) }
  }
}
