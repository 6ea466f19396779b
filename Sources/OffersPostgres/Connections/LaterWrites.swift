import Synchronization

/// Writes that nobody waits for and that may be lost, such as when a session was last seen. They are
/// made one after another.
final class LaterWrites: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  /// Lines up a write. Its error is dropped.
  func add(_ write: @escaping @Sendable () async throws -> Void) {
    last.withLock { last in
      let previous = last
      last = Task {
        await previous?.value
        // The caller accepts that the write may be lost.
        try? await write()
      }
    }
  }

  /// Waits for the writes that were lined up.
  func finish() async { await last.withLock(\.self)?.value }
}
