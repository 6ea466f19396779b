import OffersPlatform

/// Exclusive locks, one for each number. Instances for the same place exclude each other.
protocol NumberedLocks: Sendable {
  /// Acquires a lock if it is free. Returns true as well if this instance holds it.
  func tryLock(byte: Int64) throws(SystemError) -> Bool

  /// Whether another instance has the lock.
  func isHeld(byte: Int64) throws(SystemError) -> Bool

  func unlock(byte: Int64)

  /// Releases all locks of this instance.
  func unlockAll()
}

extension LockFile: NumberedLocks {}
