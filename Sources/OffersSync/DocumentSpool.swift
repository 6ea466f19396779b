import Glibc
import OffersCore

/// Keeps a document aside: its first megabytes in memory, the rest in a file without a name.
final class DocumentSpool {
  private let folder: String
  private var blocks: [UnsafeMutableRawBufferPointer] = []
  /// Bytes used of the last block.
  private var used = 0
  private var file: SpoolFile?

  /// Large enough for large pages of memory, which cost much less to come by.
  private static let blockBytes = 4 << 20
  private static let pageBytes = 2 << 20
  /// How many blocks are kept in memory.
  private static let blockLimit = 8

  /// - Parameter folder: where to put what does not fit in memory.
  init(folder: String) {
    self.folder = folder
  }

  deinit {
    for block in blocks { free(block.baseAddress) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      if let file { return try file.append(rest) }
      if blocks.isEmpty || used == Self.blockBytes {
        guard blocks.count < Self.blockLimit, let block = Self.makeBlock() else {
          file = try SpoolFile(folder: folder)
          continue
        }
        blocks.append(block)
        used = 0
      }
      guard let block = blocks.last else { return }
      let count = min(rest.count, Self.blockBytes - used)
      UnsafeMutableRawBufferPointer(rebasing: block[used..<used + count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      used += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Hands over all that was kept, in pieces.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    for (index, block) in blocks.enumerated() {
      let count = index == blocks.count - 1 ? used : Self.blockBytes
      try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
    }
    try file?.forEachPiece(body)
  }

  /// Memory for another block; nil when there is none.
  private static func makeBlock() -> UnsafeMutableRawBufferPointer? {
    var start: UnsafeMutableRawPointer?
    guard posix_memalign(&start, pageBytes, blockBytes) == 0, let start else { return nil }
    // Where there are no large pages, small ones do.
    _ = madvise(start, blockBytes, MADV_HUGEPAGE)
    return UnsafeMutableRawBufferPointer(start: start, count: blockBytes)
  }
}
