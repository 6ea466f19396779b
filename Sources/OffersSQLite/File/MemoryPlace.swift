import OffersCore
import Synchronization

/// The place of a database in memory: what it has instead of a lock file and of `PRAGMA data_version`.
/// Nobody but the database that was opened with it can use it.
final class MemoryPlace: Sendable {
  /// The holders of the locks, by the number of the lock.
  fileprivate let holders = Mutex<[Int64: ObjectIdentifier]>([:])
  /// Counts the commits.
  let bell = CommitBell()
}

/// The locks of a database in memory, as a `LockFile` has them for a file.
final class MemoryLocks: NumberedLocks {
  private let place: MemoryPlace

  init(_ place: MemoryPlace) { self.place = place }

  deinit { unlockAll() }

  private var holder: ObjectIdentifier { ObjectIdentifier(self) }

  func tryLock(byte: Int64) -> Bool {
    place.holders.withLock { holders in
      if let other = holders[byte], other != holder { return false }
      holders[byte] = holder
      return true
    }
  }

  func isHeld(byte: Int64) -> Bool {
    place.holders.withLock { holders in holders[byte].map { $0 != holder } ?? false }
  }

  func unlock(byte: Int64) {
    place.holders.withLock { holders in
      if holders[byte] == holder { holders[byte] = nil }
    }
  }

  func unlockAll() {
    place.holders.withLock { holders in holders = holders.filter { $0.value != holder } }
  }
}
