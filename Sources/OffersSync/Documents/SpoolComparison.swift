import Synchronization

/// Compares bytes that arrive in pieces with the contents of a temporary file.
package final class SpoolComparison: Sendable {
  private struct State {
    var offset = 0
    var isEqual = true
  }

  private let spool: SpoolFile
  private let state = Mutex(State())

  package init(_ spool: SpoolFile) { self.spool = spool }

  /// Compares the next bytes.
  ///
  /// - Throws: `OffersError` with `storageFailed` if the file cannot be read.
  package func compare(_ piece: UnsafeRawBufferPointer) throws {
    try state.withLock { state in
      guard state.isEqual else { return }
      let stored = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 8)
      defer { stored.deallocate() }
      let count = try spool.read(stored, at: state.offset)
      state.isEqual = stored[..<count].elementsEqual(piece)
      state.offset += count
    }
  }

  /// Whether all bytes so far are those of the file.
  package var isEqual: Bool { state.withLock { $0.isEqual } }
}
