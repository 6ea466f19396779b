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

  /// - Parameters:
  ///   - path: the path after the commit; a symbolic link is followed.
  ///   - isPublic: whether a new file gets the usual permissions, 0666 less the umask, instead of 0600.
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
    // Files that processes left in the folder when they were killed, for whatever path.
    AbandonedFiles.remove(in: FileOperations.folder(of: target))
    let created = Mutex<String?>(nil)
    let watch = interruption { created.withLock { if let path = $0 { unlink(path) } } }
    self.interruption = watch
    let create = {
      try created.withLock { created in
        let (name, descriptor) = try Self.create(for: target, isPublic ? 0o666 : 0o600)
        created = name
        return (name, descriptor)
      }
    }
    do {
      (temporaryPath, descriptor) = try watch?.hold(create) ?? create()
    } catch {
      throw Self.failure(path, hint, (error as? SystemError)?.number ?? errno)
    }
    // Without locks on its file system, a file is known as abandoned by the process id in its name.
    _ = try? LockFile.tryLock(byte: AbandonedFiles.lockedByte, of: descriptor)
  }

  deinit {
    close(descriptor)
    discard()
  }

  /// Removes the temporary file, unless it was committed.
  package func discard() {
    if !isDone.exchange(true, ordering: .relaxed) { unlink(temporaryPath) }
  }

  /// Creates the temporary file for a path, under a name that no file has: another writer may have
  /// the same process id, in this process or in another container.
  ///
  /// - Throws: `SystemError` if it cannot be created.
  private static func create(
    for path: String, _ mode: mode_t
  ) throws -> (name: String, descriptor: Int32) {
    for number in 1... {
      let name = AbandonedFiles.temporaryPath(for: path, number: number)
      let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
      if descriptor >= 0 { return (name, descriptor) }
      if errno != EEXIST || number == nameLimit { break }
    }
    throw SystemError.last("open")
  }

  private static let nameLimit = 1000

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
    let target = SymbolicLinks.resolve(path)
    // The creation of the temporary file reports a path that cannot be looked at.
    if let status = (try? FileStatus.find(target)) ?? nil, !status.isRegular {
      throw OffersError(
        .invalidRequest, "\(path) is not a regular file.", hint: "Name another file.")
    }
    return "/.".utf8.contains(target.utf8.first ?? 0) ? target : "./" + target
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try FileOperations.writeAll(bytes, to: descriptor)
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
    let old = (try? FileStatus.find(path)) ?? nil
    // A device may have been created at the path in the meantime.
    _ = try Self.target(path)
    do {
      // Root keeps the owner of a file that it replaces, such as the definitions of a service.
      if let old, geteuid() == 0 {
        try FileOperations.keepOwner(
          old, permissions: isPrivate ? 0o600 : old.permissions, of: descriptor)
      }
    } catch {
      throw Self.failure(path, hint, error.number)
    }
    let mode = isPrivate ? 0o600 : old.map { mode_t($0.permissions) }
    guard mode.map({ fchmod(descriptor, $0) == 0 }) ?? true, fsync(descriptor) == 0 else {
      throw Self.failure(path, hint)
    }
    try interruption?.hold { try move(isNew: isNew) } ?? move(isNew: isNew)
    isDone.store(true, ordering: .relaxed)
    FileOperations.syncFolder(of: path)
  }

  private func move(isNew: Bool) throws {
    guard isNew else {
      if rename(temporaryPath, path) != 0 { throw Self.failure(path, hint) }
      return
    }
    do {
      try FileOperations.move(temporaryPath, toNew: path)
    } catch {
      throw error.number == EEXIST ? Self.newcomer(path) : Self.failure(path, hint, error.number)
    }
  }

  private static func newcomer(_ path: String) -> OffersError {
    OffersError(
      .invalidRequest, "Another program has meanwhile made \(path). It was left untouched.",
      hint: "Name another file, or try again to replace it.")
  }

  package static func failure(
    _ path: String, _ hint: String, _ reason: Int32 = errno
  ) -> OffersError {
    OffersError(
      .storageFailed, "Could not write \(path): \(String(cString: strerror(reason))).",
      hint: [EMFILE, ENFILE].contains(reason)
        ? .allowOpenFiles : Hint(hint))
  }
}

/// Keeps the signals that end a program from interrupting a file operation.
package protocol InterruptionGuard: Sendable {
  /// Runs work that the cleanup of a signal must not interrupt.
  func hold<Result>(_ body: () throws -> Result) rethrows -> Result
}
