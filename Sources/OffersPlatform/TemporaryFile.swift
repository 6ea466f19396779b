import Foundation
import SystemShim

/// An unnamed temporary file, written sequentially and read from any offset. Its space is freed
/// when it is released or the process ends.
package final class TemporaryFile: Sendable {
  private let descriptor: Int32

  /// - Parameter folder: an existing folder, whose file system holds the file.
  package init(folder: String) throws(SystemError) {
    descriptor = try Self.makeUnnamed(in: folder)
  }

  private static func makeUnnamed(in folder: String) throws(SystemError) -> Int32 {
    let descriptor = offers_open_unnamed(folder)
    if descriptor >= 0 { return descriptor }
    guard [ENOSYS, EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw .last("open") }
    return try makeNamed(in: folder)
  }

  /// Creates a file with a name and removes the name at once, for file systems that cannot create a
  /// file without one.
  static func makeNamed(in folder: String) throws(SystemError) -> Int32 {
    AbandonedFiles.remove(in: folder)
    let path = "\(folder)/\(AbandonedFiles.makeSpoolName())"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last("open") }
    unlink(path)
    return descriptor
  }

  deinit { close(descriptor) }

  /// Appends bytes: all of them or, on an error, none.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    let end = lseek(descriptor, 0, SEEK_CUR)
    do {
      try FileOperations.writeAll(bytes, to: descriptor)
    } catch {
      ftruncate(descriptor, end)
      lseek(descriptor, end, SEEK_SET)
      throw error
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  package func read(
    _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    var held = 0
    while held < bytes.count {
      let count = pread(
        descriptor, bytes.baseAddress.map { $0 + held }, bytes.count - held, off_t(offset + held))
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("pread")
      }
      if count == 0 { break }
      held += count
    }
    return held
  }
}

/// The temporary files that this program leaves in a folder if it is killed while it writes one.
///
/// A file is abandoned if its name is one that this program makes, it belongs to this user, and no
/// process writes it any more. Files of living processes, files of other users and files with other
/// names are never touched.
package enum AbandonedFiles {
  /// Precedes the process's id in the name of a temporary file.
  private static let mark = ".offers.new-"
  private static let spoolStart = "offers-spool-"

  /// The byte of a temporary file that its writer keeps locked, because a process id alone may be
  /// that of a later process.
  package static let lockedByte: Int64 = 0

  /// The age, in seconds, above which a file without a lock is abandoned even if a process has the
  /// id in its name. A writer takes the lock at once after it has created the file.
  private static let oldAgeSeconds = 60

  /// The path of this process's temporary file for a final path.
  ///
  /// - Parameter number: tells several files for the same path apart; 1 for the first.
  package static func temporaryPath(for path: String, number: Int) -> String {
    "\(path)\(mark)\(getpid())" + (number == 1 ? "" : "-\(number)")
  }

  /// A random name for a file that is unlinked at once.
  static func makeSpoolName() -> String {
    spoolStart + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// The paths of the abandoned files in a folder; empty if the folder cannot be listed.
  package static func find(in folder: String) -> [String] {
    // A folder that cannot be listed is reported by the operation that creates a file in it.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().filter { isAbandoned($0, in: folder) }.map { "\(folder)/\($0)" }
  }

  /// Removes the abandoned files in a folder.
  ///
  /// - Returns: the paths of the removed files.
  @discardableResult
  package static func remove(in folder: String) -> [String] {
    find(in: folder).filter { unlink($0) == 0 }
  }

  private static func isAbandoned(_ name: String, in folder: String) -> Bool {
    let pid = findProcess(in: name)
    guard pid != nil || isSpool(name) else { return false }
    let path = "\(folder)/\(name)"
    // A file that cannot be looked at is not known as abandoned.
    guard let status = (try? FileStatus.find(path, followsLinks: false)) ?? nil,
      status.isRegular, status.isOfThisUser
    else { return false }
    // The writer of a spool needs no name: it unlinks the file itself, at once after creating it.
    guard let pid else { return true }
    if pid == getpid() || isLocked(path) { return false }
    let age = time(nil) - status.changedAt
    return kill(pid, 0) != 0 && errno == ESRCH || age > oldAgeSeconds
  }

  /// The process id in the name of a temporary file: 12 in `saved.json.offers.new-12-2`.
  private static func findProcess(in name: String) -> Int32? {
    let name = Array(name.utf8)
    let mark = Array(mark.utf8)
    guard
      let start = name.indices.last(where: { name[$0...].starts(with: mark) }), start > 0
    else { return nil }
    let numbers = name[(start + mark.count)...].split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard numbers.count <= 2 else { return nil }
    let parsed = numbers.compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    guard parsed.count == numbers.count, parsed.allSatisfy({ $0 > 0 }) else { return nil }
    return parsed.first
  }

  private static func isSpool(_ name: String) -> Bool {
    guard name.hasPrefix(spoolStart) else { return false }
    let random = name.utf8.dropFirst(spoolStart.utf8.count)
    return (8...13).contains(random.count)
      && random.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }

  /// Whether a process has the file's lock, or may have it because it cannot be asked for.
  private static func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    do {
      return try LockFile.isHeld(byte: lockedByte, of: descriptor)
    } catch {
      return true
    }
  }
}
