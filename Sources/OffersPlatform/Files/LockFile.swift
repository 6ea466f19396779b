import Foundation
import SystemShim

/// A file of exclusive locks, one for each byte number, whatever the size of the file. Different
/// bytes are independent locks.
///
/// The kernel releases the locks when their holder dies, so a dead process never blocks others.
///
/// A lock belongs to the open file description (fcntl(2), `F_OFD_SETLK`), so two instances exclude
/// each other within one process, too. A system without these locks, such as Darwin, has record
/// locks (`F_SETLK`) instead, which belong to the process: they exclude other processes only, and
/// the release of any instance for the same file releases all locks that the process has on it.
package final class LockFile: Sendable {
  private let descriptor: Int32

  /// - Parameter path: the file. It is created if missing, as by `FileOperations.makeFile`, and never
  ///   removed. A symbolic link is not followed, because another user may have placed it there.
  /// - Throws: `SystemError` with `ELOOP` for a symbolic link.
  package init(path: String) throws(SystemError) {
    var opened = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if opened < 0, errno == ENOENT {
      _ = try FileOperations.makeFile(path)
      opened = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    }
    descriptor = opened
    guard descriptor >= 0 else { throw .last("open") }
  }

  deinit { close(descriptor) }

  /// Acquires the lock of a byte if it is free.
  package func tryLock(byte: Int64) throws(SystemError) -> Bool {
    try Self.tryLock(byte: byte, of: descriptor)
  }

  /// Acquires the lock of a byte of an open file if it is free. The lock ends when the descriptor is
  /// closed.
  package static func tryLock(byte: Int64, of descriptor: Int32) throws(SystemError) -> Bool {
    var range = range(F_WRLCK, byte, count: 1)
    while fcntl(descriptor, offers_set_lock_command(), &range) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      default: throw .last("fcntl")
      }
    }
    return true
  }

  /// Whether another holder has the lock of a byte.
  package func isHeld(byte: Int64) throws(SystemError) -> Bool {
    try Self.isHeld(byte: byte, of: descriptor)
  }

  /// Whether another holder has the lock of a byte of an open file.
  package static func isHeld(byte: Int64, of descriptor: Int32) throws(SystemError) -> Bool {
    var range = range(F_WRLCK, byte, count: 1)
    guard fcntl(descriptor, offers_find_lock_command(), &range) == 0 else { throw .last("fcntl") }
    return range.l_type != Int16(F_UNLCK)
  }

  package func unlock(byte: Int64) { unlock(Self.range(F_UNLCK, byte, count: 1)) }

  /// Releases the locks of all bytes.
  package func unlockAll() { unlock(Self.range(F_UNLCK, 0, count: Self.toTheEnd)) }

  private func unlock(_ range: flock) {
    var range = range
    _ = fcntl(descriptor, offers_set_lock_command(), &range)
  }

  private static func range(_ type: Int32, _ byte: Int64, count: Int64) -> flock {
    var range = flock()
    range.l_type = Int16(type)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = off_t(byte)
    range.l_len = off_t(count)
    return range
  }

  /// A length of 0 extends the range to the end of the file.
  private static let toTheEnd: Int64 = 0
}
