import OffersCore
import Synchronization

/// The locks and the number of commits of a database in memory. A database in a file has its lock file and
/// `PRAGMA data_version` instead. No other database can use them.
final class MemoryDatabaseState: Sendable {
  /// The holders of the locks, by the number of the lock.
  fileprivate let holders = Mutex<[Int64: ObjectIdentifier]>([:])
  /// Counts the commits.
  let bell = CommitBell()
}

/// Locks of a database in memory: what a `LockFile` is for a database in a file.
final class MemoryDatabaseLocks: NumberedLocks {
  private let state: MemoryDatabaseState

  init(_ state: MemoryDatabaseState) { self.state = state }

  deinit { unlockAll() }

  private var holder: ObjectIdentifier { ObjectIdentifier(self) }

  func tryLock(byte: Int64) -> Bool {
    state.holders.withLock { holders in
      if let other = holders[byte], other != holder { return false }
      holders[byte] = holder
      return true
    }
  }

  func isHeld(byte: Int64) -> Bool {
    state.holders.withLock { holders in holders[byte].map { $0 != holder } ?? false }
  }

  func unlock(byte: Int64) {
    state.holders.withLock { holders in
      if holders[byte] == holder { holders[byte] = nil }
    }
  }

  func unlockAll() {
    state.holders.withLock { holders in holders = holders.filter { $0.value != holder } }
  }
}
