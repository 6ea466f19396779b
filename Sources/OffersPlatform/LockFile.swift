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

/// A process that holds a lock on a file: of a `LockFile`, or an exclusive lock of SQLite.
package struct LockHolder: Sendable {
  package let pid: Int32
  /// The process's name (`comm`).
  package let name: String
  package let byte: Int64
  /// Whether the process is stopped, by a signal or a debugger (proc(5), `State`).
  package let isStopped: Bool

  /// The kinds of locks, as fdinfo files name them.
  package enum Kind: String, Sendable {
    /// The locks of a `LockFile`.
    case openFile = "OFDLCK"
    /// The locks of SQLite.
    case process = "POSIX"
  }

  /// The holders of locks on a file that are visible to this user: the kernel shows the processes
  /// of the same user. Locks of open file descriptions belong to no process, so they are listed
  /// with the descriptor (proc(5), fdinfo).
  ///
  /// - Parameters:
  ///   - path: the absolute path of the file, with all links resolved.
  ///   - kind: the kind of locks. Only exclusive ones are looked for.
  /// - Returns: nil on a system without `/proc`.
  package static func find(on path: String, _ kind: Kind = .openFile) -> [LockHolder]? {
    guard let descriptors = FileHolder.descriptors(of: path) else { return nil }
    var holders: [LockHolder] = []
    for (user, descriptor) in descriptors {
      let information = FileHolder.text("/proc/\(user.pid)/fdinfo/\(descriptor)")
      for byte in lockedBytes(information, kind) {
        let isStopped = FileHolder.text("/proc/\(user.pid)/status").contains(/State:\s+[Tt]/)
        holders.append(
          LockHolder(pid: user.pid, name: user.name, byte: byte, isStopped: isStopped))
      }
    }
    return holders.sorted { ($0.byte, $0.pid) < ($1.byte, $1.pid) }
  }

  /// The locked bytes that an fdinfo file lists: for each lock the first byte of its range, which
  /// is 0 in the line `lock: 1: OFDLCK ADVISORY WRITE -1 fe:01:52 0 0`.
  private static func lockedBytes(_ information: String, _ kind: Kind) -> [Int64] {
    information.split(whereSeparator: \.isNewline).compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard line.hasPrefix("lock:"), words.count >= 2, words.contains("WRITE"),
        words.contains(Substring(kind.rawValue))
      else { return nil }
      return Int64(words[words.count - 2])
    }
  }
}

/// A process that has a file open.
package struct FileHolder: Hashable, Sendable {
  package let pid: Int32
  /// The process's name (`comm`).
  package let name: String

  /// The processes that have a file open and are visible to this user: the kernel shows the
  /// processes of the same user.
  ///
  /// - Parameter path: the absolute path of the file, with all links resolved.
  /// - Returns: nil on a system without `/proc`.
  package static func find(of path: String) -> [FileHolder]? {
    descriptors(of: path).map { Set($0.map(\.user)).sorted { $0.pid < $1.pid } }
  }

  /// The open descriptors of a file, with their processes; nil on a system without `/proc`.
  static func descriptors(of path: String) -> [(user: FileHolder, descriptor: String)]? {
    let files = FileManager.default
    // Processes that end meanwhile and those of other users are skipped.
    func names(_ folder: String) -> [String]? { try? files.contentsOfDirectory(atPath: folder) }
    guard let processes = names("/proc") else { return nil }
    return processes.flatMap { process -> [(user: FileHolder, descriptor: String)] in
      guard let pid = Int32(process) else { return [] }
      let folder = "/proc/\(process)/fd"
      let descriptors = (names(folder) ?? []).filter {
        (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
      if descriptors.isEmpty { return [] }
      let name = text("/proc/\(process)/comm").trimmingCharacters(in: .newlines)
      return descriptors.map { (FileHolder(pid: pid, name: name), $0) }
    }
  }

  /// The text of a file in `/proc`, at most 64 KiB; empty if it cannot be read.
  static func text(_ path: String) -> String {
    // Files in /proc report no size, and may have disappeared.
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: 64 << 10)
    else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}
