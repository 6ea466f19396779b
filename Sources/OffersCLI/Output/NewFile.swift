import Foundation
import OffersCore
import Synchronization

/// A file that takes another's place once it is whole: whoever looks sees the old one or the new
/// one, and so does a machine that lost its power. Only its owner may read it, unless it takes the
/// place of one that others may read. Nothing of it stays behind when the program is interrupted.
///
/// All files that the program writes for a person are written by this class. A device, pipe, socket or
/// folder is refused and left as it is, also where a link leads to it: as root, a file would take the
/// place of `/dev/null`.
final class NewFile: Sendable {
  /// Where it will stand.
  let path: String
  /// Where it stands until then.
  let temporaryPath: String
  private let descriptor: Int32
  private let hint: String
  private let isDone = Atomic(false)
  private let interruption: InterruptionWatch

  /// - Parameters:
  ///   - path: where it will stand; a link is followed.
  ///   - isPublic: whether others may read one that takes no other's place, as the umask says.
  ///   - hint: what to do when that cannot be.
  /// - Throws: `OffersError` with `invalidRequest` for what is no ordinary file, `storageFailed` where
  ///   none can be made.
  init(replacing path: String, isPublic: Bool = false, hint: String) throws {
    let target = try Self.target(path)
    self.path = target
    self.hint = hint
    temporaryPath = "\(target).new-\(getpid())"
    Self.removeRemains(beside: target)
    // What has this process's number was left by a dead one, or laid there by somebody else.
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

  /// The file that a path leads to, links followed, also where none is there yet: it is replaced, not
  /// the link.
  ///
  /// - Returns: a path that begins with a slash or a dot, so that SQLite takes none for a URI.
  /// - Throws: `OffersError` with `invalidRequest` for what is no ordinary file.
  static func target(_ path: String) throws -> String {
    guard !path.isEmpty else {
      throw OffersError(.invalidRequest, "The file has no name.", hint: "Name a file to write.")
    }
    let target = resolve(path)
    var information = stat()
    if stat(target, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      throw OffersError(.invalidRequest, "\(path) is no ordinary file.", hint: "Name another one.")
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
    guard FileBytes.write(bytes, to: descriptor) else { throw Self.failure(path, hint) }
  }

  /// Puts it in its place.
  ///
  /// - Parameter isPrivate: whether only its owner may read it, whatever stood there.
  func commit(isPrivate: Bool = false) throws {
    var information = stat()
    let isThere = stat(path, &information) == 0
    // A device may have come to stand there meanwhile.
    _ = try Self.target(path)
    let mode: mode_t? = isPrivate ? 0o600 : isThere ? information.st_mode & 0o777 : nil
    guard mode.map({ fchmod(descriptor, $0) == 0 }) ?? true, fsync(descriptor) == 0,
      interruption.hold({ rename(temporaryPath, path) == 0 })
    else { throw Self.failure(path, hint) }
    isDone.store(true, ordering: .relaxed)
    FileBytes.syncFolder(of: path)
  }

  /// Puts a text in place of what a file holds, whole or not at all. Its folder is made when it is
  /// missing.
  ///
  /// - Parameter isPrivate: whether only its owner may read it, whatever stood there.
  static func write(
    _ text: String, to path: String, isPrivate: Bool = false,
    hint: String = "Check the folder and its permissions."
  ) throws {
    guard FileBytes.makeFolders(of: path) else { throw failure(path, hint) }
    let file = try NewFile(replacing: path, hint: hint)
    var text = text
    try text.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try file.commit(isPrivate: isPrivate)
  }

  /// Removes what processes left behind that were killed meanwhile.
  private static func removeRemains(beside path: String) {
    let folder = FileBytes.folder(of: path)
    let start = (path.split(scalar: "/").last ?? "") + ".new-"
    // A folder that cannot be listed is told of when the file is made.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard name.hasPrefix(start), let pid = Int32(name.dropFirst(start.count)), pid > 0,
        kill(pid, 0) != 0, errno == ESRCH
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  private static func failure(_ path: String, _ hint: String) -> OffersError {
    OffersError(
      .storageFailed, "Could not write \(path): \(String(cString: strerror(errno))).", hint: hint)
  }
}
