import Foundation
import OffersCore
import OffersPlatform
import Synchronization

/// A file that is written under a temporary name and gets its final name, atomically, when it is
/// committed. It then replaces a file with that name.
///
/// The temporary file is in the same folder. It is synced (fsync) and renamed, so that readers see
/// either the old or the new file, also after a power failure. By default its mode is that of the
/// file that it replaces, or else 0600. An interrupted program removes the temporary file.
///
/// Every file that a command writes for the user is written by this class, apart from databases. A
/// device, pipe, socket or folder is refused, also behind a symbolic link: as root, the rename
/// would replace `/dev/null`.
final class NewFile: Sendable {
  /// The final path, with symbolic links followed.
  let path: String
  /// The path before the commit.
  let temporaryPath: String
  private let descriptor: Int32
  private let hint: String
  private let isDone = Atomic(false)
  private let interruption: InterruptionWatch

  /// - Parameters:
  ///   - path: the path after the commit; a symbolic link is followed.
  ///   - isPublic: whether a file that replaces none has the permissions that the umask leaves,
  ///     instead of mode 0600.
  ///   - hint: the hint of errors with `storageFailed`.
  /// - Throws: `OffersError` with `invalidRequest` if the path names something other than a regular
  ///   file, `storageFailed` if the file cannot be created.
  init(replacing path: String, isPublic: Bool = false, hint: String) throws {
    let target = try Self.target(path)
    self.path = target
    self.hint = hint
    temporaryPath = "\(target).new-\(getpid())"
    Self.removeRemains(beside: target)
    // A file with this process's id in its name is left from a dead process, or was planted by
    // another user.
    unlink(temporaryPath)
    let watch = InterruptionWatch { [temporaryPath] in unlink(temporaryPath) }
    interruption = watch
    descriptor = watch.hold { [temporaryPath] in
      open(
        temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isPublic ? 0o666 : 0o600)
    }
    guard descriptor >= 0 else { throw Self.failure(path, hint) }
  }

  deinit {
    if descriptor < 0 { return }
    close(descriptor)
    if !isDone.load(ordering: .relaxed) { unlink(temporaryPath) }
  }

  /// The file that a path leads to, with symbolic links followed, also if that file does not exist
  /// yet. So the file is replaced, not the link.
  ///
  /// - Returns: a path that begins with a slash or a dot, so that SQLite does not read it as a URI.
  /// - Throws: `OffersError` with `invalidRequest` if the path is empty, or the file is something
  ///   other than a regular file.
  static func target(_ path: String) throws -> String {
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

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try FileBytes.writeAll(bytes, to: descriptor)
    } catch {
      throw Self.failure(path, hint, error.number)
    }
  }

  /// Syncs the file to the disk and gives it its final name.
  ///
  /// - Parameter isPrivate: whether its mode is 0600 even if it replaces a file with another mode.
  func commit(isPrivate: Bool = false) throws {
    var information = stat()
    let isThere = stat(path, &information) == 0
    // A device may have been created at the path in the meantime.
    _ = try Self.target(path)
    let mode: mode_t? = isPrivate ? 0o600 : isThere ? information.st_mode & 0o777 : nil
    guard mode.map({ fchmod(descriptor, $0) == 0 }) ?? true, fsync(descriptor) == 0,
      interruption.hold({ rename(temporaryPath, path) == 0 })
    else { throw Self.failure(path, hint) }
    isDone.store(true, ordering: .relaxed)
    FileBytes.syncFolder(of: path)
  }

  /// Atomically replaces the content of a file by a text. Missing folders are created.
  ///
  /// - Parameter isPrivate: whether its mode is 0600 even if it replaces a file with another mode.
  static func write(
    _ text: String, to path: String, isPrivate: Bool = false,
    hint: String = "Check the folder and its permissions."
  ) throws {
    do {
      try FileBytes.makeFolders(of: path)
    } catch {
      throw failure(path, hint, error.number)
    }
    let file = try NewFile(replacing: path, hint: hint)
    var text = text
    try text.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try file.commit(isPrivate: isPrivate)
  }

  /// Removes the temporary files for a path that processes left behind when they were killed.
  private static func removeRemains(beside path: String) {
    let folder = FileBytes.folder(of: path)
    let start = (path.split(scalar: "/").last ?? "") + ".new-"
    // If the folder cannot be listed, creating the file reports the error.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard name.hasPrefix(start), let pid = Int32(name.dropFirst(start.count)), pid > 0,
        kill(pid, 0) != 0, errno == ESRCH
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  private static func failure(
    _ path: String, _ hint: String, _ reason: Int32 = errno
  ) -> OffersError {
    OffersError(
      .storageFailed, "Could not write \(path): \(String(cString: strerror(reason))).", hint: hint)
  }
}
