import OffersCore
import Synchronization

/// Tells the holders of leases that are alive from those whose process has ended.
///
/// A holder keeps a byte of the lock file locked for as long as its database is open. The kernel
/// releases the lock when the process dies, so nobody waits for the lease of a dead process.
final class LeaseHolders: Sendable {
  private struct State {
    var lock: DatabaseLock?
    var holders: Set<Int64> = []
  }

  private let file: DatabaseFile
  private let state = Mutex(State())

  init(_ file: DatabaseFile) { self.file = file }

  /// The bytes behind those of the write guard and of feeds (`OffersDatabase.lockByte(of:)`).
  private static func byte(of holder: Int64) -> Int64 { 1 << 41 + (holder & (1 << 40 - 1)) }

  /// Marks a holder of this process as alive. If the lock file cannot be used, others take its leases
  /// for those of a dead process, and may fetch an image twice.
  func add(_ holder: Int64) {
    state.withLock { state in
      guard !state.holders.contains(holder) else { return }
      // See above for the loss.
      if state.lock == nil { state.lock = try? file.makeLock() }
      guard let lock = state.lock, (try? lock.tryLock(byte: Self.byte(of: holder))) == true else {
        return
      }
      state.holders.insert(holder)
    }
  }

  /// Whether the process of a holder is alive, or it is not known.
  func isAlive(_ holder: Int64) -> Bool {
    state.withLock { state in
      if state.holders.contains(holder) { return true }
      // Without an answer the lease ends by itself, a few seconds later.
      return (try? state.lock?.isHeld(byte: Self.byte(of: holder))) ?? true
    }
  }

  /// Releases the locks. A holder that is added later is alive again.
  func close() {
    state.withLock { $0 = State() }
  }
}
