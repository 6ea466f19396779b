import Foundation
import OffersCore
import OffersPlatform
import Synchronization

/// A file that is written under a temporary name and gets its final name, atomically, when it is
/// committed. It then replaces a file with that name.
///
/// The temporary file is in the same folder. It is synced (fsync) and renamed, so that readers see
/// either the old or the new file, also after a power failure. By default its mode is that of the
/// file that it replaces, or else 0600.
///
/// A device, pipe, socket or folder is refused, also behind a symbolic link: as root, the rename
/// would replace `/dev/null`.
package final class AtomicFile: Sendable {
  /// The final path, with symbolic links followed.
  package let path: String
  /// The path before the commit.
  package let temporaryPath: String
  private let descriptor: Int32
  private let hint: String
  private let isDone = Atomic(false)
  private let interruption: (any InterruptionGuard)?

  /// The temporary files of this process.
  private static let names = Mutex<Set<String>>([])

  /// - Parameters:
  ///   - path: the path after the commit; a symbolic link is followed.
  ///   - isPublic: whether a file that replaces none has the permissions that the umask leaves,
  ///     instead of mode 0600.
  ///   - hint: the hint of errors with `storageFailed`.
  ///   - interruption: makes the guard that removes the temporary file, by the closure that it
  ///     receives, when a signal ends the program.
  /// - Throws: `OffersError` with `invalidRequest` if the path names something other than a regular
  ///   file, `storageFailed` if the file cannot be created.
  package init(
    replacing path: String, isPublic: Bool = false, hint: String,
    interruption: (@escaping @Sendable () -> Void) -> (any InterruptionGuard)? = { _ in nil }
  ) throws {
    let target = try Self.target(path)
    self.path = target
    self.hint = hint
    let temporaryPath = Self.takeName(for: target)
    self.temporaryPath = temporaryPath
    Self.removeRemains(beside: target)
    // A file with this process's id in its name is left from a dead process, or was planted by
    // another user.
    unlink(temporaryPath)
    let watch = interruption { unlink(temporaryPath) }
    self.interruption = watch
    let create = {
      open(
        temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isPublic ? 0o666 : 0o600)
    }
    descriptor = watch?.hold(create) ?? create()
    guard descriptor >= 0 else { throw Self.failure(path, hint) }
    // Without locks on its file system, a file is known as abandoned by the process id in its name.
    _ = try? LockFile.tryLock(byte: AbandonedFiles.lockedByte, of: descriptor)
  }

  deinit {
    if descriptor >= 0 {
      close(descriptor)
      discard()
    }
    _ = Self.names.withLock { $0.remove(temporaryPath) }
  }

  /// Removes the temporary file, unless it was committed.
  package func discard() {
    if !isDone.exchange(true, ordering: .relaxed) { unlink(temporaryPath) }
  }

  /// A temporary name that no other instance of this process uses, so that two writers of a file do
  /// not write into each other's.
  private static func takeName(for path: String) -> String {
    names.withLock { names in
      var number = 1
      var name = AbandonedFiles.temporaryPath(for: path, number: number)
      while !names.insert(name).inserted {
        number += 1
        name = AbandonedFiles.temporaryPath(for: path, number: number)
      }
      return name
    }
  }

  /// The file that a path leads to, with symbolic links followed, also if that file does not exist
  /// yet. So the file is replaced, not the link.
  ///
  /// - Returns: a path that begins with a slash or a dot, so that SQLite does not read it as a URI.
  /// - Throws: `OffersError` with `invalidRequest` if the path is empty, or the file is something
  ///   other than a regular file.
  package static func target(_ path: String) throws -> String {
    guard !path.isEmpty else {
      throw OffersError(.invalidRequest, "The file has no name.", hint: "Name a file to write.")
    }
    let target = resolve(path)
    var information = stat()
    if stat(target, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      throw OffersError(
        .invalidRequest, "\(path) is not a regular file.", hint: "Name another file.")
    }
    return "/.".utf8.contains(target.utf8.first ?? 0) ? target : "./" + target
  }

  private static func resolve(_ path: String) -> String {
    if let pointer = realpath(path, nil) {
      defer { free(pointer) }
      return String(cString: pointer)
    }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return path }
    let link = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let slash = UInt8(ascii: "/")
    guard link.utf8.first != slash, let end = path.utf8.lastIndex(of: slash) else { return link }
    return path[...end] + link
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try FileBytes.writeAll(bytes, to: descriptor)
    } catch {
      throw Self.failure(path, hint, error.number)
    }
  }

  /// Syncs the file to the disk and gives it its final name.
  ///
  /// - Parameters:
  ///   - isPrivate: whether its mode is 0600 even if it replaces a file with another mode.
  ///   - isNew: whether the path was free, so that a file that has got the name in the meantime is
  ///     not replaced.
  /// - Throws: `OffersError` with `invalidRequest` if the path names something other than a regular
  ///   file, or an existing file although `isNew`; `storageFailed` if the file cannot be written.
  package func commit(isPrivate: Bool = false, isNew: Bool = false) throws {
    var information = stat()
    let isThere = stat(path, &information) == 0
    // A device may have been created at the path in the meantime.
    _ = try Self.target(path)
    let mode: mode_t? = isPrivate ? 0o600 : isThere ? information.st_mode & 0o777 : nil
    guard mode.map({ fchmod(descriptor, $0) == 0 }) ?? true, fsync(descriptor) == 0 else {
      throw Self.failure(path, hint)
    }
    try interruption?.hold { try move(isNew: isNew) } ?? move(isNew: isNew)
    isDone.store(true, ordering: .relaxed)
    FileBytes.syncFolder(of: path)
  }

  private func move(isNew: Bool) throws {
    guard isNew else {
      if rename(temporaryPath, path) != 0 { throw Self.failure(path, hint) }
      return
    }
    do {
      try FileBytes.move(temporaryPath, toNew: path)
    } catch {
      throw error.number == EEXIST ? Self.newcomer(path) : Self.failure(path, hint, error.number)
    }
  }

  private static func newcomer(_ path: String) -> OffersError {
    OffersError(
      .invalidRequest, "Another program has meanwhile made \(path). It was left untouched.",
      hint: "Name another file, or try again to replace it.")
  }

  /// Removes the temporary files that processes left in the folder when they were killed, for
  /// whatever path, and those that an older version of this program left for this path.
  private static func removeRemains(beside path: String) {
    let folder = FileBytes.folder(of: path)
    AbandonedFiles.remove(in: folder)
    let start = (path.split(scalar: "/").last ?? "") + ".new-"
    // If the folder cannot be listed, creating the file reports the error.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard name.hasPrefix(start),
        let pid = Int32(name.dropFirst(start.count).prefix { $0 != "-" }), pid > 0,
        kill(pid, 0) != 0, errno == ESRCH
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  package static func failure(
    _ path: String, _ hint: String, _ reason: Int32 = errno
  ) -> OffersError {
    OffersError(
      .storageFailed, "Could not write \(path): \(String(cString: strerror(reason))).",
      advice: [EMFILE, ENFILE].contains(reason)
        ? Advice("Close files and other programs, or allow more open files", .allowOpenFiles)
        : Advice(hint))
  }
}

/// Keeps the signals that end a program from interrupting a file operation.
package protocol InterruptionGuard: Sendable {
  /// Runs work that the cleanup of a signal must not interrupt.
  func hold<Result>(_ body: () throws -> Result) rethrows -> Result
}
