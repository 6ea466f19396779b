import Glibc
import OffersCore

/// Exclusive locks between processes, and between databases within one process.
///
/// A lock covers one byte of a file and belongs to the open file description (fcntl(2),
/// `F_OFD_SETLK`). The kernel releases it when its holder dies, so a dead process never blocks
/// others.
final class FileLock: Sendable {
  private let descriptor: Int32
  private let byte: Int64

  /// - Parameters:
  ///   - path: the lock file. It is created if missing, readable by its owner only, and never
  ///     removed.
  ///   - byte: the byte that is locked unless another one is given; different bytes are independent
  ///     locks.
  init(path: String, byte: Int64 = 0) throws {
    self.byte = byte
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw OffersError(
        .storageFailed,
        "Could not open the lock file \(path): \(String(cString: strerror(errno))).",
        hint: errno == EMFILE || errno == ENFILE
          ? "Close other programs or allow more open files (ulimit -n), then try again."
          : "Check the folder's permissions.")
    }
  }

  deinit { close(descriptor) }

  /// Acquires the lock if it is free.
  func tryLock() throws -> Bool { try tryLock(byte: byte) }

  /// Acquires the lock of another byte if it is free, so that one open file serves many locks.
  func tryLock(byte: Int64) throws -> Bool {
    var range = Self.range(F_WRLCK, byte, count: 1)
    while fcntl(descriptor, Self.setLock, &range) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      default:
        throw OffersError(
          .storageFailed, "Could not lock the database: \(String(cString: strerror(errno))).",
          hint: "The file system may not support locks; keep the database on a local disk.")
      }
    }
    return true
  }

  /// Whether another holder has the lock.
  func isHeld() throws -> Bool {
    var range = Self.range(F_WRLCK, byte, count: 1)
    guard fcntl(descriptor, Self.getLock, &range) == 0 else {
      throw OffersError(
        .storageFailed, "Could not query the locks: \(String(cString: strerror(errno))).",
        hint: "The file system may not support locks; keep the database on a local disk.")
    }
    return range.l_type != Int16(F_UNLCK)
  }

  /// Acquires the lock, polling with a growing, randomized pause. Returns false after
  /// `waitSeconds`.
  func lock(waitSeconds: Double) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    var pauseMicroseconds: UInt32 = 200
    while !(try tryLock()) {
      if ContinuousClock.now >= deadline { return false }
      usleep(.random(in: pauseMicroseconds / 2...pauseMicroseconds))
      pauseMicroseconds = min(pauseMicroseconds * 2, 10_000)
    }
    return true
  }

  func unlock() { unlock(Self.range(F_UNLCK, byte, count: 1)) }

  /// Releases the locks of all bytes.
  func unlockAll() { unlock(Self.range(F_UNLCK, 0, count: Self.toTheEnd)) }

  private func unlock(_ range: flock) {
    var range = range
    _ = fcntl(descriptor, Self.setLock, &range)
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

  /// `F_OFD_GETLK` and `F_OFD_SETLK`, which the Glibc module exposes only under _GNU_SOURCE.
  private static let getLock: Int32 = 36
  private static let setLock: Int32 = 37
}
